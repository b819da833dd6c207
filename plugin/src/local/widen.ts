/** Adds meaning to answers by words, by the vectors of the phone index: similar notes, and widened searches. */

import type { Reason, Result } from "../contract";
import type { Facts } from "./facts";
import type { Near } from "./meaning";
import { passageBetween } from "./passages";
import type { PhoneFile } from "./phoneFile";
import { isCurrent, type PhoneIndex } from "./phoneIndex";
import { nearResult } from "./reply";
import { t } from "../texts";

/** The notes that meaning is added to. */
export interface Notes {
  facts(path: string): Facts | null;
  read(path: string): Promise<string>;
}

/** A note that words found: how well in 0..1, and the line of its best passage. */
export interface Seed {
  readonly path: string;
  readonly score: number;
  readonly line: number;
}

/** Hits that a search is widened by. */
export const SEEDS = 4;
const LEAST_SEED = 0.5; // of the best score; a worse hit would lead elsewhere
const MOST_ADDED = 20;
/** The best score by meaning beside the best by words, which is 1: what words find well stays in front. */
const MEANING_WEIGHT = 0.5;
const byMeaning = (): readonly Reason[] => [{ kind: "passage", text: t("Near the best hits in meaning") }];

/** The notes near the best hits of a search, each with its score; null where none of them is in the file. */
export async function nearHits(phone: PhoneIndex, file: PhoneFile, notes: Notes, hits: readonly Seed[]): Promise<Map<string, { near: Near; score: number }> | null> {
  const seeds: { note: number; line: number }[] = [];
  for (const { path, score, line } of hits) {
    const note = score >= LEAST_SEED ? file.find(path) : -1;
    if (note >= 0 && isCurrent(file, note, await notes.read(path))) seeds.push({ note, line });
  }
  if (seeds.length === 0) return null;
  const near = (await phone.near(file, seeds)).filter(({ match }) => match !== "weak").slice(0, MOST_ADDED);
  return new Map(near.map((each) => [file.pathOf(each.note), { near: each, score: MEANING_WEIGHT * Math.max(0, each.score) }]));
}

/** The result of a note by its vectors; null where the note is gone or has changed since. */
export async function resultByMeaning(file: PhoneFile, notes: Notes, near: Near, isSearch = false): Promise<Result | null> {
  const facts = notes.facts(file.pathOf(near.note));
  if (!facts) return null;
  const text = await notes.read(facts.path);
  if (!isCurrent(file, near.note, text)) return null;
  const [first, last] = near.passage < 0 ? [1, Infinity] : file.linesOf(near.passage);
  return nearResult(facts, near, passageBetween(text, first, last), isSearch ? byMeaning() : []);
}
