/**
 * Ranks results again in the browser, from the scores in every result (docs/search.md):
 *
 *     base  = (1 - mix) * keyword + mix * semantic         an absent score counts as 0
 *     score = base * served * rest * tag * recency * graph / best
 *
 * `served` is the product of the server's multipliers; tag, recency and graph are set by the controls.
 * `rest` covers everything else the server did to this result, such as reranking: its served score
 * divided by the formula's score at the controls' start. So with the controls at their start, order
 * and scores are the server's.
 */

import type { Result, SearchReply } from "../../src/contract";

export interface Controls {
  /** The weight of semantic scores, 0..1; the rest is for keywords. */
  readonly mix: number;
  /** The multiplier for a matching tag, at least 1. */
  readonly tag: number;
  /** The gain of a note changed today, 0..1; it halves every `HALF_LIFE_DAYS`. */
  readonly recency: number;
  /** The gain of a note linked with the first results, 0..1. */
  readonly graph: number;
}

export interface Remixed {
  readonly result: Result;
  readonly score: number;
  /** The rank in the server's order; `place` is the rank in this one. Both count from 1. */
  readonly served: number;
  readonly place: number;
  readonly matchesTag: boolean;
  readonly isRecent: boolean;
  readonly parts: Parts;
}

export interface Parts {
  readonly keyword: number;
  readonly semantic: number;
  readonly served: number;
  readonly rest: number;
  readonly tag: number;
  readonly recency: number;
  readonly graph: number;
}

export const HALF_LIFE_DAYS = 90;
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** The controls that reproduce the server's ranking. */
export function servedControls(reply: Pick<SearchReply, "mode" | "fusion">): Controls {
  return { mix: servedMix(reply), tag: 1, recency: 0, graph: 0 };
}

function servedMix({ mode, fusion }: Pick<SearchReply, "mode" | "fusion">): number {
  if (mode === "keyword") return 0;
  if (mode === "semantic") return 1;
  const words = Number(fusion.params["keyword_weight"] ?? 0.5);
  const meaning = Number(fusion.params["semantic_weight"] ?? 0.5);
  return words + meaning > 0 ? meaning / (words + meaning) : 0.5;
}

/** What a remix needs in addition to the results. */
export interface Frame {
  /** Where the controls started. */
  readonly start: Controls;
  /** Words of the query that a tag can match. */
  readonly words: ReadonlySet<string>;
  /** Link proximity to the first results by path, 0..1. */
  readonly proximity: ReadonlyMap<string, number>;
  readonly now: number;
}

/** All candidates in their new order. */
export function remix(results: readonly Result[], controls: Controls, frame: Frame): readonly Remixed[] {
  const startScores = results.map((result) => mixed(result, frame.start.mix) * multipliers(result));
  const first = Math.max(...startScores, 1e-9);
  const scored = results.map((result, n) => {
    const formula = (startScores[n] ?? 0) / first;
    const rest = formula > 1e-6 ? result.score / formula : 1;
    return scoreResult(result, n, controls, rest, frame);
  });
  const best = Math.max(...scored.map(({ score }) => score), 1e-9);
  // Equal scores keep the server's order: sorting is stable.
  scored.sort((one, other) => other.score - one.score);
  return scored.map((one, n) => ({ ...one, score: one.score / best, place: n + 1 }));
}

function mixed({ scores }: Result, mix: number): number {
  return (1 - mix) * (scores.keyword ?? 0) + mix * (scores.semantic ?? 0);
}

function multipliers({ scores }: Result): number {
  return (scores.tag ?? 1) * (scores.recency ?? 1) * (scores.graph ?? 1);
}

function scoreResult(result: Result, n: number, controls: Controls, rest: number, frame: Frame): Remixed {
  const { scores } = result;
  const age = ageInDays(result, frame.now);
  const matchesTag = result.tags.some((tag) => tagWords(tag).some((word) => frame.words.has(word)));
  const parts: Parts = {
    keyword: scores.keyword ?? 0,
    semantic: scores.semantic ?? 0,
    served: multipliers(result),
    rest,
    tag: matchesTag ? controls.tag : 1,
    recency: 1 + controls.recency * 0.5 ** (age / HALF_LIFE_DAYS),
    graph: 1 + controls.graph * (frame.proximity.get(result.path) ?? 0),
  };
  const own = parts.tag * parts.recency * parts.graph;
  const score = mixed(result, controls.mix) * parts.served * rest * own;
  return { result, score, served: n + 1, place: 0, matchesTag, isRecent: age < RECENT_DAYS, parts };
}

/** Infinite where no date is known: such a note gains nothing. */
function ageInDays({ modified, created }: Result, now: number): number {
  const at = Date.parse(modified ?? created ?? "");
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : Math.max(0, (now - at) / DAY_MS);
}

/** The words of a query that a tag can match. */
export function queryWords(query: string): ReadonlySet<string> {
  return new Set(query.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? []);
}

/** `bread/sourdough` matches "bread" and "sourdough". */
function tagWords(tag: string): string[] {
  return tag.toLowerCase().split("/");
}
