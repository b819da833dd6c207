/** Home, shown for an empty query: searches of before, what changed, and what there is to tend. */

import { asServerError } from "../../src/client";
import type { Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { noteLinks } from "./rail";
import { forget, history, saved } from "./searchHistory";
import { t, tn } from "../../src/texts";

const SHOWN = 8;
const HUBS = 6;
const LATEST = 3; // changed notes; each is some 1.3 kB of the first load

export function startPage(context: ViewContext): HTMLElement {
  const tend = h("p", { class: "to-tend", hidden: true });
  const changed = h("div", { class: "changed" });
  const hubs = h("section", { hidden: true });
  for (const fillIn of [showToTend(context, tend), showChanged(context, changed), showHubs(context, hubs)]) {
    fillIn.catch(asServerError); // a search reports the error
  }
  const earlier = history(context.vault).slice(0, SHOWN);
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
    tend,
    section(t("Saved searches"), saved(context.vault), context),
    earlier.length ? h("div", { class: "earlier" }, section(t("Recent searches"), earlier, context), button(t("Clear history"), clear, { class: "quiet" })) : null,
    changed,
    hubs,
  );
}

function section(title: string, queries: readonly string[], context: ViewContext): HTMLElement | null {
  if (queries.length === 0) return null;
  const links = queries.map((q) => h("li", {}, h("a", { href: context.to("search", { q }), dir: "auto" }, q)));
  return h("section", {}, h("h2", {}, title), h("ul", { class: "asked" }, ...links));
}

/** How many suggestions of the newest plan are open. */
async function showToTend(context: ViewContext, el: HTMLElement): Promise<void> {
  if (!context.has("garden_plans")) return;
  const open = await context.vaultClient.openSuggestions();
  if (open === 0) return;
  fill(el, h("a", { href: context.to("manage", {}, "tend") }, tn(open, "{n} suggestion to tend", "{n} suggestions to tend")));
  el.hidden = false;
}

/** What changed today, and before in the last 30 days. The server lists notes of a period with the latest first. */
async function showChanged(context: ViewContext, el: HTMLElement): Promise<void> {
  const { results } = await context.vaultClient.find("modified:30d", { limit: LATEST, passages: 0, everything: true, door: "none" });
  const midnight = new Date().setHours(0, 0, 0, 0);
  const today = results.filter((note) => timeOf(note) >= midnight);
  const before = results.filter((note) => timeOf(note) < midnight);
  fill(el, notes(context, t("Changed today"), today), notes(context, t("Recent notes"), before));
}

function timeOf({ modified }: Result): number {
  return Date.parse(modified ?? "") || 0;
}

function notes(context: ViewContext, title: string, found: readonly Result[]): HTMLElement | null {
  return found.length ? h("section", {}, h("h2", {}, title), noteLinks(context, found)) : null;
}

/** The notes with the most links. */
async function showHubs(context: ViewContext, el: HTMLElement): Promise<void> {
  if (!context.has("graph_hubs")) return;
  const hubs = await context.vaultClient.hubs(HUBS);
  if (hubs.length === 0) return;
  fill(el, h("h2", {}, t("Most linked notes")), noteLinks(context, hubs));
  el.hidden = false;
}
