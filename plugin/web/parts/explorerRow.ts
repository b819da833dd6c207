/** A result in the explorer: its rank and the change of rank, its scores as bars, and what raised it. */

import type { ViewContext } from "../app/viewContext";
import { h } from "../lib/dom";
import { obsidianLink } from "../lib/links";
import type { Parts, Remixed } from "../lib/remix";
import { ago } from "../lib/format";
import { noteAddress, passageText } from "./resultRow";
import { number, t } from "../../src/texts";

export function explorerRow(context: ViewContext, one: Remixed): HTMLElement {
  const { result, place, score, parts } = one;
  const changed = result.modified ?? result.created;
  const link = h(
    "a",
    {
      href: noteAddress(context, result.path),
      "data-result": result.path,
      "data-uri": obsidianLink(result.uri),
      dir: "auto",
    },
    result.title,
  );
  return h(
    "li",
    { class: "result mixed" },
    h("p", { class: "place" }, String(place), movement(one)),
    h(
      "div",
      { class: "mixed-body" },
      h("h2", {}, link, h("span", { class: "score" }, number(score, 3))),
      bars(...halves(parts)),
      passageText(result, result.title),
      h(
        "p",
        { class: "meta" },
        ...result.tags.slice(0, 4).map((tag) => h("span", { class: "tag", dir: "auto" }, `#${tag}`)),
        one.matchesTag && h("span", { class: "lift" }, t("tag matches")),
        changed && h("time", { datetime: changed }, ago(changed)),
        one.isRecent && h("span", { class: "lift" }, t("recent")),
      ),
    ),
  );
}

/** How far a result moved from the server's order. */
export function movement({ served, place }: Pick<Remixed, "served" | "place">): HTMLElement | null {
  const by = served - place;
  if (by === 0) return null;
  const words = by > 0 ? t("up {n}", { n: by }) : t("down {n}", { n: -by });
  return h(
    "span",
    { class: by > 0 ? "moved is-up" : "moved is-down" },
    h("span", { "aria-hidden": "true" }, by > 0 ? `▲${by}` : `▼${-by}`),
    h("span", { class: "unseen" }, words),
  );
}

/** What the words and what the meaning say, 0..1; of a sum, their shares of the score. */
function halves({ adds, keyword, semantic }: Parts): [number, number] {
  return adds === null ? [keyword, semantic] : [adds.words + adds.coverage + adds.names, adds.meaning];
}

function bars(keyword: number, semantic: number): HTMLElement {
  const label = t("words {keyword}, meaning {semantic}", { keyword: number(keyword, 2), semantic: number(semantic, 2) });
  return h(
    "div",
    { class: "twin", role: "img", "aria-label": label, title: label },
    h("span", { class: "bar is-keyword", vars: { "--share": String(keyword) } }),
    h("span", { class: "bar is-semantic", vars: { "--share": String(semantic) } }),
  );
}
