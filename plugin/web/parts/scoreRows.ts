/** The components of a score: each as a bar, a number and an explanation. */

import { h } from "../lib/dom";
import { HALF_LIFE_DAYS, type Controls, type Remixed } from "../lib/remix";

type Row = readonly [name: string, bar: number | null, number: string, about: string];

export function scoreRows(one: Remixed, controls: Controls): HTMLElement {
  const items = rows(one, controls).map(([name, bar, number, about]) =>
    h(
      "div",
      { class: "score-row" },
      h("dt", {}, name),
      h(
        "dd",
        {},
        h("span", { class: "number" }, number),
        bar === null ? null : h("span", { class: `bar is-${name.toLowerCase()}`, vars: { "--share": String(Math.min(1, bar)) } }),
        h("span", { class: "faint" }, about),
      ),
    ),
  );
  return h("dl", { class: "scores" }, ...items);
}

function rows({ result, parts, score, served, place }: Remixed, controls: Controls): Row[] {
  const { raw, scores } = result;
  const share = Math.round(controls.mix * 100);
  const all: (Row | null)[] = [
    ["Score", score, score.toFixed(3), place === served ? `place ${place}` : `place ${place}, served at ${served}`],
    ["Words", parts.keyword, parts.keyword.toFixed(3), `${100 - share} % of it; ${rawText("BM25", raw.bm25)}`],
    ["Meaning", parts.semantic, parts.semantic.toFixed(3), `${share} % of it; ${rawText("cosine", raw.cosine)}`],
    multiplier("Tag", parts.tag * (scores.tag ?? 1), "a tag says what the query says"),
    multiplier("Recent", parts.recency * (scores.recency ?? 1), `a gain that halves in ${HALF_LIFE_DAYS} days`),
    multiplier("Linked", parts.graph * (scores.graph ?? 1), "near the first notes by links"),
    scores.rerank === null ? null : ["Rerank", scores.rerank, scores.rerank.toFixed(3), "as the second model reads it"],
  ];
  return all.filter((row) => row !== null);
}

function multiplier(name: string, value: number, about: string): Row {
  return [name, null, `× ${value.toFixed(2)}`, value.toFixed(2) === "1.00" ? "changes nothing" : about];
}

function rawText(name: string, value: number | null): string {
  return value === null ? `not found by it` : `${name} ${value.toFixed(2)}`;
}
