/** The passages of a note that show why it was found. */

import type { Passage } from "../contract";
import type { Heading } from "./facts";
import { spans, words } from "./words";

const MAX_TEXT = 200_000; // characters that are looked at
const MAX_SNIPPET = 1_200;
const SHORT = 60; // a longer row without a full stop was broken in a sentence
const FRONTMATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*\s*$/;
const BLOCK_ID = /\s\^([A-Za-z0-9-]+)\s*$/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])(?:\s|$)/;
const RULE = /^[\s|:*_-]*-[\s|:*_-]*$/;
const ENDED = /[.!?…;,。！？；，]['"”’)\]]*$/;

/** What only the server tells of a passage: ids and hashes, its place in other files than notes. */
export const NO_ADDRESS = { id: null, hash: null, lines: null, copy: null, parent: null, page: null, node: null, seconds: null, children: null };

export type TextTest = (text: string) => boolean;

interface Block {
  readonly text: string;
  readonly line: number;
  readonly heading: string | null;
  readonly isHeading: boolean;
}

/** What is known of a note whose passages are looked for. */
interface Named {
  readonly title?: string;
  /** As the app reads the note. Where they do not fit the text, as while it is being written, its own lines say. */
  readonly headings?: readonly Heading[];
}

/** The best passages for `weights`, the words that were searched for; at least the first one of the text. Those with most `phrases` come first. */
export function passagesOf(text: string, weights: ReadonlyMap<string, number>, limit: number, { title = "", headings }: Named = {}, phrases: readonly TextTest[] = []): Passage[] {
  const name = words(title).join();
  const scored = blocksOf(text.slice(0, MAX_TEXT), headings)
    .filter((block) => !block.isHeading || words(block.text).join() !== name) // the title is above the passage
    .map((block) => passageOf(block, weights));
  const held = new Map(scored.map((each) => [each, phrases.filter((holds) => holds(each.snippet)).length]));
  const byPhrases = (one: Passage, other: Passage): number => (held.get(other) ?? 0) - (held.get(one) ?? 0);
  const best = [...scored].sort((one, other) => byPhrases(one, other) || other.score - one.score || one.line - other.line).slice(0, limit);
  const found = best.filter(({ score }, at) => at === 0 || score > 0);
  return found.length > 0 ? found : [passageOf(NOTHING, weights)];
}

/** The first paragraph between two lines. */
export function passageBetween(text: string, first: number, last: number, headings?: readonly Heading[]): Passage {
  const blocks = blocksOf(text.slice(0, MAX_TEXT), headings).filter(({ line }) => line <= last);
  const inside = blocks.filter(({ line }) => line >= first);
  const block = inside.find(({ isHeading }) => !isHeading) ?? inside[0] ?? blocks.at(-1);
  return passageOf(block ?? NOTHING, new Map());
}

/** The text of a note below its properties. */
export function bodyOf(text: string): string {
  return text.replace(FRONTMATTER, "");
}

const NOTHING: Block = { text: "", line: 1, heading: null, isHeading: false };

/** The heading on a line, from 0: by the app's own reading of the note, else by the line's form. */
function headingFinder(lines: readonly string[], headings: readonly Heading[] | undefined): (at: number) => readonly [level: number, text: string] | null {
  const known = new Map(headings?.map((one) => [one.line, one]));
  if (headings?.every(({ line, text }) => line >= lines.length || lines[line]?.includes(text))) {
    return (at) => {
      const found = known.get(at);
      return found ? [found.level, found.text] : null;
    };
  }
  return (at) => {
    const [, marks, text] = HEADING.exec(lines[at] ?? "") ?? [];
    return marks && text ? [marks.length, text] : null;
  };
}

function blocksOf(text: string, headings?: readonly Heading[]): Block[] {
  const start = FRONTMATTER.exec(text)?.[0] ?? "";
  const first = start.split("\n").length - 1;
  const blocks: Block[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let from = first;
  const all = text.split("\n");
  const headingAt = headingFinder(all, headings);
  const end = (above: readonly string[] = path): void => {
    const steps = above.filter(Boolean);
    if (lines.length > 0) blocks.push({ text: lines.join("\n"), line: from + 1, heading: steps.join(" > ") || null, isHeading: above !== path });
    lines = [];
  };
  all.slice(first).forEach((line, at) => {
    const heading = headingAt(first + at);
    if (heading || !line.trim()) end();
    if (heading) {
      path.length = heading[0] - 1;
      path.push(plain(heading[1]));
      for (let level = 0; level < path.length; level += 1) path[level] ??= "";
    }
    if (!line.trim()) return;
    if (lines.length === 0) from = first + at;
    lines.push(line);
    if (heading) end(path.slice(0, -1)); // it is the passage, and not above itself
  });
  end();
  return blocks;
}

function passageOf({ text, line, heading, isHeading }: Block, weights: ReadonlyMap<string, number>): Passage {
  const matches = (shown: string): ReturnType<typeof spans> => spans(shown).filter(({ word }) => weights.has(word));
  const scoreOf = (shown: string): number => [...new Set(matches(shown).map(({ word }) => word))].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  const snippet = shownText(text, scoreOf).slice(0, MAX_SNIPPET);
  const found = matches(snippet);
  const score = scoreOf(snippet);
  const block = BLOCK_ID.exec(text)?.[1] ?? null;
  return {
    heading,
    block,
    line,
    snippet,
    highlights: joined(found.map(({ start, end }) => [start, end] as const)),
    score: isHeading ? score * 0.6 : score, // a heading alone says less than a paragraph with the same words
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

/**
 * A block in one line, as the server shows passages (`index/shown_text.py`): a dot between rows that stand for
 * themselves, of a table the row with the highest score and its head, of a diagram nothing.
 */
function shownText(block: string, scoreOf: (row: string) => number): string {
  const lines = block.split("\n");
  const [first = "", rule = "", ...rows] = lines;
  if (/^\W+mermaid/.test(first)) return "";
  if (first.includes("|") && RULE.test(rule)) {
    const head = cells(first);
    const named = rows.map((row) => cells(row).flatMap((cell, n) => cell && (head[n] ? `${head[n]}: ${cell}` : cell) || []).join(" · "));
    return named.sort((one, other) => scoreOf(other) - scoreOf(one))[0] ?? "";
  }
  let [shown, before, wasItem] = ["", ":", false];
  for (const line of lines.filter((one) => !RULE.test(one))) {
    const text = plain(line);
    if (!text) continue;
    const isItem = ITEM.test(line);
    shown += (before.endsWith(":") || goesOn(before, text, wasItem, isItem) ? " " : " · ") + text;
    [before, wasItem] = [text, isItem];
  }
  return shown.slice(1);
}

/** Whether a row goes on with what the row before said; short ones without a full stop are headings and the like. */
function goesOn(before: string, text: string, wasItem: boolean, isItem: boolean): boolean {
  if (isItem) return !wasItem && ENDED.test(before);
  return /^[a-z]/.test(text) || (!wasItem && [before, text].every((row) => row.length > SHORT || ENDED.test(row)));
}

function cells(row: string): string[] {
  return row.replace(/^\s*\||\|\s*$/g, "").split("|").map(plain);
}

/** Markdown as people read it: no link targets, emphasis, list marks or block ids. */
export function plain(text: string): string {
  return text
    .replace(/^ {0,3}(?:#{1,6}\s+|[`~]{3}.*)/gm, "")
    .replace(/^\s*(?:[-*+]|\d+[.)])(?:\s+(?:\[.\]\s+)?|$)/gm, "")
    .replace(/^\s*>\s?(?:\[![\w-]+\][+-]?)?/gm, "")
    .replace(/(^|\s)[\w+/=-]{80,}(?!\S)/g, "$1")
    .replace(/!?\[\[([^\]|\n]*)\|([^\]\n]*)\]\]/g, "$2")
    .replace(/!?\[\[([^\]\n]*)\]\]/g, "$1")
    .replace(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, "$1")
    .replace(/(\*\*|__|~~|==|`)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/\s\^[A-Za-z0-9-]+\s*$/gm, "")
    .replace(/<\/?[a-z][^>\n]*>/gi, "")
    .trim();
}
