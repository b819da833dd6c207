/** What stands where nothing is asked yet. */

import { asServerError } from "../../src/client";
import type { Desk } from "../app/desk";
import { button, fill, h } from "../lib/dom";
import { noteLinks } from "./reader";
import { forget, history, saved } from "./remembered";

const HUBS = 8;

export function startPage(desk: Desk): HTMLElement {
  const hubs = h("section");
  void showHubs(desk, hubs);
  const earlier = history(desk.vault).slice(0, 8);
  const clear = (): void => {
    forget(desk.vault);
    desk.say("Forgotten");
    document.querySelector(".earlier")?.remove();
  };
  return h(
    "div",
    { class: "start" },
    h("h1", {}, `What do you remember of ${desk.vault?.name ?? "your notes"}?`),
    h("p", { class: "faint" }, "Ask in your own words. Notes are found by what they mean as well as by what they say."),
    section("Saved searches", saved(desk.vault), desk),
    earlier.length ? h("div", { class: "earlier" }, section("Earlier", earlier, desk), button("Forget these", clear, { class: "quiet" })) : null,
    hubs,
  );
}

function section(title: string, queries: readonly string[], desk: Desk): HTMLElement | null {
  if (queries.length === 0) return null;
  const links = queries.map((q) => h("li", {}, h("a", { href: desk.to("search", { q }), dir: "auto" }, q)));
  return h("section", {}, h("h2", {}, title), h("ul", { class: "asked" }, ...links));
}

/** Places to begin where one has no question: the notes that most others link to. */
async function showHubs(desk: Desk, el: HTMLElement): Promise<void> {
  if (!desk.has("graph_hubs")) return;
  try {
    const hubs = await desk.asking.hubs(HUBS);
    if (hubs.length) fill(el, h("h2", {}, "Where many links meet"), noteLinks(desk, hubs));
  } catch (error) {
    asServerError(error); // searching says what is wrong
  }
}
