/** What the search view shows while its field is empty: saved searches, recent ones, operators. */

import type { Settings } from "../settings";
import { button } from "./searchHeader";

const OPERATORS: readonly [example: string, meaning: string][] = [
  ["tag:", "in notes with a tag"],
  ["path:", "in a folder or file path"],
  ["[status:open]", "with a property"],
  ['"exact words"', "with these words in a row"],
  ["-word", "without a word"],
  ["modified:7d", "changed lately"],
];

export function renderStart(
  parent: HTMLElement,
  settings: Settings,
  search: (query: string) => void,
): void {
  const section = (title: string, queries: readonly string[]): HTMLElement[] => {
    if (queries.length > 0) parent.createDiv({ cls: "recollect-title", text: title });
    return queries.map((query) => line(parent, query, search));
  };
  const { savedSearches } = settings.vault;
  section("Saved searches", savedSearches).forEach((row, index) => {
    const forget = (): void => void settings.setVault("savedSearches", without(savedSearches, index));
    button(row, "x", "Remove", forget);
  });
  const { history } = settings.device;
  section("Recent searches", history).forEach((row, index) => {
    button(row, "x", "Remove", () => settings.setDevice("history", without(history, index)));
  });
  const examples = OPERATORS.map(([example]) => example);
  section("Operators", examples).forEach((row, index) => {
    row.createSpan({ cls: "recollect-faint", text: OPERATORS[index]?.[1] ?? "" });
  });
}

function line(parent: HTMLElement, query: string, search: (query: string) => void): HTMLElement {
  const row = parent.createDiv("recollect-line");
  row.createEl("button", { cls: "recollect-link", text: query }).onclick = (): void => search(query);
  return row;
}

function without<T>(items: readonly T[], index: number): T[] {
  return items.filter((_, at) => at !== index);
}
