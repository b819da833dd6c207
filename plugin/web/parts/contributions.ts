/** What each result's score is made of, as the server tells it. */

import type { Contribution } from "../../src/contract";
import { h } from "../lib/dom";
import { nameOf } from "../lib/words";
import { table } from "../views/manage/panel";

export function contributions(all: readonly Contribution[]): HTMLElement | null {
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
  const head = ["Note", "Score", "Sides", "Lifted by", "Words (BM25)", "Place after"];
  return h("section", {}, h("h2", {}, "What each score is made of"), table("Scores", head, rows));
}

function figures(values: Readonly<Record<string, number>>, shown: (value: number) => string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${shown(value)}`)
    .join(", ");
}
