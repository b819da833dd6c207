/** The conditions of a query (`tag:`, `path:`, …): found in its text, shown as chips, and suggested from its results. */

import type { Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, h } from "../lib/dom";
import { folderOf } from "../../src/format";
import { day, nameOf } from "../lib/format";
import { icon } from "../lib/icons";
import { t } from "../../src/texts";

const CONDITION =
  /(^|[\s(])(-?(?:(?:tag|path|file|type|status|created|modified):(?:"(?:[^"\\]|\\.)*"|[^\s()"]+)|\[(?!\[)[^\]\n]+\]|"(?:[^"\\]|\\.)+"))/giu;

/** Chips of the current conditions; a click removes the condition. */
export function conditionChips(context: ViewContext, query: string): HTMLElement[] {
  return conditions(query).map((condition) => {
    const remove = (): void => context.change({ q: without(query, condition) });
    const chip = button(h("span", { dir: "auto" }, condition.text), remove, { class: "chip is-set" });
    chip.setAttribute("aria-label", t("Remove the filter {filter}", { filter: condition.text }));
    chip.append(icon("close"));
    return chip;
  });
}

/** The chip of a list of similar notes; a click ends it. */
export function likeChip(context: ViewContext, like: string): HTMLElement {
  const chip = button(t("Similar to: {like}", { like: nameOf(like) }), () => context.change({ like: null }), { class: "chip is-set" });
  chip.append(icon("close"));
  return chip;
}

/** The chips of a search of the past; a click ends it. */
export function pastChips(context: ViewContext): HTMLElement[] {
  const { as_of: asOf, ever } = context.address.query;
  return [...(asOf ? [t("As of {day}", { day: day(asOf) })] : []), ...(ever ? [t("With what is gone")] : [])].map((label) => {
    const chip = button(label, () => context.change({ as_of: null, ever: null }), { class: "chip is-set" });
    chip.append(icon("close"));
    return chip;
  });
}

/** A condition that narrows the results: `label` is short, `value` as the query has it. */
interface Narrowing {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

const spans = (): readonly [value: string, label: string, days: number][] => [
  ["7d", t("Last 7 days"), 7],
  ["30d", t("Last 30 days"), 30],
  ["365d", t("Last year"), 365],
];
const DAY_MS = 86_400_000;

/** Conditions that narrow the results: tags, folders, types and dates that some of them have, with their numbers. */
export function suggestedChips(context: ViewContext, query: string, results: readonly Result[]): HTMLElement[] {
  if (results.length < 4) return [];
  const all = results.length;
  const offered = [
    ...shared(results.map(({ tags }) => tags), all, (tag) => ({ name: "tag", value: tag, label: `#${shortened(tag)}` })).slice(0, 3),
    ...shared(results.map(({ path }) => [folderOf(path)]), all, (folder) => ({ name: "path", value: `${folder}/`, label: shortened(folder) })).slice(0, 2),
    ...shared(results.map(typesOf), all, (type) => ({ name: "type", value: type, label: type })).slice(0, 2),
    ...periods(query, results),
  ];
  return offered
    .filter(({ name, value }) => narrowed(query, name, value) !== query)
    .map((one) => chipOf(context, query, one, all));
}

function chipOf(context: ViewContext, query: string, { name, value, label, count }: Narrowing, all: number): HTMLElement {
  const add = (): void => context.change({ q: narrowed(query, name, value) });
  const title = t("{name}:{value} – {count} of these {all} notes", { name, value, count, all });
  const chip = button(h("span", { dir: "auto" }, label), add, { class: "chip", title });
  chip.append(h("span", { class: "number" }, String(count)));
  return chip;
}

/** The shortest period that some but not all of the results were changed in. */
function periods(query: string, results: readonly Result[]): Narrowing[] {
  if (/\bmodified:/.test(query)) return [];
  for (const [value, label, days] of spans()) {
    const since = Date.now() - days * DAY_MS;
    const count = results.filter(({ modified }) => modified !== null && Date.parse(modified) >= since).length;
    if (count > 0 && count < results.length) return [{ name: "modified", value, label, count }];
  }
  return [];
}

/** The last part of a tag or folder, which is what a person calls it. */
function shortened(path: string): string {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return last.length > 24 ? `${last.slice(0, 23)}…` : last;
}

function typesOf({ properties }: Result): string[] {
  const type = properties["type"];
  return [type].flat().filter((one): one is string => typeof one === "string" && one !== "");
}

/** Values that several but not all of `total` results have, most frequent first. */
function shared(values: readonly (readonly string[])[], total: number, make: (value: string) => Omit<Narrowing, "count">): Narrowing[] {
  const counts = new Map<string, number>();
  for (const value of values.flatMap((own) => [...new Set(own)])) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1 && count < total)
    .sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]))
    .map(([value, count]) => ({ ...make(value), count }));
}

export interface Condition {
  /** As it is written in the query. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function conditions(query: string): readonly Condition[] {
  return [...query.matchAll(CONDITION)].map(({ 1: before = "", 2: text = "", index }) => {
    const start = index + before.length;
    return { text, start, end: start + text.length };
  });
}

/** The query without one of its conditions. */
export function without(query: string, { start, end }: Condition): string {
  const left = query.slice(0, start).trimEnd();
  const right = query.slice(end).trimStart();
  // Without its operand an OR has to go too.
  const joined = [left.replace(/\s+OR$/, ""), right.replace(/^OR\s+/, "")];
  return joined.filter(Boolean).join(" ");
}

/** The query with one more condition; a value with spaces is quoted. */
export function narrowed(query: string, name: string, value: string): string {
  const written = /[\s()"]/.test(value) ? `"${value.replaceAll('"', '\\"')}"` : value;
  const condition = `${name}:${written}`;
  const isThere = conditions(query).some(({ text }) => text === condition);
  return isThere ? query : `${query.trim()} ${condition}`.trim();
}
