/** What the search panel shows while its field is empty: what was saved, asked, searched and opened. */

import { Notice } from "obsidian";
import { asServerError } from "../client";
import { lately } from "./belonging";
import { button, link, title } from "./controls";
import { openPage, openPlace } from "./open";
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
  const { session } = context.connection;
  if (session && context.connection.has("questions")) {
    const row = parent.createDiv("notewell-line");
    const show = (n: number): unknown => n && link(row, t("New answers to your questions: {n}", { n }), () => openPage(session, "manage/questions"));
    session.client.newAnswers().then(show, asServerError); // the next time it is shown
  }
  stored(t("Saved searches"), "savedSearches");
  stored(t("Recent searches"), "history");
  const notes = lately(context);
  if (notes.length > 0) title(parent, t("Lately"));
  for (const { path, uri, title: name } of notes) line(name, () => openPlace(app, { path, uri, passage: null }, false));
}

/** Saves a search; a question waits for a note that answers it, too, where the server keeps questions. */
export async function saveSearch({ settings, connection }: ViewContext, query: string): Promise<void> {
  if (!query) return;
  const others = settings.chosen.savedSearches.filter((saved) => saved !== query);
  await settings.set("savedSearches", [query, ...others]);
  const asked = query.endsWith("?") && connection.has("questions") ? connection.session : null;
  const isKept = await asked?.client.keepQuestion(query).then(() => true, () => false);
  new Notice(isKept ? t("Saved. You will see new answers.") : t("Search saved"));
}
