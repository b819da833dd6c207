/**
 * Ranking anew in the browser, from the scores that travel with every result (docs/search.md):
 *
 *     base  = (1 - mix) * keyword + mix * semantic         an absent score counts as 0
 *     score = base * served * rest * tag * recency * graph / best
 *
 * `served` are the multipliers that the server applied; the three at the end are the person's.
 * `rest` is what else the server did to this result, such as reading it again by a second model: the
 * served score by the one that the formula gives where the controls start. So with the controls
 * there, the order and the scores are the server's own, whatever it did.
 */

import type { Result, SearchReply } from "../../src/contract";

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
  readonly rest: number;
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

/** What a remix needs beside the results. */
export interface Frame {
  /** Where the controls started. */
  readonly start: Controls;
  /** Words of the query that a tag may answer to. */
  readonly words: ReadonlySet<string>;
  /** How near a path is by links, 0..1. */
  readonly nearness: ReadonlyMap<string, number>;
  readonly now: number;
}

/** All candidates in their new order. */
export function remix(results: readonly Result[], controls: Controls, frame: Frame): readonly Remixed[] {
  const begun = results.map((result) => mixed(result, frame.start.mix) * multipliers(result));
  const first = Math.max(...begun, 1e-9);
  const weighed = results.map((result, n) => {
    const formula = (begun[n] ?? 0) / first;
    const rest = formula > 1e-6 ? result.score / formula : 1;
    return weigh(result, n, controls, rest, frame);
  });
  const best = Math.max(...weighed.map(({ score }) => score), 1e-9);
  // Equal scores keep the server's order: sorting is stable.
  weighed.sort((one, other) => other.score - one.score);
  return weighed.map((one, n) => ({ ...one, score: one.score / best, place: n + 1 }));
}

function mixed({ scores }: Result, mix: number): number {
  return (1 - mix) * (scores.keyword ?? 0) + mix * (scores.semantic ?? 0);
}

function multipliers({ scores }: Result): number {
  return (scores.tag ?? 1) * (scores.recency ?? 1) * (scores.graph ?? 1);
}

function weigh(result: Result, n: number, controls: Controls, rest: number, frame: Frame): Remixed {
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
    graph: 1 + controls.graph * (frame.nearness.get(result.path) ?? 0),
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

/** The words of a query that a tag may answer to. */
export function queryWords(query: string): ReadonlySet<string> {
  return new Set(query.toLowerCase().match(/[\p{L}\p{N}_-]{2,}/gu) ?? []);
}

/** `bread/sourdough` answers to "bread" and to "sourdough". */
function tagWords(tag: string): string[] {
  return tag.toLowerCase().split("/");
}
