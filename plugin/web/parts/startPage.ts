/** Home, shown for an empty query: notes read lately, what changed, searches of before and saved ones, and what there is to tend. */

import { asServerError } from "../../src/client";
import type { Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h, skeleton } from "../lib/dom";
import { icon } from "../lib/icons";
import { nameOf } from "../lib/format";
import { lately } from "./lately";
import { noteLinks } from "./rail";
import { forget, history, saved, toggleSaved } from "./searchHistory";
import { t, tn } from "../../src/texts";

const SHOWN = 8;
const HUBS = 4;
const LATEST = 2; // changed notes; each is some 1.3 kB of the first load

export function startPage(context: ViewContext): HTMLElement {
  const [tend, answered] = [h("p", { class: "to-tend", hidden: true }), h("p", { class: "to-tend", hidden: true })];
  const changed = h("div", { class: "changed" }, skeleton(LATEST));
  const hubs = h("section", { hidden: true });
  showChanged(context, changed).catch((error: unknown) => {
    asServerError(error); // a search reports the error
    fill(changed);
  });
  for (const fillIn of [showToTend(context, tend), showAnswered(context, answered), showHubs(context, hubs)]) fillIn.catch(asServerError);
  const searches = h("div", { class: "searches" });
  drawSearches(context, searches);
  const read = lately.of(context.vault).slice(0, SHOWN).map((path) => ({ path, title: nameOf(path) }));
  return h(
    "div",
    { class: "start" },
    h("h1", { class: "unseen" }, t("Search {name}", { name: context.vault?.name ?? t("your notes") })),
    answered,
    tend,
    h("div", { class: "start-columns" }, notes(context, t("Read lately"), read), changed, searches, hubs),
  );
}

/** Saved searches, which a star takes away again, and those of before; where there are none, what one can try. */
function drawSearches(context: ViewContext, el: HTMLElement): void {
  const { vault } = context;
  const [kept, earlier] = [saved(vault), history(vault).slice(0, SHOWN)];
  const again = (): void => drawSearches(context, el);
  const clear = (): void => {
    forget(vault);
    lately.clear(vault);
    context.showNotice(t("History cleared"));
    again();
  };
  const unstar = (q: string): HTMLElement =>
    button(icon("star"), () => {
      toggleSaved(q, vault);
      again();
    }, { class: "plain star", "aria-pressed": "true", "aria-label": t("Do not keep {search}", { search: q }) });
  fill(
    el,
    kept.length ? searchList(context, t("Saved searches"), kept, unstar) : null,
    earlier.length ? h("div", { class: "earlier" }, searchList(context, t("Recent searches"), earlier), button(t("Clear history"), clear, { class: "quiet" })) : null,
    kept.length + earlier.length ? null : tips(),
  );
}

function searchList(context: ViewContext, title: string, queries: readonly string[], after?: (q: string) => HTMLElement): HTMLElement {
  const links = queries.map((q) => h("li", {}, h("a", { href: context.to("search", { q }), dir: "auto" }, q), after?.(q)));
  return h("section", {}, h("h2", {}, title), h("ul", { class: "asked" }, ...links));
}

/** For the first time. */
function tips(): HTMLElement {
  const all: readonly (readonly [string, string])[] = [
    [t("a question or a thought"), t("finds notes that mean the same")],
    ["\"left-hand thread\"", t("finds these exact words")],
    ["tag:garden modified:7d", t("narrows by tag, folder or time")],
    ["?", t("shows all keys and filters")],
  ];
  const rows = all.map(([typed, does]) => h("li", {}, h("code", {}, typed), " ", h("span", { class: "faint" }, does)));
  const how = t("Describe what you look for in your own words: notes are found by their meaning as well as by exact words.");
  return h("section", {}, h("h2", {}, t("What you can type")), h("p", { class: "faint" }, how), h("ul", { class: "tips" }, ...rows));
}

/** How many suggestions of the newest plan are open. */
async function showToTend(context: ViewContext, el: HTMLElement): Promise<void> {
  if (!context.has("garden_plans")) return;
  const open = await context.vaultClient.openSuggestions();
  if (open === 0) return;
  fill(el, h("a", { href: context.to("manage", {}, "tend") }, tn(open, "{n} suggestion to tend", "{n} suggestions to tend")));
  el.hidden = false;
}

/** How many answers to questions that wait nobody has seen. */
async function showAnswered(context: ViewContext, el: HTMLElement): Promise<void> {
  if (!context.has("questions")) return;
  const found = await context.vaultClient.newAnswers();
  if (found === 0) return;
  fill(el, h("a", { href: context.to("manage", {}, "questions") }, tn(found, "{n} answer to a question of yours", "{n} answers to questions of yours")));
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

function notes(context: ViewContext, title: string, found: readonly Pick<Result, "path" | "title">[]): HTMLElement | null {
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
