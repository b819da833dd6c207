/** The components of a score: each as a bar, a number and an explanation. */

import { h } from "../lib/dom";
import { HALF_LIFE_DAYS, type Addend, type Controls, type Remixed } from "../lib/remix";

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

function rows(one: Remixed, controls: Controls): Row[] {
  const { result, parts, score, served, place } = one;
  const { scores } = result;
  const all: (Row | null)[] = [
    ["Score", score, score.toFixed(3), place === served ? `rank ${place}` : `rank ${place}, ${served} from the server`],
    ...(parts.adds === null ? meanRows(one, controls) : sumRows(one, parts.adds)),
    multiplier("Tag", parts.tag * (scores.tag ?? 1), "a tag matches the query"),
    multiplier("Recent", parts.recency * (scores.recency ?? 1), `a boost that halves every ${HALF_LIFE_DAYS} days`),
    multiplier("Linked", parts.graph * (scores.graph ?? 1), "linked with the top notes"),
    scores.rerank === null ? null : ["Rerank", scores.rerank, scores.rerank.toFixed(3), "the score of the reranking model"],
  ];
  return all.filter((row) => row !== null);
}

function meanRows({ result: { raw }, parts }: Remixed, { mix }: Controls): Row[] {
  const share = Math.round(mix * 100);
  return [
    ["Words", parts.keyword, parts.keyword.toFixed(3), `${100 - share} % of it; ${rawText("BM25", raw.bm25)}`],
    ["Meaning", parts.semantic, parts.semantic.toFixed(3), `${share} % of it; ${rawText("cosine", raw.cosine)}`],
  ];
}

function sumRows({ result: { raw } }: Remixed, adds: Readonly<Record<Addend, number>>): Row[] {
  const addend = (name: string, value: number, about: string): Row => [name, value, `+ ${value.toFixed(3)}`, about];
  return [
    addend("Words", adds.words, rawText("BM25", raw.bm25)),
    addend("Meaning", adds.meaning, raw.cosine === null ? "not computed; as notes like it have" : rawText("cosine", raw.cosine)),
    addend("Coverage", adds.coverage, "how many of the query’s words the note has"),
    addend("Name", adds.names, adds.names > 0 ? "its name matches the query" : "no match"),
    addend("Links", adds.links, adds.links > 0 ? "the best notes link to it" : "none from the best notes"),
  ];
}

function multiplier(name: string, value: number, about: string): Row {
  return [name, null, `× ${value.toFixed(2)}`, value.toFixed(2) === "1.00" ? "no effect" : about];
}

function rawText(name: string, value: number | null): string {
  return value === null ? "no match" : `${name} ${value.toFixed(2)}`;
}
