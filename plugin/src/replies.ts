/**
 * Checks the server's replies: the fields that the plugin reads, once, before the client
 * returns a reply. Values that are not in the contract are accepted, because a newer server
 * may send them. Does not depend on the app.
 */

import type {
  AcceptedReply,
  AroundReply,
  HealthReply,
  IndexProgress,
  LedgerReply,
  Problem,
  SearchReply,
  ServerWritesReply,
  StatusReply,
  SuggestReply,
  SyncReply,
  VaultView,
} from "./contract";
import { flag, list, mapping, maybe, nullable, number, object, partOf, range, text, type Shape } from "./shape";

const maybeText = maybe(text);
const maybeNumber = maybe(number);
const counts = mapping(number);

/** The contract's version in this code; `/api/health` has the server's. */
export const API = 1;

/** The features that the plugin needs; a server without one of them is too old. */
export const NEEDED_FEATURES = [
  "search",
  "similar_text",
  "ledger",
  "reindex",
  "changes",
  "sync",
  "guard",
  "queue_pause",
];

/** The part of a health reply that is the same in every version of the contract. */
export type Greeting = Pick<HealthReply, "api" | "version">;
export const greeting = partOf<Greeting>()({ api: number, version: text });
export const featureList = partOf<Pick<HealthReply, "features">>()({ features: list(text) });

/** A vault; servers of earlier versions leave the last two out. */
export type VaultInfo = Omit<VaultView, "served" | "past"> & Partial<Pick<VaultView, "served" | "past">>;
const vault = partOf<VaultInfo>()({
  id: text,
  name: text,
  path: text,
  open: flag,
  served: maybe(flag),
  past: maybe(flag),
  source: text,
});
export const vaults = object({ vaults: list(vault) });

/** Also the data of an event `progress`. */
export const indexProgress = partOf<IndexProgress>()({
  phase: text,
  notes_read: number,
  notes: number,
  passages_embedded: number,
  passages: number,
  eta_s: maybeNumber,
});

export const status = partOf<StatusReply>()({
  notes: number,
  chunks: number,
  generation: number,
  state: text,
  semantic: text,
  semantic_reason: maybeText,
  queue: object({ pending: number, failed: number, paused: flag, eta_s: maybeNumber }),
  progress: indexProgress,
  ledger: counts,
  guard: maybe(object({ gone: number, total: number, since: text })),
  problem: maybeText,
  server_writes: maybe(number),
});

const passage = {
  heading: maybeText,
  block: maybeText,
  parent: maybeText,
  line: number,
  snippet: text,
  highlights: list(range),
  score: number,
  page: maybeNumber,
  node: maybeText,
  id: maybe(text),
  hash: maybe(text),
  lines: maybe(range),
};
const scores = object({
  keyword: maybeNumber,
  semantic: maybeNumber,
  fused: maybeNumber,
  tag: maybeNumber,
  recency: maybeNumber,
  graph: maybeNumber,
  rerank: maybeNumber,
});
const results = list(
  object({
    ...passage,
    path: text,
    title: text,
    scores,
    raw: object({ bm25: maybeNumber, cosine: maybeNumber }),
    passages: list(object(passage)),
    modified: maybeText,
    mtime: maybe(text),
    embedded_in: maybe(list(text)),
    copies: maybe(list(text)),
    vault: maybe(text),
  }),
);
export const search = partOf<SearchReply>()({
  query: text,
  generation: number,
  total: number,
  confidence: maybeNumber,
  results,
  warnings: list(text),
});
/** The notes that belong to a paragraph. */
export const belonging = partOf<AroundReply>()({ results });

export const ledger = partOf<LedgerReply>()({
  entries: list(
    object({ path: text, state: text, rule: maybeText, reason: maybeText, attempts: number }),
  ),
});

/** The model that reads the languages of the notes, if another one does. */
export const suggestion = partOf<SuggestReply>()({
  model: text,
  suggestion: nullable(object({ name: text, reason: text })),
  service: maybe(
    object({ host: text, allowed: flag, sent: text, passages: number, tokens: number, dollars: nullable(number), prices_of: text }),
  ),
});

export const accepted = partOf<AcceptedReply>()({ accepted: number });

export const serverWrites = partOf<ServerWritesReply>()({
  changes: list(
    object({
      number,
      kind: text,
      path: text,
      content: nullable(text),
      hash: nullable(text),
      base_hash: nullable(text),
    }),
  ),
  waiting: number,
});

export const sync = partOf<SyncReply>()({ need: list(text), guard: flag });

/** A problem document (RFC 9457), which the server sends for every error. */
export const problem = partOf<Problem>()({ detail: text, code: text });

/** The one line that a server started with `--handshake` prints. */
export const handshake = object({ port: number, token: text, vaults: list(object({ id: text })) });
export type Handshake = Shape<typeof handshake>;

/** What it prints instead if it cannot serve; `in_use` comes with the other server's address. */
export const refusal = object({ error: maybe(text), url: maybe(text) });
