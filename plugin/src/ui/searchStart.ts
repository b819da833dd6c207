/** What the search panel shows while its field is empty. */

import { lately } from "./belonging";
import { button, link, title } from "./controls";
import { openPlace } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

/** Saved searches, recent ones, and the notes opened lately. */
export function renderStart(parent: HTMLElement, context: ViewContext, search: (query: string) => void): void {
  const { app, settings } = context;
  const line = (text: string, open: () => unknown): HTMLElement => {
    const row = parent.createDiv("notewell-line");
    link(row, text, open);
    return row;
  };
  const stored = (heading: string, key: "savedSearches" | "history"): void => {
    const queries = settings.chosen[key];
    if (queries.length > 0) title(parent, heading);
    for (const query of queries) {
      const others = queries.filter((other) => other !== query);
      button(line(query, () => search(query)), "x", t("Remove"), () => settings.set(key, others));
    }
  };
  stored(t("Saved searches"), "savedSearches");
  stored(t("Recent searches"), "history");
  const notes = lately(context);
  if (notes.length > 0) title(parent, t("Lately"));
  for (const { path, uri, title: name } of notes) line(name, () => openPlace(app, { path, uri, passage: null }, false));
}
