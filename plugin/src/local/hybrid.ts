/** Ranks notes by words and meaning together, without a server: the server's sum, with the vector of the query table. */

import type { Result } from "../contract";
import { weigh, type NoteEvidence, type QueryEvidence } from "./evidence";
import type { Facts } from "./facts";
import type { Near, Nearness } from "./meaning";
import { RANK, type Names } from "./names";
import { passageBetween } from "./passages";
import type { PhoneFile } from "./phoneFile";
import { isCurrent } from "./phoneIndex";
import { nearResult } from "./reply";
import { fold } from "./words";
import type { Scored, WordIndex, WordMatch } from "./wordIndex";

/** The notes that meaning is added to. */
export interface Notes {
  facts(path: string): Facts | null;
  read(path: string): Promise<string>;
}

export interface Ranked {
  readonly path: string;
  readonly score: number;
  /** The share of the query's words that it has; a name is all of them. */
  readonly coverage?: number;
  /** How well it matches, where meaning was asked too. */
  readonly match?: Near["match"];
  /** How near it is in meaning, where words do not find it. */
  readonly near?: Near;
}

/** A query and what is known of its words. */
export interface Asked {
  readonly text: string;
  readonly matches: readonly WordMatch[];
  readonly index: WordIndex;
  readonly names: Names;
}

const MOST_BY_WORDS = 400;
const MOST_NAMED = 50;
const MOST_NEAR = 200;
const ENGLISH_FROM = 0.1; // share of the notes with "the"

/** The notes that words, names or meaning find, best first. */
export function byBoth(file: PhoneFile, near: Nearness, asked: Asked): Ranked[] {
  const found = candidates(file, near, asked);
  const query = queryEvidence(near, asked);
  const nameOf = nameScores(asked);
  const notes = found.map(({ path, note, scored }): NoteEvidence => ({
    bm25: scored ? scored.score / scored.coverage : 0,
    coverage: scored && query.known > 0 ? Math.min(1, scored.coverage / query.known) : 0,
    length: scored?.length ?? 0,
    ...nameOf(path),
    cosine: near.best[note] ?? NaN,
    meanCosine: near.means[note] ?? NaN,
  }));
  const ranked = weigh(notes, query).map(({ total, match }, at): Ranked => {
    const { path = "", note = -1, scored = null } = found[at] ?? {};
    const near1: Near = { note, score: near.best[note] ?? 0, passage: near.passages[note] ?? -1, match };
    return { path, score: total, match, ...(!scored && note >= 0 && { near: near1 }) };
  });
  return ranked.sort((one, other) => other.score - one.score);
}

interface Candidate {
  readonly path: string;
  /** Its place in the file; -1 where it is not in it. */
  readonly note: number;
  readonly scored: Scored | null;
}

function candidates(file: PhoneFile, { best }: Nearness, { text, matches, index, names }: Asked): Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (path: string, scored: Scored | null): void => void (found.has(path) || found.set(path, { path, note: file.find(path), scored }));
  for (const each of index.search(matches).slice(0, MOST_BY_WORDS)) add(each.path, each);
  for (const { path } of names.find(text, MOST_NAMED)) add(path, null);
  const known = new Set([...found.values()].map(({ note }) => note));
  const least = best.filter((cosine) => !Number.isNaN(cosine)).sort().at(-MOST_NEAR) ?? -Infinity;
  for (const [note, cosine] of best.entries()) if (cosine >= least && !known.has(note)) add(file.pathOf(note), null);
  return [...found.values()];
}

function queryEvidence(near: Nearness, { text, matches, index }: Asked): QueryEvidence {
  const idf = (wanted: readonly WordMatch[]): number => wanted.reduce((sum, match) => sum + index.rarity(match), 0);
  const known = matches.filter(({ forms }) => forms.size > 0);
  const [knownIdf, all] = [idf(known), idf(matches)];
  const written = text.split(/\s+/).filter(Boolean);
  return {
    knownIdf,
    words: matches.length,
    digits: written.filter((word) => /\d/.test(word)).length / Math.max(1, written.length),
    known: all > 0 ? knownIdf / all : 0,
    content: 1,
    cosineMean: near.mean,
    cosineDeviation: near.deviation,
    passages: near.count,
    english: index.frequency("the") >= ENGLISH_FROM * index.size,
  };
}

/** How well the names of a note match: whole, by their beginning, or by a word. */
function nameScores({ text, names }: Asked): (path: string) => Pick<NoteEvidence, "names" | "isExact" | "begun"> {
  const wanted = fold(text);
  const ranks = new Map(names.find(text, MOST_NAMED).map(({ path, rank }) => [path, rank]));
  return (path) => {
    const rank = ranks.get(path) ?? RANK.none;
    const share = Math.max(0, ...names.of(path).map((name) => (name.includes(wanted) ? wanted.length / name.length : 0)));
    return { names: rank < RANK.none ? share : 0, isExact: rank === RANK.whole, begun: rank === RANK.start ? share : 0 };
  };
}

/** The result of a note by its vectors; null where the note is gone or has changed since. */
export async function resultByMeaning(file: PhoneFile, notes: Notes, near: Near): Promise<Result | null> {
  const facts = notes.facts(file.pathOf(near.note));
  if (!facts) return null;
  const text = await notes.read(facts.path);
  if (!isCurrent(file, near.note, text)) return null;
  const [first, last] = near.passage < 0 ? [1, Infinity] : file.linesOf(near.passage);
  return nearResult(facts, near, passageBetween(text, first, last, facts.headings));
}
