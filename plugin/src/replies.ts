/**
 * Checks of the server's replies: of the fields that the plugin reads, once, before the client
 * returns a reply. A word that is not in the contract is no reason to refuse one, for a newer server
 * may send it. Knows nothing of the app.
 */

import type {
  AcceptedReply,
  HealthReply,
  LedgerReply,
  NoteReply,
  Problem,
  SearchReply,
  StatusReply,
  SyncReply,
  VaultView,
} from "./contract";
import { flag, list, mapping, maybe, number, object, partOf, range, text, type Shape } from "./shape";

const maybeText = maybe(text);
const maybeNumber = maybe(number);
const counts = mapping(number);

/** The contract that this code speaks; `/api/health` tells the server's. */
export const API = 1;

/** What no version of the server may lack; a server without one is too old for us. */
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

/** The part of a health reply that holds for every version of the contract. */
export type Greeting = Pick<HealthReply, "api" | "version">;
export const greeting = partOf<Greeting>()({ api: number, version: text });
export const featureList = partOf<Pick<HealthReply, "features">>()({ features: list(text) });

/** A vault; servers of an earlier version leave `served` out. */
export type VaultInfo = Omit<VaultView, "served"> & Partial<Pick<VaultView, "served">>;
const vault = partOf<VaultInfo>()({
  id: text,
  name: text,
  path: text,
  open: flag,
  served: maybe(flag),
  source: text,
});
export const vaults = object({ vaults: list(vault) });

export const status = partOf<StatusReply>()({
  notes: number,
  chunks: number,
  generation: number,
  state: text,
  semantic: text,
  semantic_reason: maybeText,
  queue: object({ pending: number, failed: number, paused: flag, eta_s: maybeNumber }),
  ledger: counts,
  guard: maybe(object({ gone: number, total: number, since: text })),
  problem: maybeText,
});

const passage = {
  heading: maybeText,
  block: maybeText,
  parent: maybeText,
  line: number,
  snippet: text,
  highlights: list(range),
  score: number,
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
export const search = partOf<SearchReply>()({
  query: text,
  generation: number,
  total: number,
  confidence: maybeNumber,
  results: list(
    object({
      ...passage,
      path: text,
      title: text,
      scores,
      raw: object({ bm25: maybeNumber, cosine: maybeNumber }),
      passages: list(object(passage)),
      modified: maybeText,
    }),
  ),
  warnings: list(text),
});

export const ledger = partOf<LedgerReply>()({
  entries: list(
    object({ path: text, state: text, rule: maybeText, reason: maybeText, attempts: number }),
  ),
});

/** The chunks of a note; servers of an earlier version leave them out. */
export type NoteChunks = Partial<Pick<NoteReply, "chunks">>;
export const noteChunks = partOf<NoteChunks>()({
  chunks: maybe(list(object({ heading: maybeText, line: number, chars: number }))),
});

export const accepted = partOf<AcceptedReply>()({ accepted: number });

export const sync = partOf<SyncReply>()({ need: list(text), guard: flag });

/** RFC 9457; every refusal of the server is one. */
export const problem = partOf<Problem>()({ detail: text });

/** The one line that a server started with `--handshake` prints. */
export const handshake = object({ port: number, token: text, vaults: list(object({ id: text })) });
export type Handshake = Shape<typeof handshake>;

/** What it prints instead where it cannot serve; `in_use` comes with the other server's address. */
export const refusal = object({ error: maybe(text), url: maybe(text) });
