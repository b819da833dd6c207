/** Formats counts, durations, folders, headings and snippets, for the plugin's views and the web pages. */

import { number, t, tn } from "./texts";

/** "1,824 notes". Its words are keys of the catalogue, as "{n} notes". */
export function count(n: number, one: string, many = `${one}s`): string {
  return tn(n, `{n} ${one}`, `{n} ${many}`);
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** What a service of embeddings is sent, and what the whole vault takes and costs. */
interface Cost {
  readonly sent: string;
  readonly passages: number;
  readonly tokens: number;
  /** null where the price is not known */
  readonly dollars: number | null;
  readonly prices_of: string;
}

export function costText({ sent, passages, tokens, dollars, prices_of }: Cost): string {
  const price = dollars === null ? t("unknown") : `$${number(dollars, 2)}`;
  const work = t("Embedding {passages} takes about {tokens}", { passages: count(passages, "passage"), tokens: count(tokens, "token") });
  return `${sent} ${t("{work}; price: {price} (prices of {month}).", { work, price, month: prices_of })}`;
}

/** How paths of notes in other vaults begin, where several are searched; the name of their vault follows. */
export const OTHER_VAULTS = ".vaults/";

/** The folder of a path, without its last slash; empty in the vault's root. Of another vault, it begins with the vault's name. */
export function folderOf(path: string): string {
  const within = path.startsWith(OTHER_VAULTS) ? path.slice(OTHER_VAULTS.length) : path;
  return within.slice(0, Math.max(0, within.lastIndexOf("/")));
}

/** The folder of a result in its own vault. */
export function folderWithin({ path, vault }: { readonly path: string; readonly vault?: string | null }): string {
  const folder = folderOf(path);
  return vault && path.startsWith(OTHER_VAULTS) ? folder.slice(vault.length + 1) : folder;
}

/** The last folder of a path of folders, which says the most in the least room. */
export function lastFolder(folder: string): string {
  return folder.slice(folder.lastIndexOf("/") + 1);
}

/** Where a passage is in its note. */
interface Place {
  /** The headings above the passage, as "Hives > Spring"; null above the first heading. */
  readonly heading: string | null;
  /** The list item that the passage belongs to. */
  readonly parent: string | null;
  /** The number of its page, in a PDF. */
  readonly page?: number | null;
}

/** "page 3 · Hives › Spring › list item", without a first heading that repeats the note's title. */
export function breadcrumb({ heading, parent, page }: Place, title: string): string {
  const steps = heading?.split(" > ") ?? [];
  if (steps[0] === title) steps.shift();
  if (parent) steps.push(parent);
  return [page && t("page {page}", { page }), steps.join(" › ")].filter(Boolean).join(" · ");
}

/** A file, the notes that embed it, and its conflict copies; servers of an earlier version leave both out. */
interface Embedded {
  readonly path: string;
  readonly embedded_in?: readonly string[];
  readonly copies?: readonly string[];
}

const NOTE = /\.(md|markdown)$/i;

/** "in paper.pdf, embedded in Reading and 2 more"; of a note, whose title says what it is, its conflict copies alone. */
export function fileText({ path, embedded_in: notes = [], copies = [] }: Embedded): string {
  if (NOTE.test(path)) return copies.length === 0 ? "" : count(copies.length, "conflict copy", "conflict copies");
  const [first, ...others] = notes.map((note) => baseName(note).replace(NOTE, ""));
  const name = baseName(path);
  if (first === undefined) return t("in {name}", { name });
  if (others.length === 0) return t("in {name}, embedded in {first}", { name, first });
  return t("in {name}, embedded in {first} and {others} more", { name, first, others: others.length });
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A part of a snippet. */
export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

export type Range = readonly [start: number, end: number];

/** Cuts `text` to about `limit` characters around its first match, at sentences or words, and that into marked pieces. */
export function pieces(text: string, matches: readonly Range[], limit: number): Piece[] {
  const ranges = [...matches].sort((one, other) => one[0] - other[0]);
  const first = ranges.find(([from, to]) => from < to && from < text.length) ?? [0, 0];
  const [start, end] = windowOf(text, first, limit);
  const cut: Piece[] = [];
  let at = start;
  /** Adds the text up to `to`, limited to what remains. */
  const advance = (to: number, isMatch: boolean): void => {
    const from = at;
    at = Math.min(end, Math.max(at, Math.trunc(to)));
    if (at > from) cut.push({ text: text.slice(from, at), isMatch });
  };
  for (const [from, to] of ranges) {
    if (to <= from) continue;
    advance(from, false);
    advance(to, true);
  }
  advance(end, false);
  const gap = { text: "…", isMatch: false };
  if (start > 0 && !/(?:[.!?…。！？]| ·)\s*$/.test(text.slice(0, start))) cut.unshift(gap);
  if (end < text.length && !/[.!?…。！？]['"”’)]*$/.test(text.slice(0, end))) cut.push(gap);
  return cut;
}

/** The part around a match that is shown; the server cuts in the same way (`search/show/snippets.py`). */
function windowOf(text: string, [first, last]: Range, limit: number): Range {
  const slack = limit / 6;
  /** Where sentences begin, or else words, between two places. */
  const edges = (from: number, to: number, words = 0): number[] => {
    const found = (between: RegExp): number[] => [...text.matchAll(between)].map(({ 0: gap, index }) => index + gap.length).filter((at) => at >= from && at <= to);
    const sentences = found(/(?:[.!?…](?: ·)?\s|[。！？](?: · )?| · )\s*/g);
    return sentences.length ? sentences : found(/\s+/g).filter((at) => at >= words);
  };
  const wanted = Math.min(first - Math.max(0, limit - (last - first)) / 3, text.length - limit);
  const start = wanted <= slack && last <= limit ? 0 : (edges(wanted - slack, first, wanted)[0] ?? first);
  const most = start + limit;
  if (most + slack >= text.length) return [start, text.length];
  const end = edges(start + limit * 0.6, most, most - slack).at(-1) ?? most;
  return [start, start + text.slice(start, end).replace(/(?: ·)?\s*$/, "").length];
}
