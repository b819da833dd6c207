/** The passages of a note that show why it was found. */

import type { Passage } from "../contract";
import { spans } from "./words";

const MAX_TEXT = 200_000; // characters that are looked at
const MAX_SNIPPET = 1_200;
const FRONTMATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*\s*$/;
const BLOCK_ID = /\s\^([A-Za-z0-9-]+)\s*$/;

/** Ids and hashes of passages are the server's. */
export const NO_ADDRESS = { id: null, hash: null, lines: null };

export type TextTest = (text: string) => boolean;

interface Block {
  readonly text: string;
  readonly line: number;
  readonly heading: string | null;
}

/** The best passages for `weights`, the words that were searched for; at least the first one of the text. Those with most `phrases` come first. */
export function passagesOf(text: string, weights: ReadonlyMap<string, number>, limit: number, phrases: readonly TextTest[] = []): Passage[] {
  const scored = blocksOf(text.slice(0, MAX_TEXT)).map((block) => passageOf(block, weights));
  const held = new Map(scored.map((each) => [each, phrases.filter((holds) => holds(each.snippet)).length]));
  const byPhrases = (one: Passage, other: Passage): number => (held.get(other) ?? 0) - (held.get(one) ?? 0);
  const best = [...scored].sort((one, other) => byPhrases(one, other) || other.score - one.score || one.line - other.line).slice(0, limit);
  const found = best.filter(({ score }, at) => at === 0 || score > 0);
  return found.length > 0 ? found : [passageOf({ text: "", line: 1, heading: null }, weights)];
}

/** The first paragraph between two lines. */
export function passageBetween(text: string, first: number, last: number): Passage {
  const blocks = blocksOf(text.slice(0, MAX_TEXT)).filter(({ line }) => line <= last);
  const inside = blocks.filter(({ line }) => line >= first);
  const block = inside.find((each) => !HEADING.test(each.text)) ?? inside[0] ?? blocks.at(-1);
  return passageOf(block ?? { text: "", line: 1, heading: null }, new Map());
}

/** The text of a note below its properties. */
export function bodyOf(text: string): string {
  return text.replace(FRONTMATTER, "");
}

function blocksOf(text: string): Block[] {
  const start = FRONTMATTER.exec(text)?.[0] ?? "";
  const first = start.split("\n").length - 1;
  const blocks: Block[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let from = first;
  const end = (): void => {
    const steps = path.filter(Boolean);
    if (lines.length > 0) blocks.push({ text: lines.join("\n"), line: from + 1, heading: steps.join(" > ") || null });
    lines = [];
  };
  text.slice(start.length).split("\n").forEach((line, at) => {
    const heading = HEADING.exec(line);
    if (heading || !line.trim()) end();
    if (heading) {
      path.length = (heading[1] ?? "").length - 1;
      path.push(plain(heading[2] ?? ""));
      for (let level = 0; level < path.length; level += 1) path[level] ??= "";
    }
    if (!line.trim()) return;
    if (lines.length === 0) from = first + at;
    lines.push(line);
    if (heading) end();
  });
  end();
  return blocks;
}

function passageOf({ text, line, heading }: Block, weights: ReadonlyMap<string, number>): Passage {
  const snippet = plain(text).slice(0, MAX_SNIPPET);
  const found = spans(snippet).filter(({ word }) => weights.has(word));
  const score = [...new Set(found.map(({ word }) => word))].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  const block = BLOCK_ID.exec(text)?.[1] ?? null;
  // A heading alone says less than a paragraph with the same words.
  const isHeading = HEADING.test(text);
  return {
    heading,
    block,
    parent: null,
    page: null,
    node: null,
    line,
    snippet,
    highlights: joined(found.map(({ start, end }) => [start, end] as const)),
    score: isHeading ? score * 0.6 : score,
    children: null,
    ...NO_ADDRESS,
  };
}

/** Ranges in order, those that overlap as one. */
function joined(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const out: [number, number][] = [];
  for (const [start, end] of [...ranges].sort((one, other) => one[0] - other[0])) {
    const last = out.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

/** Markdown as people read it: no link targets, emphasis, list marks or block ids. */
export function plain(text: string): string {
  return text
    .replace(/^ {0,3}#{1,6}\s+/gm, "")
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/gm, "")
    .replace(/^\s*>\s?/gm, "")
    .replace(/!?\[\[([^\]|\n]*)\|([^\]\n]*)\]\]/g, "$2")
    .replace(/!?\[\[([^\]\n]*)\]\]/g, "$1")
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, "$1")
    .replace(/(\*\*|__|~~|==|`)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/\s\^[A-Za-z0-9-]+\s*$/gm, "")
    .replace(/<\/?[a-z][^>\n]*>/gi, "")
    .trim();
}
