/** The components of a score: each as a bar, a number and an explanation. */

import { h } from "../lib/dom";
import { HALF_LIFE_DAYS, type Addend, type Controls, type Remixed } from "../lib/remix";
import { number, t } from "../../src/texts";

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
    [t("Score"), score, number(score, 3), place === served ? t("rank {place}", { place }) : t("rank {place}, {served} from the server", { place, served })],
    ...(parts.adds === null ? meanRows(one, controls) : sumRows(one, parts.adds)),
    multiplier(t("Tag"), parts.tag * (scores.tag ?? 1), t("a tag matches the query")),
    multiplier(t("Recent"), parts.recency * (scores.recency ?? 1), t("a boost that halves every {days} days", { days: HALF_LIFE_DAYS })),
    multiplier(t("Linked"), parts.graph * (scores.graph ?? 1), t("linked with the top notes")),
    scores.rerank === null ? null : [t("Rerank"), scores.rerank, number(scores.rerank, 3), t("the score of the reranking model")],
  ];
  return all.filter((row) => row !== null);
}

function meanRows({ result: { raw }, parts }: Remixed, { mix }: Controls): Row[] {
  const share = Math.round(mix * 100);
  return [
    [t("Words"), parts.keyword, number(parts.keyword, 3), `${t("{share} % of it", { share: 100 - share })}; ${rawText("BM25", raw.bm25)}`],
    [t("Meaning"), parts.semantic, number(parts.semantic, 3), `${t("{share} % of it", { share })}; ${rawText("cosine", raw.cosine)}`],
  ];
}

function sumRows({ result: { raw } }: Remixed, adds: Readonly<Record<Addend, number>>): Row[] {
  const addend = (name: string, value: number, about: string): Row => [name, value, `+ ${number(value, 3)}`, about];
  return [
    addend(t("Words"), adds.words, rawText("BM25", raw.bm25)),
    addend(t("Meaning"), adds.meaning, raw.cosine === null ? t("not computed; as notes like it have") : rawText("cosine", raw.cosine)),
    addend(t("Coverage"), adds.coverage, t("how many of the query’s words the note has")),
    addend(t("Name"), adds.names, adds.names > 0 ? t("its name matches the query") : t("no match")),
    addend(t("Links"), adds.links, adds.links > 0 ? t("the best notes link to it") : t("none from the best notes")),
  ];
}

/** A multiplier; none where it does nothing. */
function multiplier(name: string, value: number, about: string): Row | null {
  return value.toFixed(2) === "1.00" ? null : [name, null, `× ${number(value, 2)}`, about];
}

function rawText(name: string, value: number | null): string {
  return value === null ? t("no match") : `${name} ${number(value, 2)}`;
}
