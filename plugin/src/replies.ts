/**
 * The rules of speaking with the server, and the checks that every answer passes once, at the client's
 * door: of the fields that the plugin reads. A word it does
 * not know is no reason to refuse an answer. Knows nothing of the app.
 */

import type {
  Greeting,
  Handshake,
  LedgerReply,
  NoteReply,
  Problem,
  SearchReply,
  Status,
  SyncReply,
  VaultInfo,
} from "./contract";
import {
  flag,
  list,
  mapping,
  maybe,
  number,
  object,
  range,
  text,
  type Check,
} from "./shape";

const maybeText = maybe(text);
const counts = mapping(number);
const parts = mapping(maybe(number));

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
export const hello: Check<Greeting> = object({ api: number, version: text });
export const featureList = object({ features: list(text) });

export const vaults = object({
  vaults: list(
    object({ id: text, name: text, path: text, open: flag, served: maybe(flag), source: text }),
  ),
}) as Check<unknown> as Check<{ readonly vaults: readonly VaultInfo[] }>;

export const status = object({
  notes: number,
  chunks: number,
  generation: number,
  state: text,
  semantic: text,
  semantic_reason: maybeText,
  queue: object({ pending: number, failed: number, paused: flag, eta_s: maybe(number) }),
  ledger: counts,
  guard: maybe(object({ gone: number, total: number, since: text })),
  problem: maybeText,
}) as Check<unknown> as Check<Status>;

const passage = {
  heading: maybeText,
  block: maybeText,
  parent: maybeText,
  line: number,
  snippet: text,
  highlights: list(range),
  score: number,
};
export const search = object({
  query: text,
  generation: number,
  total: number,
  confidence: maybe(number),
  results: list(
    object({
      ...passage,
      path: text,
      title: text,
      scores: parts,
      raw: parts,
      passages: list(object(passage)),
      modified: maybeText,
    }),
  ),
  warnings: list(text),
}) as Check<unknown> as Check<SearchReply>;

export const ledger = object({
  entries: list(
    object({ path: text, state: text, rule: maybeText, reason: maybeText, attempts: number }),
  ),
}) as Check<unknown> as Check<LedgerReply>;

export const note = object({
  chunks: maybe(list(object({ heading: maybeText, line: number, chars: number }))),
}) as Check<NoteReply>;

/** An acknowledgement. */
export const accepted = object({ accepted: number });

export const sync = object({ need: list(text), guard: flag }) as Check<unknown> as Check<SyncReply>;

/** RFC 9457; every refusal of the server is one. */
export const problem = object({ detail: text }) as Check<unknown> as Check<Problem>;

/** The one line that a server started with `--handshake` prints. */
export const handshake = object({
  port: number,
  token: text,
  vaults: list(object({ id: text })),
}) as Check<unknown> as Check<Handshake>;

/** What it prints instead where it cannot serve; `in_use` comes with the other server's address. */
export const refusal = object({ error: maybe(text), url: maybe(text) });
