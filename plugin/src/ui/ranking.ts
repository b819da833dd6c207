/** The order of a result list: sorting, pinned notes first, and merging an updated ranking into what is shown. */

import type { Result, SearchReply } from "../contract";
import { folderOf } from "../format";
import type { Marks } from "../settings";
import { BEST_FIRST } from "./scores";

export type SortOrder = "relevance" | "modified" | "name";

const COMPARE: Partial<Record<SortOrder, (one: Result, other: Result) => number>> = {
  // ISO times with differing zones do not sort as text.
  modified: (one, other) => time(other) - time(one),
  name: (one, other) =>
    one.title.localeCompare(other.title, undefined, { numeric: true, sensitivity: "base" }),
};

/** Sorts the results; the server's order is by relevance. */
export function sorted(results: readonly Result[], order: SortOrder): readonly Result[] {
  const compare = COMPARE[order];
  return compare ? [...results].sort(compare) : results;
}

/**
 * Brings the notes of each folder together. Folders follow their best note; where notes are in the order of
 * their names, so are the folders.
 */
export function grouped(results: readonly Result[], order: SortOrder): readonly Result[] {
  const folders = new Map<string, Result[]>();
  for (const result of results) {
    const folder = folderOf(result.path);
    const notes = folders.get(folder);
    if (notes) notes.push(result);
    else folders.set(folder, [result]);
  }
  const groups = [...folders];
  if (order === "name") groups.sort(([one], [other]) => one.localeCompare(other, undefined, { numeric: true }));
  return groups.flatMap(([, notes]) => notes);
}

/** Pinned results first, hidden ones not at all. */
export function arranged(results: readonly Result[], { hidden, pinned }: Marks): readonly Result[] {
  const isPinned = ({ path }: Result): boolean => pinned.includes(path);
  return results
    .filter(({ path }) => !hidden.includes(path))
    .sort((one, other) => Number(isPinned(other)) - Number(isPinned(one)));
}

/**
 * Replaces `shown` by `updated` without moving the rows up to index `lastFixed`, the last row under the
 * pointer or with the focus. Those rows stay as they are; the rest follows in the new order. `lastFixed` is -1 where no row is pointed at.
 */
export function merged(
  shown: readonly Result[],
  updated: readonly Result[],
  lastFixed: number,
): readonly Result[] {
  if (lastFixed < 0) return updated;
  const fixed = shown.slice(0, lastFixed + 1); // as they are drawn: another snippet may have another height
  const placed = new Set(fixed.map((result) => result.path));
  return [...fixed, ...updated.filter((result) => !placed.has(result.path))];
}

/** Whether a note that the word index found has all words of the query, as they are spelled. */
export function hasAllWords({ scores }: Result): boolean {
  return scores.coverage === 1;
}

/**
 * A server's answer, with what the word index found for the same words: no correction and no cut takes away a
 * note that has all of them, the last one perhaps unfinished.
 */
export function withTyped(reply: SearchReply, { results: typed }: SearchReply): SearchReply {
  const good = reply.results.filter(({ match }) => match !== "weak");
  const isIn = (list: readonly Result[], { path }: Result): boolean => list.some((each) => each.path === path);
  const kept = typed.filter((result) => hasAllWords(result) && !isIn(good, result));
  const weak = reply.results.filter((result) => !isIn(good, result) && !isIn(kept, result));
  const results = reply.corrected ? [...kept, ...good, ...weak] : [...good, ...kept, ...weak];
  return { ...reply, results, total: reply.total + results.length - reply.results.length };
}

/** Has `first`, which is first in the list, stay there if it matches no less than the best of `results`. */
export function steady(results: readonly Result[], first: Result | undefined, query: string): readonly Result[] {
  const own = results.find(({ path }) => path === first?.path);
  const [best] = results;
  if (!own || !best || distance(own, query) > distance(best, query)) return results;
  return [own, ...results.filter((result) => result !== own)];
}

/** How far a note is from one that is named so, then from a strong match; of the word index's, from one that has all words. */
function distance(result: Result, query: string): number {
  const [name, wanted] = [result.title.toLowerCase(), query.trim().toLowerCase()];
  const named = name === wanted ? 0 : name.startsWith(wanted) ? 10 : 20;
  return named + (result.match ? BEST_FIRST.indexOf(result.match) : Number(!hasAllWords(result)));
}

function time(result: Result): number {
  return Date.parse(result.modified ?? "") || 0;
}
