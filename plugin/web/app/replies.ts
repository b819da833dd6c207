/** Checks of the replies that only the pages read, made in the same way as the plugin's. */

import type {
  ArchaeologyReply,
  AroundReply,
  BookmarksReply,
  BaseReply,
  CompanionsReply,
  CompleteReply,
  Diagnosis,
  HealthReply,
  HistoryReply,
  HubsReply,
  LocalModelsReply,
  NeighborhoodReply,
  NeighborsReply,
  NoteReply,
  PathReply,
  PhoneIndexReply,
  PlansReply,
  SearchReply,
  SessionReply,
} from "../../src/contract";
import {
  anything,
  flag,
  list,
  mapping,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partOf,
  range,
  text,
} from "../../src/shape";

export const health = partOf<HealthReply>()({
  status: text,
  version: text,
  api: number,
  features: list(text),
  auth: text,
});

const explanation = object({
  query: mapping(anything),
  stages: list(
    object({
      name: text,
      ms: number,
      count_in: number,
      count_out: number,
      removed: list(object({ reason: text, count: number, paths: optional(list(text)) })),
      top: list(text),
    }),
  ),
  results: optional(
    list(
      object({
        path: text,
        score: number,
        ranks: mapping(nullable(number)),
        adds: mapping(number),
        times: mapping(number),
        words: mapping(number),
      }),
    ),
  ),
});
const passage = {
  heading: nullable(text),
  block: nullable(text),
  parent: nullable(text),
  line: number,
  snippet: text,
  highlights: list(range),
  score: number,
  page: optional(nullable(number)),
};
const score = nullable(number); // null where it was not computed
const results = list(
  object({
    ...passage,
    path: text,
    title: text,
    description: nullable(text),
    scores: object({
      keyword: score,
      semantic: score,
      fused: score,
      tag: score,
      recency: score,
      graph: score,
      rerank: score,
      words: score,
      meaning: score,
      coverage: score,
      names: score,
      links: score,
    }),
    raw: object({ bm25: score, cosine: score }),
    passages: list(object(passage)),
    tags: list(text),
    properties: mapping(anything),
    created: nullable(text),
    modified: nullable(text),
    uri: text,
    vault: optional(nullable(text)),
    embedded_in: optional(list(text)),
    copies: optional(list(text)),
  }),
);

export const companions = partOf<CompanionsReply>()({
  companions: list(object({ result: object({ path: text, title: text, line: number, snippet: text }) })),
});

export const bookmarks = partOf<BookmarksReply>()({ notes: list(object({ path: text, title: text })) });

/** The notes that belong to a paragraph. */
export const around = partOf<AroundReply>()({ text, results });

export const search = partOf<SearchReply>()({
  query: text,
  vault: text,
  mode: oneOf("hybrid", "keyword", "semantic"),
  fusion: object({ method: text, params: mapping(anything) }),
  expanded: list(text),
  filtered: mapping(number),
  generation: number,
  took_ms: number,
  total: number,
  confidence: nullable(number),
  results,
  warnings: list(text),
  explain: optional(explanation),
  query_id: optional(text),
});

const link = object({
  path: nullable(text),
  target: text,
  display: nullable(text),
  heading: nullable(text),
  block: nullable(text),
  embed: flag,
  line: number,
});

export const note = partOf<NoteReply>()({
  vault: text,
  path: text,
  title: text,
  aliases: list(text),
  tags: list(text),
  description: nullable(text),
  content: text,
  properties: mapping(anything),
  headings: list(object({ level: number, text, line: number })),
  links_out: list(link),
  links_in: list(link),
  created: nullable(text),
  modified: nullable(text),
  uri: text,
  lines: optional(list(text)),
});

export const base = partOf<BaseReply>()({
  path: text,
  views: list(text),
  view: text,
  columns: list(text),
  rows: list(object({ path: text, cells: list(object({ text, path: nullable(text) })) })),
  total: number,
  problem: nullable(text),
});

export const neighbors = partOf<NeighborsReply>()({
  path: text,
  total: number,
  neighbors: list(
    object({ path: text, title: text, hops: number, score: number, ways: number, link: nullable(text) }),
  ),
});

export const hubs = partOf<HubsReply>()({ hubs: list(object({ path: text, title: text, links_in: number })) });

export const neighborhood = partOf<NeighborhoodReply>()({
  path: nullable(text),
  total: number,
  nodes: list(
    object({
      path: text,
      title: text,
      hops: nullable(number),
      links: number,
      tags: list(text),
      modified: nullable(text),
      community: nullable(number),
    }),
  ),
  links: list(range),
  similar: list(list(number)),
  warnings: list(text),
});

export const path = partOf<PathReply>()({
  length: nullable(number),
  steps: list(object({ path: text, title: text, link: nullable(oneOf("out", "in", "both")) })),
});

const datedNote = object({
  date: text,
  dated_by: text,
  path: text,
  title: text,
  heading: nullable(text),
  line: number,
  snippet: text,
  score: number,
  uri: text,
});
const bucket = object({ start: text, end: text, count: number });

export const archaeology = partOf<ArchaeologyReply>()({
  query: text,
  granularity: oneOf("day", "week", "month"),
  total: number,
  undated: number,
  first: nullable(text),
  last: nullable(text),
  intervals: list(bucket),
  gaps: list(object({ start: text, end: text, days: number })),
  peaks: list(object({ start: text, end: text, count: number, notes: list(datedNote) })),
  buckets: list(bucket),
  notes: list(datedNote),
  warnings: list(text),
});

export const diagnosis = partOf<Diagnosis>()({
  path: text,
  found: flag,
  why: text,
  mend: text,
  action: nullable(oneOf("reindex", "settings", "query", "weak", "everything", "log")),
  suggested: nullable(text),
});

const version = object({ commit: text, at: text, path: text, subject: text, added: list(text), removed: list(text) });

export const history = partOf<HistoryReply>()({ total: number, first: nullable(version), versions: list(version) });

export const complete = partOf<CompleteReply>()({
  completions: list(
    object({ kind: text, text, insert: text, start: number, count: number, path: nullable(text) }),
  ),
});

export const session = partOf<SessionReply>()({ name: text, scope: oneOf("read", "write", "admin") });

/** Of plans, what home tells: how many suggestions are in which state. */
export const planCounts = partOf<PlansReply>()({ plans: list(object({ counts: mapping(number) })) });

export const localModels = partOf<LocalModelsReply>()({
  found: list(object({ server: text, title: text, address: text, models: list(text) })),
});

const phoneIndexSize = object({ bytes: number, notes: number, passages: number, shortened: optional(nullable(text)) });
/** The file of vectors for phones. */
export const phoneIndex = partOf<PhoneIndexReply>()({
  on: flag,
  path: text,
  place: text,
  bytes: nullable(number),
  written: optional(nullable(text)),
  problem: optional(nullable(text)),
  expected: nullable(phoneIndexSize),
});
