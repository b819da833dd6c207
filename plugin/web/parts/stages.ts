/** How a search went: for each stage of a search its time, counts, changes of rank and removed notes. */

import type { Contribution, SearchReply, StageTrace } from "../../src/contract";
import { h } from "../lib/dom";
import { count, folderOf } from "../../src/format";
import { ms, nameOf } from "../lib/format";
import { areSums } from "../lib/remix";
import { table } from "../views/manage/panel";
import { formatValue } from "./properties";
import { number, t } from "../../src/texts";

const stageTexts = (): Readonly<Record<string, string>> => ({
  parse: t("The query is parsed into words, phrases and filters."),
  filter: t("Notes that do not match the filters are left out."),
  scope: t("Kinds of notes that the settings exclude are left out."),
  explain: t("The details of each score are collected."),
  expand: t("Related words are added to the query."),
  embed: t("The model computes the query’s vector."),
  retrieve: t("Passages are found by words and by meaning."),
  "best passage": t("Notes are ordered by their best passage."),
  fusion: t("Words, meaning and coverage are added up."),
  names: t("Notes that the query names rise."),
  "names and tags": t("Notes that the query names, and tags in it, rise."),
  links: t("Notes that the best ones link to rise."),
  "links and folders": t("Links from the best notes, and folders, raise scores."),
  neighbours: t("Notes that the best ones link to are added."),
  dates: t("Notes of the time in the query, or recent ones, rise."),
  folders: t("The weights of folders apply."),
  "least score": t("Notes below the least score are left out."),
  relevance: t("Weak matches are left out."),
  collapse: t("Notes with nearly the same text as a better one are left out."),
  limit: t("The first notes are kept."),
  arrange: t("Notes with nearly the same text are grouped."),
  rerank: t("A second model scores the top results again."),
  snippet: t("The best passages are selected, and their matches marked."),
});

export function stagesOf(reply: SearchReply): (Node | null)[] {
  const stages = reply.explain?.stages ?? [];
  const longest = Math.max(...stages.map((stage) => stage.ms), 0.001);
  const moved = movements(stages);
  return [
    h(
      "p",
      { class: "summary" },
      h("strong", {}, ms(reply.took_ms)),
      ` ${t("for {notes}, in {stages}.", { notes: count(reply.results.length, "note", "notes"), stages: count(stages.length, "stage", "stages") })}  `,
      h("span", { class: "faint" }, fusionText(reply)),
    ),
    queryDetails(reply),
    h("ol", { class: "stages" }, ...stages.map((stage, n) => stageRow(stage, longest, moved[n] ?? []))),
    contributions(reply.explain?.results ?? []),
  ];
}

function fusionText({ fusion, results }: SearchReply): string {
  if (areSums(results)) return t("Fusion: {method}, a sum of words, meaning, coverage, names and links.", { method: fusion.method });
  const words = fusion.params["keyword_weight"];
  const meaning = fusion.params["semantic_weight"];
  if (typeof words !== "number" || typeof meaning !== "number") return t("Fusion: {method}.", { method: fusion.method });
  const share = Math.round((100 * meaning) / Math.max(words + meaning, 1e-9));
  return t("Fusion: {method}, words {words} %, meaning {meaning} %.", { method: fusion.method, words: 100 - share, meaning: share });
}

function queryDetails(reply: SearchReply): HTMLElement | null {
  const query = Object.entries(reply.explain?.query ?? {}).filter(([, value]) => formatValue(value) !== "–");
  const rows = [...query, ...Object.entries(reply.fusion.params)];
  if (rows.length === 0) return null;
  const items = rows.map(([name, value]) =>
    h("div", {}, h("dt", {}, name.replaceAll("_", " ")), h("dd", { dir: "auto" }, formatValue(value))),
  );
  return h(
    "details",
    { class: "properties" },
    h("summary", {}, t("Parsed query and weights")),
    h("dl", {}, ...items),
  );
}

function stageRow(stage: StageTrace, longest: number, moved: readonly Moved[]): HTMLElement {
  const { name, count_in: into, count_out: out, removed } = stage;
  const left = removed.map(({ reason, count: n, paths }) =>
    h("li", { title: paths?.join("\n") }, `${number(n)} × ${reason.replaceAll("_", " ")}`),
  );
  return h(
    "li",
    { class: "stage" },
    h(
      "div",
      { class: "stage-head" },
      h("h3", {}, name),
      h("span", { class: "number" }, ms(stage.ms)),
      h("span", { class: "bar", vars: { "--share": String(stage.ms / longest) } }),
      h("p", { class: "flow" }, flow(into, out)),
      h("p", { class: "faint about" }, stageTexts()[name] ?? ""),
      left.length ? h("ul", { class: "removed" }, h("li", { class: "faint" }, t("Left out:")), ...left) : null,
    ),
    h("ol", { class: "tops" }, ...moved.map(topRow)),
  );
}

function flow(into: number, out: number): string {
  if (into === out && out <= 1) return "";
  return into === out ? number(out) : `${number(into)} → ${number(out)}`;
}

function topRow({ path, by }: Moved): HTMLElement {
  const sign = by === null ? t("new") : by > 0 ? `▲${by}` : by < 0 ? `▼${-by}` : "";
  const words = by === null ? t("new") : by > 0 ? t("up {n}", { n: by }) : by < 0 ? t("down {n}", { n: -by }) : "";
  const kind = by === null || by > 0 ? "is-up" : "is-down";
  return h(
    "li",
    {},
    h("span", { dir: "auto", title: path }, nameOf(path)),
    sign ? h("span", { class: `moved ${kind}`, role: "img", "aria-label": words }, sign) : null,
    h("span", { class: "folder", dir: "auto" }, folderOf(path)),
  );
}

export interface Moved {
  readonly path: string;
  readonly place: number;
  /** Ranks gained since the stage before; null where it was not among the top then. */
  readonly by: number | null;
}

/** The top notes of each stage, compared with the last stage before that has any. */
export function movements(stages: readonly StageTrace[]): readonly (readonly Moved[])[] {
  let before: ReadonlyMap<string, number> | null = null;
  return stages.map(({ top }) => {
    const known = before;
    const moved = top.map((path, n): Moved => {
      const was = known?.get(path);
      const by = known === null ? 0 : was === undefined ? null : was - n;
      return { path, place: n + 1, by };
    });
    if (top.length) before = new Map(top.map((path, n) => [path, n]));
    return moved;
  });
}

/** The components of each result's score, as the server reports them. */
function contributions(all: readonly Contribution[]): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.map(({ path, score, ranks, adds, times, words, fields, stages }) => [
    h("span", { title: path }, nameOf(path)),
    number(score, 3),
    figures(adds, (value) => number(value, 3)),
    figures(times, (value) => `× ${number(value, 2)}`),
    figures(words, (value) => number(value, 2)),
    figures(fields ?? {}, (value) => `${Math.round(100 * value)} %`),
    figures(stages ?? {}, (value) => number(value, 2)),
    Object.entries(ranks)
      .map(([step, place]) => `${step} ${place ?? "–"}`)
      .join(", "),
  ]);
  const head = [t("Note"), t("Score"), t("Added by"), t("Multiplied by"), t("Words (BM25)"), t("Fields that say the query"), t("Score after"), t("Rank after")];
  return h("section", {}, h("h3", {}, t("Components of each score")), table(t("Scores"), head, rows));
}

function figures(values: Readonly<Record<string, number>>, shown: (value: number) => string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${shown(value)}`)
    .join(", ");
}
