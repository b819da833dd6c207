/** What the search view shows while its field is empty: saved searches, recent ones, operators. */

import { ExtraButtonComponent } from "obsidian";
import type { Settings } from "../settings";

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
  const { savedSearches } = settings.vault;
  const { history } = settings.device;
  section(parent, "Saved searches", savedSearches, search, (query) => {
    const rest = savedSearches.filter((saved) => saved !== query);
    void settings.setVault("savedSearches", rest);
  });
  section(parent, "Recent searches", history, search, (query) => {
    const rest = history.filter((earlier) => earlier !== query);
    settings.setDevice("history", rest);
  });
  const box = heading(parent, "Operators");
  for (const [example, meaning] of OPERATORS) {
    const row = line(box, example, () => search(example));
    row.createSpan({ cls: "recollect-hint", text: meaning });
  }
}

function section(
  parent: HTMLElement,
  title: string,
  queries: readonly string[],
  search: (query: string) => void,
  forget: (query: string) => void,
): void {
  if (queries.length === 0) return;
  const box = heading(parent, title);
  for (const query of queries) {
    const row = line(box, query, () => search(query));
    new ExtraButtonComponent(row)
      .setIcon("x")
      .setTooltip("Remove")
      .onClick(() => forget(query));
  }
}

function heading(parent: HTMLElement, title: string): HTMLElement {
  const box = parent.createDiv({ cls: "recollect-start" });
  box.createDiv({ cls: "recollect-start-title", text: title });
  return box;
}

function line(parent: HTMLElement, text: string, onClick: () => void): HTMLElement {
  const row = parent.createDiv({ cls: "recollect-start-line" });
  const link = row.createEl("button", { cls: "recollect-start-query", text });
  link.addEventListener("click", onClick);
  return row;
}
