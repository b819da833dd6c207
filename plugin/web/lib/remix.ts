/**
 * Ranks results again in the browser, from the scores in every result (docs/search.md). By the
 * reply's method, the base of a score is
 *
 *     a sum:      words + meaning + coverage + names + links      each times its control, 1 as served
 *     a mean:     (1 - mix) * keyword + mix * semantic            an absent score counts as 0
 *
 *     score = base * served * rest * tag * recency * graph / best
 *
 * `served` is the product of the server's multipliers; tag, recency and graph are set by the controls.
 * `rest` covers everything else the server did to this result, such as reranking: its served score
 * divided by the formula's score at the controls' start. The best score is kept. So with the controls
 * at their start, order and scores are the server's.
 */

import type { Result, Scores, SearchReply } from "../../src/contract";

export const ADDENDS = ["words", "meaning", "coverage", "names", "links"] as const;
export type Addend = (typeof ADDENDS)[number];

export interface Controls extends Readonly<Record<Addend, number>> {
  /** Of a mean: the weight of semantic scores, 0..1; the rest is for keywords. */
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
  /** The addends of the score before it is multiplied, on the score's own scale; null of a mean. */
  readonly adds: Readonly<Record<Addend, number>> | null;
  readonly served: number;
  readonly rest: number;
  readonly tag: number;
  readonly recency: number;
  readonly graph: number;
}

export const HALF_LIFE_DAYS = 90;
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;
const TINY = 1e-9;
const AS_SERVED: Readonly<Record<Addend, number>> = { words: 1, meaning: 1, coverage: 1, names: 1, links: 1 };

/** The controls that reproduce the server's ranking. */
export function servedControls(reply: Pick<SearchReply, "mode" | "fusion">): Controls {
  return { ...AS_SERVED, mix: servedMix(reply), tag: 1, recency: 0, graph: 0 };
}

function servedMix({ mode, fusion }: Pick<SearchReply, "mode" | "fusion">): number {
  if (mode === "keyword") return 0;
  if (mode === "semantic") return 1;
  const words = Number(fusion.params["keyword_weight"] ?? 0.5);
  const meaning = Number(fusion.params["semantic_weight"] ?? 0.5);
  return words + meaning > 0 ? meaning / (words + meaning) : 0.5;
}

/** Whether the scores are sums of addends; older servers and fixed methods give means. */
export function areSums(results: readonly Pick<Result, "scores">[]): boolean {
  return results.some(({ scores }) => typeof scores.words === "number");
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
  const sums = areSums(results);
  const startScores = results.map(({ scores }) => formula(scores, frame.start, sums));
  const first = Math.max(...startScores, TINY);
  const scored = results.map((result, n) => {
    const expected = (startScores[n] ?? 0) / first;
    const rest = expected > 1e-6 ? result.score / expected : 1;
    return scoreResult(result, n, controls, { rest, sums, frame });
  });
  // As good as the best one was: the server may have left out a note with a better score.
  const scale = Math.max(...results.map(({ score }) => score), 0) / Math.max(...scored.map(({ score }) => score), TINY);
  // Equal scores keep the server's order: sorting is stable.
  scored.sort((one, other) => other.score - one.score);
  return scored.map((one, n) => ({ ...one, score: one.score * scale, place: n + 1, parts: scaled(one.parts, scale) }));
}

/** A score as the server computes it before reranking, times `fusion.params.best`. */
export function formula(scores: Scores, controls: Controls, sums: boolean): number {
  return base(scores, controls, sums) * multipliers(scores);
}

function base(scores: Scores, controls: Controls, sums: boolean): number {
  if (!sums) return (1 - controls.mix) * (scores.keyword ?? 0) + controls.mix * (scores.semantic ?? 0);
  return ADDENDS.reduce((sum, name) => sum + controls[name] * (scores[name] ?? 0), 0);
}

function multipliers(scores: Scores): number {
  return (scores.tag ?? 1) * (scores.recency ?? 1) * (scores.graph ?? 1);
}

interface Given {
  readonly rest: number;
  readonly sums: boolean;
  readonly frame: Frame;
}

function scoreResult(result: Result, n: number, controls: Controls, { rest, sums, frame }: Given): Remixed {
  const { scores } = result;
  const age = ageInDays(result, frame.now);
  const matchesTag = result.tags.some((tag) => tagWords(tag).some((word) => frame.words.has(word)));
  const parts: Parts = {
    keyword: scores.keyword ?? 0,
    semantic: scores.semantic ?? 0,
    adds: sums ? weighted(scores, controls) : null,
    served: multipliers(scores),
    rest,
    tag: matchesTag ? controls.tag : 1,
    recency: 1 + controls.recency * 0.5 ** (age / HALF_LIFE_DAYS),
    graph: 1 + controls.graph * (frame.proximity.get(result.path) ?? 0),
  };
  const own = parts.tag * parts.recency * parts.graph;
  const score = formula(scores, controls, sums) * rest * own;
  return { result, score, served: n + 1, place: 0, matchesTag, isRecent: age < RECENT_DAYS, parts };
}

function weighted(scores: Scores, controls: Controls): Record<Addend, number> {
  const of = (name: Addend): number => controls[name] * (scores[name] ?? 0);
  return { words: of("words"), meaning: of("meaning"), coverage: of("coverage"), names: of("names"), links: of("links") };
}

function scaled(parts: Parts, scale: number): Parts {
  if (parts.adds === null) return parts;
  const { words, meaning, coverage, names, links } = parts.adds;
  const adds = { words: words * scale, meaning: meaning * scale, coverage: coverage * scale, names: names * scale, links: links * scale };
  return { ...parts, adds };
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
