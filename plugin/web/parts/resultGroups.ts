/** Results as a list in groups by how well they match, in the words that all clients use. */

import type { Result, SearchReply } from "../../src/contract";
import { button, h } from "../lib/dom";
import { count } from "../../src/format";
import { steady } from "../../src/ui/ranking";
import { t } from "../../src/texts";

export type SortOrder = "" | "new" | "old" | "name";
export const sortOrders = (): readonly [value: SortOrder, label: string][] => [
  ["", t("Best match")],
  ["new", t("Newest first")],
  ["old", t("Oldest first")],
  ["name", t("By name")],
];

/** What a group is called; a query of filters alone has results that match in no degree. */
const groups = (): readonly [match: Result["match"] | undefined, label: string][] => [
  ["strong", t("Best")],
  ["related", t("Related")],
  ["weak", t("Weak matches")],
];

/**
 * Rows of results, with a heading before each group where there is more than one, or only weak ones. The first
 * result is the first row, before all groups where it is of a lesser one.
 */
export function groupedRows(results: readonly Result[], row: (result: Result) => HTMLElement): HTMLElement[] {
  const kinds = new Set(results.map(({ match }) => match ?? null));
  const hasHeads = kinds.size > 1 || kinds.has("weak");
  if (!hasHeads || kinds.has(null)) return results.map(row);
  const best = groups().find(([match]) => match && kinds.has(match))?.[0];
  const ahead = results.slice(0, results[0]?.match === best ? 0 : 1);
  const grouped = groups().flatMap(([match, label]) => {
    const members = results.slice(ahead.length).filter((result) => result.match === match);
    if (members.length === 0) return [];
    return [h("li", { class: "group-head", "data-match": match, "data-key": `group:${match}` }, h("h2", {}, label)), ...members.map(row)];
  });
  return [...ahead.map(row), ...grouped];
}

/** Results in an order that a person chose; by match they come from the server. */
export function sorted(results: readonly Result[], order: SortOrder): readonly Result[] {
  if (order === "") return results;
  const time = ({ modified, created }: Result): number => Date.parse(modified ?? created ?? "") || 0;
  const compare: Readonly<Record<Exclude<SortOrder, "">, (one: Result, other: Result) => number>> = {
    new: (one, other) => time(other) - time(one),
    old: (one, other) => time(one) - time(other),
    name: (one, other) => one.title.localeCompare(other.title, undefined, { numeric: true }),
  };
  return [...results].sort(compare[order]);
}

/** How many weak matches the server left out. */
export function weakCount(filtered: Readonly<Record<string, number>>, results: readonly Result[]): number {
  return results.some(({ match }) => match === "weak") ? 0 : (filtered["weak"] ?? 0);
}

/** The line after the last result that unfolds the weak ones. */
export function weakFold(n: number, show: () => void): HTMLElement | null {
  return n > 0 ? button(t("Show {weakMatches}", { weakMatches: count(n, "weak match", "weak matches") }), show, { class: "quiet more" }) : null;
}

/** A reply while somebody types: the note that was first stays first where it matches no less than the best. */
export function steadied(reply: SearchReply, before: SearchReply | null): SearchReply {
  return { ...reply, results: steady(reply.results, before?.results[0], reply.query) };
}
