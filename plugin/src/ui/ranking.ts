/** The order of a result list: sorting, pinned notes first, and merging a better ranking into what is shown. */

import type { Result } from "../contract";
import type { Marks } from "../settings";

export type SortOrder = "relevance" | "modified" | "name";

const COMPARE: Partial<Record<SortOrder, (one: Result, other: Result) => number>> = {
  // ISO times with differing zones do not sort as text.
  modified: (one, other) => time(other) - time(one),
  name: (one, other) =>
    one.title.localeCompare(other.title, undefined, { numeric: true, sensitivity: "base" }),
};

/** The server's own order is by relevance. */
export function sorted(results: readonly Result[], order: SortOrder): readonly Result[] {
  const compare = COMPARE[order];
  return compare ? [...results].sort(compare) : results;
}

/** Pinned results first, hidden ones not at all. */
export function arranged(results: readonly Result[], { hidden, pinned }: Marks): readonly Result[] {
  const isPinned = ({ path }: Result): boolean => pinned.includes(path);
  return results
    .filter(({ path }) => !hidden.includes(path))
    .sort((one, other) => Number(isPinned(other)) - Number(isPinned(one)));
}

/**
 * Replaces `shown` by `better` without moving the rows up to `held`, the last one that a person
 * points at or has focused: those stay where they are, refreshed where `better` has them too, and
 * everything else follows in its better order. `held` is -1 where nobody is about to click.
 */
export function merged(
  shown: readonly Result[],
  better: readonly Result[],
  held: number,
): readonly Result[] {
  if (held < 0) return better;
  const fresh = new Map(better.map((result) => [result.path, result]));
  const fixed = shown.slice(0, held + 1).map((result) => fresh.get(result.path) ?? result);
  const placed = new Set(fixed.map((result) => result.path));
  return [...fixed, ...better.filter((result) => !placed.has(result.path))];
}

function time(result: Result): number {
  return Date.parse(result.modified ?? "") || 0;
}
