/** Replies of the plugin's own index, in the shape of the server's, so that the views need not tell them apart. */

import type { Passage, Reason, Result, SearchReply } from "../contract";
import type { Facts } from "./facts";
import { NO_ADDRESS } from "./passages";

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

/** A note that is found by its name alone. */
const BY_NAME: Passage = {
  heading: null,
  block: null,
  parent: null,
  page: null,
  node: null,
  line: 1,
  snippet: "",
  highlights: [],
  score: 0,
  children: null,
  ...NO_ADDRESS,
};

/** `score`: 0..1. The first passage is the result's own. */
export function resultOf(facts: Facts, score: number, [first, ...others]: readonly Passage[], reasons: readonly Reason[] = []): Result {
  const own = first ?? BY_NAME;
  return {
    ...own,
    path: facts.path.normalize(), // as the server names it
    title: facts.title,
    description: null,
    score,
    scores: { ...NO_SCORES, keyword: score },
    raw: { bm25: null, cosine: null },
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
    vault: null,
    mtime: null,
  };
}

export function replyOf(query: string, results: readonly Result[], total: number, warnings: readonly string[], began: number): SearchReply {
  return {
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
  };
}
