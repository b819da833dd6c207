/** The pipeline view: for each stage of a search its time, counts, changes of rank and removed notes. */

import { asServerError } from "../../src/client";
import type { Contribution, SearchReply, StageTrace } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { count, folderOf, ms, nameOf } from "../lib/words";
import { emptyBox, errorBox } from "../parts/errors";
import { formatValue } from "../parts/properties";
import { table } from "./manage/panel";

const STAGE_TEXTS: Readonly<Record<string, string>> = {
  parse: "The query is read: words, phrases, conditions.",
  filter: "Notes that do not meet the conditions are left out.",
  scope: "Kinds of notes that are left out by setting go.",
  explain: "All of this is put together.",
  expand: "Words that may mean the same are added.",
  embed: "The model turns the query into a vector.",
  retrieve: "Passages are found by words and by meaning.",
  fuse: "Both lists become one.",
  boost: "Tags, dates and links raise the scores of matching notes.",
  lift: "Tags, names, dates and links raise the scores of matching notes.",
  arrange: "Notes that say the same are put together.",
  rerank: "A second model reads the best again.",
  snippet: "The places that answer are cut out and marked.",
};

export class Pipeline implements View {
  readonly title = "Pipeline";
  readonly el = h("div", { class: "pipeline" });
  readonly #context: ViewContext;
  #shownQuestion = "";
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  show({ query }: Address): void {
    const question = JSON.stringify([this.#context.vault?.id, query["q"], query["mode"]]);
    if (question === this.#shownQuestion) return;
    this.#shownQuestion = question;
    void this.#explain(query["q"] ?? "", query["mode"]);
  }

  async #explain(q: string, mode: string | undefined): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    if (!q) {
      fill(this.el, emptyBox("What happens to a query?", "Search for something to see every step of it."));
      return;
    }
    try {
      const parameters = { limit: 20, explain: true, ...(mode ? { mode } : {}) };
      const reply = await this.#context.vaultClient.find(q, parameters);
      if (sequence === this.#sequence) fill(this.el, ...draw(reply));
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      fill(this.el, errorBox(asServerError(error), () => void this.#explain(q, mode)));
    }
  }
}

function draw(reply: SearchReply): (Node | null)[] {
  const stages = reply.explain?.stages ?? [];
  const longest = Math.max(...stages.map((stage) => stage.ms), 0.001);
  const moved = movements(stages);
  return [
    h("h1", { class: "unseen" }, "What happened to this query"),
    h(
      "p",
      { class: "summary" },
      h("strong", {}, ms(reply.took_ms)),
      ` from the query to ${count(reply.results.length, "note", "notes")}, by ${count(stages.length, "stage", "stages")}. `,
      h("span", { class: "faint" }, fusionText(reply)),
    ),
    queryDetails(reply),
    h("ol", { class: "stages" }, ...stages.map((stage, n) => stageRow(stage, longest, moved[n] ?? []))),
    contributions(reply.explain?.results ?? []),
    ...reply.warnings.map((text) => h("p", { class: "warning" }, text)),
  ];
}

function fusionText({ fusion }: SearchReply): string {
  const words = fusion.params["keyword_weight"];
  const meaning = fusion.params["semantic_weight"];
  if (typeof words !== "number" || typeof meaning !== "number") return `Fusion: ${fusion.method}.`;
  const share = Math.round((100 * meaning) / Math.max(words + meaning, 1e-9));
  return `Fusion: ${fusion.method}, words ${100 - share} %, meaning ${share} %.`;
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
    h("summary", {}, "How the query was understood, and weighed"),
    h("dl", {}, ...items),
  );
}

function stageRow(stage: StageTrace, longest: number, moved: readonly Moved[]): HTMLElement {
  const { name, count_in: into, count_out: out, removed } = stage;
  const left = removed.map(({ reason, count: n, paths }) =>
    h("li", { title: paths?.join("\n") }, `${n.toLocaleString()} × ${reason.replaceAll("_", " ")}`),
  );
  return h(
    "li",
    { class: "stage" },
    h(
      "div",
      { class: "stage-head" },
      h("h2", {}, name),
      h("span", { class: "number" }, ms(stage.ms)),
      h("span", { class: "bar", vars: { "--share": String(stage.ms / longest) } }),
      h("p", { class: "flow" }, flow(into, out)),
      h("p", { class: "faint about" }, STAGE_TEXTS[name] ?? ""),
      left.length ? h("ul", { class: "removed" }, h("li", { class: "faint" }, "Left out:"), ...left) : null,
    ),
    h("ol", { class: "tops" }, ...moved.map(topRow)),
  );
}

function flow(into: number, out: number): string {
  if (into === out && out <= 1) return "";
  return into === out ? out.toLocaleString() : `${into.toLocaleString()} → ${out.toLocaleString()}`;
}

function topRow({ path, by }: Moved): HTMLElement {
  const sign = by === null ? "new" : by > 0 ? `▲${by}` : by < 0 ? `▼${-by}` : "";
  const words = by === null ? "came in" : by > 0 ? `up ${by}` : by < 0 ? `down ${-by}` : "";
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

/** What each result's score is made of, as the server reports it. */
function contributions(all: readonly Contribution[]): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.map(({ path, score, ranks, adds, times, words }) => [
    h("span", { title: path }, nameOf(path)),
    score.toFixed(3),
    figures(adds, (value) => value.toFixed(3)),
    figures(times, (value) => `× ${value.toFixed(2)}`),
    figures(words, (value) => value.toFixed(2)),
    Object.entries(ranks)
      .map(([step, place]) => `${step} ${place ?? "–"}`)
      .join(", "),
  ]);
  const head = ["Note", "Score", "Added by", "Multiplied by", "Words (BM25)", "Place after"];
  return h("section", {}, h("h2", {}, "What each score is made of"), table("Scores", head, rows));
}

function figures(values: Readonly<Record<string, number>>, shown: (value: number) => string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${shown(value)}`)
    .join(", ");
}
