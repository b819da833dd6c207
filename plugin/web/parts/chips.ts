/** The conditions of a query (`tag:`, `path:`, …): found in its text, shown as chips, and suggested from its results. */

import type { Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, h } from "../lib/dom";
import { folderOf } from "../../src/format";
import { icon } from "../lib/icons";

const SUGGESTED = 6;
const CONDITION =
  /(^|[\s(])(-?(?:(?:tag|path|file|type|status|created|modified):(?:"(?:[^"\\]|\\.)*"|[^\s()"]+)|\[(?!\[)[^\]\n]+\]|"(?:[^"\\]|\\.)+"))/giu;

/** Chips of the current conditions; a click removes the condition. */
export function conditionChips(context: ViewContext, query: string): HTMLElement[] {
  return conditions(query).map((condition) => {
    const remove = (): void => context.change({ q: without(query, condition) });
    const chip = button(h("span", { dir: "auto" }, condition.text), remove, { class: "chip is-set" });
    chip.setAttribute("aria-label", `Remove the filter ${condition.text}`);
    chip.append(icon("close"));
    return chip;
  });
}

/** Conditions that narrow the results: tags and folders that some of them have, and the last month. */
export function suggestedChips(context: ViewContext, query: string, results: readonly Result[]): HTMLElement[] {
  if (results.length < 4) return [];
  const tags = sharedBySome(results.flatMap(({ tags: own }) => [...new Set(own)]), results.length);
  const folders = sharedBySome(results.map(({ path }) => folderOf(path)).filter(Boolean), results.length);
  const offered: [name: string, value: string, label: string][] = [
    ...tags.slice(0, SUGGESTED - 2).map((tag): [string, string, string] => ["tag", tag, `#${tag}`]),
    ...folders.slice(0, 2).map((folder): [string, string, string] => ["path", `${folder}/`, folder]),
    ["modified", "30d", "Last 30 days"],
  ];
  return offered
    .filter(([name]) => name !== "modified" || !/\bmodified:/.test(query))
    .filter(([name, value]) => narrowed(query, name, value) !== query)
    .slice(0, SUGGESTED)
    .map(([name, value, label]) => {
      const add = (): void => context.change({ q: narrowed(query, name, value) });
      return button(h("span", { dir: "auto" }, label), add, { class: "chip" });
    });
}

/** Values that several but not all of `total` results have, most frequent first. */
function sharedBySome(values: readonly string[], total: number): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1 && count < total)
    .sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]))
    .map(([value]) => value);
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
