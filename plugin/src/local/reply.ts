/** Replies of the plugin's own index, in the shape of the server's, so that the views need not tell them apart. */

import type { Passage, Reason, Result, SearchReply } from "../contract";
import type { Facts } from "./facts";
import type { Near } from "./meaning";
import { NO_ADDRESS } from "./passages";
import { t } from "../texts";

const NO_SCORES: Result["scores"] = {
  keyword: null,
  semantic: null,
  fused: null,
  tag: null,
  recency: null,
  graph: null,
  rerank: null,
  words: null,
  meaning: null,
  coverage: null,
  names: null,
  links: null,
  centrality: null,
  activation: null,
};

/** The generation of every reply that did not come from a server. */
export const LOCAL_GENERATION = -1;

export function isLocal({ generation }: Pick<SearchReply, "generation">): boolean {
  return generation === LOCAL_GENERATION;
}

/** An answer without a server, with how it was found, for people. */
export interface LocalReply extends SearchReply {
  readonly by: string;
}

export const wordsOnly = (): string => t("words only");

/** How an answer without a server was found. */
export function foundBy(reply: SearchReply): string {
  return "by" in reply ? String(reply.by) : wordsOnly();
}

/** A note that is found by its name alone. */
const BY_NAME: Passage = {
  heading: null,
  block: null,
  line: 1,
  snippet: "",
  highlights: [],
  score: 0,
  ...NO_ADDRESS,
};

/** `score`: 0..1. The first passage is the result's own. `coverage`: of the query's words, 1 where it has all of them. */
export function resultOf(facts: Facts, score: number, [first, ...others]: readonly Passage[], reasons: readonly Reason[] = [], coverage: number | null = null): Result {
  const own = first ?? BY_NAME;
  return {
    ...own,
    path: facts.path.normalize(), // as the server names it
    title: facts.title,
    description: null,
    score,
    scores: { ...NO_SCORES, keyword: score, coverage },
    raw: { bm25: null, cosine: null, mean_cosine: null },
    passages: others,
    tags: facts.tags,
    properties: facts.properties,
    created: new Date(facts.created).toISOString(),
    modified: new Date(facts.modified).toISOString(),
    uri: "",
    reasons,
    linked: null,
    duplicates: [],
    match: null,
    children: null,
    embedded_in: [],
    copies: [],
    current: null,
    as_of: null,
    vault: null,
    mtime: null,
  };
}

/** The result of a note that is near in meaning. */
export function nearResult(facts: Facts, { score, match }: Near, passage: Passage): Result {
  const unit = Math.min(1, Math.max(0, score));
  return { ...resultOf(facts, unit, [passage]), match, scores: { ...NO_SCORES, semantic: unit } };
}

export interface Found {
  readonly results: readonly Result[];
  readonly total: number;
  readonly warnings: readonly string[];
  readonly by: string;
}

export function replyOf(query: string, { results, total, warnings, by }: Found, began: number): LocalReply {
  return {
    by,
    query,
    vault: "",
    mode: "keyword",
    fusion: { method: "words", params: {} },
    expanded: [],
    corrected: null,
    filtered: {},
    generation: LOCAL_GENERATION,
    took_ms: performance.now() - began,
    total,
    confidence: null,
    results,
    warnings,
    approximate: false,
  };
}
