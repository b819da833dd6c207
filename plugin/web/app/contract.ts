/** What the pages read beyond the plugin's part of the contract, checked in the same way. */

import { searchShape, type SearchReply as PlainSearchReply } from "../../src/contract";
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
  text,
  type Check,
  type Shape,
} from "../../src/shape";

export type { LedgerReply, LedgerRow, Passage, Result, Status, VaultInfo } from "../../src/contract";

const stageShape = object({
  name: text,
  ms: number,
  count_in: number,
  count_out: number,
  removed: list(object({ reason: text, count: number, paths: optional(list(text)) })),
  top: list(text),
});
export type Stage = Shape<typeof stageShape>;

const contributionShape = object({
  path: text,
  score: number,
  ranks: mapping(nullable(number)),
  adds: mapping(number),
  times: mapping(number),
  words: mapping(number),
});
export type Contribution = Shape<typeof contributionShape>;

/** What a result of a search for likeness has more. */
export interface Kinship {
  readonly reasons?: readonly { readonly kind: string; readonly text: string }[];
}

const extraShape = object({
  explain: optional(
    object({ query: mapping(anything), stages: list(stageShape), results: optional(list(contributionShape)) }),
  ),
  query_id: optional(text),
});
export type SearchReply = PlainSearchReply & Shape<typeof extraShape>;
export const fullSearchShape: Check<SearchReply> = (value, at) => ({
  ...searchShape(value, at),
  ...extraShape(value, at),
});

const linkShape = object({
  path: nullable(text),
  target: text,
  display: nullable(text),
  heading: nullable(text),
  block: nullable(text),
  embed: flag,
  line: number,
});
export type Link = Shape<typeof linkShape>;

export const fullNoteShape = object({
  vault: text,
  path: text,
  title: text,
  aliases: list(text),
  tags: list(text),
  description: nullable(text),
  content: text,
  properties: mapping(anything),
  headings: list(object({ level: number, text, line: number })),
  links_out: list(linkShape),
  links_in: list(linkShape),
  created: nullable(text),
  modified: nullable(text),
  uri: text,
});
export type Note = Shape<typeof fullNoteShape>;

export const neighborsShape = object({
  path: text,
  total: number,
  neighbors: list(
    object({ path: text, title: text, hops: number, score: number, ways: number, link: nullable(text) }),
  ),
});
export type Neighbors = Shape<typeof neighborsShape>;

export const hubsShape = object({ hubs: list(object({ path: text, title: text, links_in: number })) });
export type Hub = Shape<typeof hubsShape>["hubs"][number];

export const neighborhoodShape = object({
  path: nullable(text),
  total: number,
  nodes: list(object({ path: text, title: text, hops: nullable(number), links: number })),
  links: list(list(number)),
  similar: list(list(number)),
  warnings: list(text),
});
export type Neighborhood = Shape<typeof neighborhoodShape>;

const datedShape = object({
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
export type DatedNote = Shape<typeof datedShape>;
const spanShape = object({ start: text, end: text, count: number });
export type Bucket = Shape<typeof spanShape>;

export const archaeologyShape = object({
  query: text,
  granularity: oneOf("day", "week", "month"),
  total: number,
  undated: number,
  first: nullable(text),
  last: nullable(text),
  intervals: list(spanShape),
  gaps: list(object({ start: text, end: text, days: number })),
  peaks: list(object({ start: text, end: text, count: number, notes: list(datedShape) })),
  buckets: list(spanShape),
  notes: list(datedShape),
  warnings: list(text),
});
export type Archaeology = Shape<typeof archaeologyShape>;

export const completeShape = object({
  completions: list(
    object({ kind: text, text, insert: text, start: number, count: number, path: nullable(text) }),
  ),
});
export type Completion = Shape<typeof completeShape>["completions"][number];

export const logShape = object({
  enabled: flag,
  total: number,
  entries: list(
    object({
      query_id: text,
      at: nullable(text),
      door: text,
      query: text,
      mode: text,
      took_ms: number,
      results: list(object({ path: text, score: number })),
      opened: list(object({ path: text, rank: nullable(number), at: nullable(text) })),
    }),
  ),
  verdicts: list(object({ query: text, path: text, verdict: text, at: nullable(text) })),
});
export type Log = Shape<typeof logShape>;

export const modelsShape = object({
  configured: text,
  answering: nullable(text),
  models: list(
    object({
      name: text,
      dimensions: number,
      max_tokens: number,
      languages: list(text),
      licence: text,
      download_mb: number,
      configured: flag,
      present: flag,
    }),
  ),
});
export type Models = Shape<typeof modelsShape>;

const settingShape = object({
  key: text,
  value: anything,
  running: anything,
  default: anything,
  source: text,
  writable: flag,
  reason: nullable(text),
});
export type Setting = Shape<typeof settingShape>;
export const configShape = object({ file: nullable(text), restart: flag, settings: list(settingShape) });
export type Config = Shape<typeof configShape>;

const countShape = object({ name: nullable(text), notes: number });
export const statsShape = object({
  notes: number,
  chunks: number,
  links: number,
  files: mapping(number),
  sizes: object({
    notes: number,
    median_note: number,
    index: number,
    largest: list(object({ path: text, bytes: number })),
  }),
  types: list(countShape),
  folders: list(countShape),
  tags: list(countShape),
  months: list(object({ month: text, created: number, modified: number })),
  models: list(object({ model: text, quantisation: text, vectors: number, answering: flag })),
});
export type Stats = Shape<typeof statsShape>;

export const sessionShape = object({ name: text, scope: oneOf("read", "write", "admin") });
export type Session = Shape<typeof sessionShape>;

/** Routes by path and method, each with the names of its parameters; all that is read of OpenAPI. */
export const openApiShape = object({
  paths: mapping(mapping(anything)),
});
