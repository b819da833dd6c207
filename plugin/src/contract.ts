/**
 * What the server answers, field by field. Knows nothing of the app. Added fields are tolerated,
 * missing ones are not.
 *
 * The plugin takes only the types from here, and checks at run time what it reads (replies.ts); web
 * pages check everything, and the tests hold both against the replies of the real server.
 */

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
  range,
  text,
  type Shape,
} from "./shape";

/** The part of a health reply that holds for every version of the contract. */
export const greetingShape = object({ api: number, version: text });
export type Greeting = Shape<typeof greetingShape>;

export const healthShape = object({
  status: text,
  version: text,
  api: number,
  features: list(text),
  auth: text,
});
export type Health = Shape<typeof healthShape>;

const vaultShape = object({
  id: text,
  name: text,
  path: text,
  default: flag,
  open: flag,
  source: oneOf("folder", "mirror"),
  served: optional(flag),
});
export type VaultInfo = Shape<typeof vaultShape>;
export const vaultsShape = object({ vaults: list(vaultShape) });

const ledgerState = oneOf("indexed", "pending", "failed", "excluded", "keyword_only");
export type LedgerState = Shape<typeof ledgerState>;

const guardShape = object({ gone: number, total: number, since: text });
export type Guard = Shape<typeof guardShape>;

export const statusShape = object({
  vault: text,
  notes: number,
  chunks: number,
  vectors: number,
  model: nullable(text),
  generation: number,
  state: oneOf("starting", "indexing", "ready", "degraded"),
  semantic: oneOf("ready", "partial", "unavailable"),
  semantic_reason: nullable(text),
  queue: object({
    pending: number,
    current: nullable(text),
    done: number,
    failed: number,
    paused: flag,
    eta_s: nullable(number),
  }),
  ledger: mapping(number),
  guard: nullable(guardShape),
  problem: nullable(text),
});
export type Status = Shape<typeof statusShape>;

const passageFields = {
  heading: nullable(text),
  block: nullable(text),
  parent: nullable(text),
  line: number,
  snippet: text,
  highlights: list(range),
  score: number,
};
const passageShape = object(passageFields);
export type Passage = Shape<typeof passageShape>;

const part = nullable(number); // null where it was not computed
const resultShape = object({
  ...passageFields,
  path: text,
  title: text,
  description: nullable(text),
  scores: object({
    keyword: part,
    semantic: part,
    fused: part,
    tag: part,
    recency: part,
    graph: part,
    rerank: part,
  }),
  raw: object({ bm25: part, cosine: part }),
  passages: list(passageShape),
  tags: list(text),
  properties: mapping(anything),
  created: nullable(text),
  modified: nullable(text),
  uri: text,
});
export type Result = Shape<typeof resultShape>;

const searchMode = oneOf("hybrid", "keyword", "semantic");
export type SearchMode = Shape<typeof searchMode>;

export const searchShape = object({
  query: text,
  vault: text,
  mode: searchMode,
  fusion: object({ method: text, params: mapping(anything) }),
  expanded: list(text),
  filtered: mapping(number),
  generation: number,
  took_ms: number,
  total: number,
  confidence: nullable(number),
  results: list(resultShape),
  warnings: list(text),
});
export type SearchReply = Shape<typeof searchShape>;

const ledgerRowShape = object({
  path: text,
  state: ledgerState,
  rule: nullable(text),
  reason: nullable(text),
  warnings: list(text),
  attempts: number,
  size: number,
  modified: nullable(text),
  updated: nullable(text),
});
export type LedgerRow = Shape<typeof ledgerRowShape>;

export const ledgerShape = object({
  vault: text,
  total: number,
  counts: mapping(number),
  entries: list(ledgerRowShape),
});
export type LedgerReply = Shape<typeof ledgerShape>;

/** As much of a note's reply as is used here. */
export const noteShape = object({
  chunks: optional(list(object({ heading: nullable(text), line: number, chars: number }))),
});
export type NoteReply = Shape<typeof noteShape>;

export const acceptedShape = object({ accepted: number, generation: number });
export type Accepted = Shape<typeof acceptedShape>;

export const syncShape = object({ need: list(text), gone: list(text), guard: flag });
export type SyncReply = Shape<typeof syncShape>;

/** RFC 9457; every refusal of the server is one. */
export const problemShape = object({
  type: text,
  title: text,
  status: number,
  detail: text,
  code: text,
});
export type Problem = Shape<typeof problemShape>;

/** The one line that a server started with `--handshake` prints. */
export const handshakeShape = object({
  port: number,
  token: text,
  api: number,
  version: text,
  pid: number,
  vaults: list(object({ id: text, name: text })),
});
export type Handshake = Shape<typeof handshakeShape>;

/** A change as `POST /api/changes` takes it; `content` goes to mirrors only. */
export interface Change {
  readonly kind: "create" | "modify" | "delete" | "rename";
  readonly path: string;
  readonly old_path?: string | undefined;
  readonly mtime?: number | undefined;
  readonly content?: string | undefined;
}
/** A file as `POST /api/sync` takes it: path, size in bytes, mtime in milliseconds. */
export type FileStamp = readonly [path: string, size: number, mtime: number];
