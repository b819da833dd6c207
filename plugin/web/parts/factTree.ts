/** Replies that are shown as they are: nested facts as lists, lists of alike things as tables. */

import { h } from "../lib/dom";
import { table } from "../views/manage/panel";
import { written } from "./properties";

type Facts = Readonly<Record<string, unknown>>;

export function factTree(values: Facts, level = 2): HTMLElement {
  const plain = Object.entries(values).filter(([, value]) => !isNested(value));
  const nested = Object.entries(values).filter(([, value]) => isNested(value));
  const rows = plain.map(([name, value]) => h("div", {}, h("dt", {}, label(name)), h("dd", { dir: "auto" }, written(value))));
  return h(
    "div",
    { class: "fact-tree" },
    rows.length ? h("dl", { class: "facts-list" }, ...rows) : null,
    ...nested.map(([name, value]) => section(name, value, level)),
  );
}

function section(name: string, value: unknown, level: number): HTMLElement {
  const title = h(level === 2 ? "h2" : "h3", {}, label(name));
  if (Array.isArray(value)) return h("section", {}, title, listTable(label(name), value as Facts[]));
  return h("section", {}, title, factTree(value as Facts, level + 1));
}

function listTable(name: string, rows: readonly Facts[]): HTMLElement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return table(name, columns.map(label), rows.map((row) => columns.map((column) => written(row[column]))));
}

function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && typeof value[0] === "object";
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function label(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
