/**
 * Ranking anew in the browser, from the scores that travel with every result (docs/search.md):
 *
 *     base  = (1 - mix) * keyword + mix * semantic         an absent score counts as 0
 *     score = base * served multipliers * tag * recency * graph / best
 *
 * `served` are the multipliers that the server applied; the three after it are the person's. With
 * the controls where they start, the order and the scores are the server's own.
 */

import type { Result, SearchReply } from "../app/contract";

export interface Controls {
  /** Share of meaning beside words, 0..1. */
  readonly mix: number;
  /** What a matching tag multiplies by, from 1. */
  readonly tag: number;
  /** How much a note of today gains, 0..1; it halves every `HALF_LIFE_DAYS`. */
  readonly recency: number;
  /** How much a note gains that is linked with the first ones, 0..1. */
  readonly graph: number;
}

export interface Remixed {
  readonly result: Result;
  readonly score: number;
  /** Its place in the server's order and in this one, from 1. */
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
  readonly tag: number;
  readonly recency: number;
  readonly graph: number;
}

export const HALF_LIFE_DAYS = 90;
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Where the controls stand to give what the server gave. */
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

/** All candidates in their new order. `nearness` tells how near a path is by links, 0..1. */
export function remix(
  results: readonly Result[],
  controls: Controls,
  words: ReadonlySet<string>,
  nearness: ReadonlyMap<string, number>,
  now: number,
): readonly Remixed[] {
  const weighed = results.map((result, n) => weigh(result, n, controls, words, nearness, now));
  const best = Math.max(...weighed.map(({ score }) => score), 1e-9);
  // Equal scores keep the server's order: sorting is stable.
  weighed.sort((one, other) => other.score - one.score);
  return weighed.map((one, n) => ({ ...one, score: one.score / best, place: n + 1 }));
}

function weigh(
  result: Result,
  n: number,
  controls: Controls,
  words: ReadonlySet<string>,
  nearness: ReadonlyMap<string, number>,
  now: number,
): Remixed {
  const { scores } = result;
  const age = ageInDays(result, now);
  const matchesTag = result.tags.some((tag) => tagWords(tag).some((word) => words.has(word)));
  const parts: Parts = {
    keyword: scores.keyword ?? 0,
    semantic: scores.semantic ?? 0,
    served: (scores.tag ?? 1) * (scores.recency ?? 1) * (scores.graph ?? 1),
    tag: matchesTag ? controls.tag : 1,
    recency: 1 + controls.recency * 0.5 ** (age / HALF_LIFE_DAYS),
    graph: 1 + controls.graph * (nearness.get(result.path) ?? 0),
  };
  const base = (1 - controls.mix) * parts.keyword + controls.mix * parts.semantic;
  const score = base * parts.served * parts.tag * parts.recency * parts.graph;
  return { result, score, served: n + 1, place: 0, matchesTag, isRecent: age < RECENT_DAYS, parts };
}

/** Infinite where no date is known: such a note gains nothing. */
function ageInDays({ modified, created }: Result, now: number): number {
  const at = Date.parse(modified ?? created ?? "");
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : Math.max(0, (now - at) / DAY_MS);
}

/** The words of a query that a tag may answer to. */
export function queryWords(query: string): ReadonlySet<string> {
  return new Set(query.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? []);
}

/** `bread/sourdough` answers to "bread" and to "sourdough". */
function tagWords(tag: string): string[] {
  return tag.toLowerCase().split("/");
}
