/** Filters by a press: periods at once, and those that need a word begun in the field, where it is completed. */

import type { ViewContext } from "../app/viewContext";
import { h } from "../lib/dom";
import { conditions, narrowed, without } from "./chips";
import { t } from "../../src/texts";

const periods = (): readonly (readonly [value: string, label: string])[] => [
  ["today", t("Today")],
  ["7d", t("Last 7 days")],
  ["30d", t("Last 30 days")],
  [String(new Date().getFullYear()), t("This year")],
];
const begun = (): readonly (readonly [start: string, label: string])[] => [
  ["tag:", t("Tag…")],
  ["path:", t("Folder…")],
  ["type:", t("Type…")],
  ["created:", t("Created…")],
];

export function filterMenu(context: ViewContext): HTMLElement {
  const choose = (event: Event): void => {
    const query = context.address.query["q"] ?? "";
    const el = event.target as HTMLSelectElement;
    const { value } = el;
    el.value = "";
    if (value.endsWith(":")) begin(`${query} ${value}`);
    else context.change({ q: narrowed(withoutPeriod(query), "modified", value) });
  };
  const options = (label: string, all: readonly (readonly [string, string])[]): HTMLElement =>
    h("optgroup", { label }, ...all.map(([value, name]) => h("option", { value }, name)));
  return h(
    "select",
    { class: "order", "aria-label": t("Add a filter"), on: { change: choose } },
    h("option", { value: "", selected: true, hidden: true }, t("Filter")),
    options(t("Changed"), periods()),
    options(t("By a word"), begun()),
  );
}

function withoutPeriod(query: string): string {
  const period = conditions(query).find(({ text }) => text.startsWith("modified:"));
  return period ? without(query, period) : query;
}

/** Puts a query into the field as if it were typed, so that its last word is completed there. */
function begin(query: string): void {
  const field = document.querySelector<HTMLInputElement>("#q");
  if (!field) return;
  field.value = query.trimStart();
  field.focus();
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
