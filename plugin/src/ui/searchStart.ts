/** What the search panel shows while its field is empty. */

import type { Settings } from "../settings";
import { button, faint, link, title } from "./controls";
import { t } from "../texts";

const operators = (): readonly [example: string, meaning: string][] => [
  ["tag:", t("in notes with a tag")],
  ["path:", t("in a folder or file path")],
  ["[status:open]", t("with a property")],
  ['"exact words"', t("with this exact phrase")],
  ["-word", t("without a word")],
  ["line:", t("within one line")],
  ['task-todo:""', t("with an open task")],
  ["modified:7d", t("changed in the last 7 days")],
];

/** Saved searches, recent ones, and operators. */
export function renderStart(
  parent: HTMLElement,
  settings: Settings,
  search: (query: string) => void,
): void {
  const line = (query: string): HTMLElement => {
    const row = parent.createDiv("notewell-line");
    link(row, query, () => search(query));
    return row;
  };
  const stored = (heading: string, key: "savedSearches" | "history"): void => {
    const queries = settings.chosen[key];
    if (queries.length > 0) title(parent, heading);
    for (const query of queries) {
      const others = queries.filter((other) => other !== query);
      button(line(query), "x", t("Remove"), () => settings.set(key, others));
    }
  };
  stored(t("Saved searches"), "savedSearches");
  stored(t("Recent searches"), "history");
  title(parent, t("Operators"));
  for (const [example, meaning] of operators()) faint(line(example), meaning);
}
