/** The page shown for an empty query: saved and recent searches, and the most linked notes. */

import { asServerError } from "../../src/client";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { noteLinks } from "./rail";
import { forget, history, saved } from "./searchHistory";
import { t } from "../../src/texts";

const HUBS = 8;

export function startPage(context: ViewContext): HTMLElement {
  const hubs = h("section");
  void showHubs(context, hubs);
  const earlier = history(context.vault).slice(0, 8);
  const clear = (): void => {
    forget(context.vault);
    context.showNotice(t("History cleared"));
    document.querySelector(".earlier")?.remove();
  };
  return h(
    "div",
    { class: "start" },
    h("h1", {}, t("Search {name}", { name: context.vault?.name ?? t("your notes") })),
    h("p", { class: "faint" }, t("Describe what you look for in your own words: notes are found by their meaning as well as by exact words.")),
    section(t("Saved searches"), saved(context.vault), context),
    earlier.length ? h("div", { class: "earlier" }, section(t("Recent searches"), earlier, context), button(t("Clear history"), clear, { class: "quiet" })) : null,
    hubs,
  );
}

function section(title: string, queries: readonly string[], context: ViewContext): HTMLElement | null {
  if (queries.length === 0) return null;
  const links = queries.map((q) => h("li", {}, h("a", { href: context.to("search", { q }), dir: "auto" }, q)));
  return h("section", {}, h("h2", {}, title), h("ul", { class: "asked" }, ...links));
}

/** Shows the notes with the most links. */
async function showHubs(context: ViewContext, el: HTMLElement): Promise<void> {
  if (!context.has("graph_hubs")) return;
  try {
    const hubs = await context.vaultClient.hubs(HUBS);
    if (hubs.length) fill(el, h("h2", {}, t("Most linked notes")), noteLinks(context, hubs));
  } catch (error) {
    asServerError(error); // a search reports the error
  }
}
