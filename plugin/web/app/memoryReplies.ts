/** Checks of the replies about memories. */

import type {
  MemoryChangedReply,
  MemoryForgottenReply,
  MemoryHealthReply,
  MemoryInspectReply,
  MemoryListReply,
  MemoryType,
  RecallReply,
} from "../../src/contract";
import { flag, list, mapping, nullable, number, object, oneOf, partOf, text } from "../../src/shape";

export const TYPES = ["preference", "decision", "pattern", "session", "file_context", "fact", "golden_rule"] as const satisfies readonly MemoryType[];

const relation = object({ kind: text, target: text, path: nullable(text), weight: number });

const memory = object({
  id: text,
  path: text,
  title: text,
  content: text,
  type: text,
  namespace: text,
  importance: number,
  confidence: number,
  golden: flag,
  provenance: nullable(text),
  created: nullable(text),
  accessed: nullable(text),
  access_count: number,
  relations: list(relation),
  warnings: list(text),
});

export const memories = partOf<MemoryListReply>()({
  folder: nullable(text),
  total: number,
  namespaces: mapping(number),
  memories: list(memory),
  warnings: list(text),
});

const recalledMemory = object({
  memory,
  score: number,
  parts: object({ similarity: number, confidence: number, importance: number, recency: number, standing: number }),
  why: text,
  depth: number,
  via: nullable(text),
  superseded_by: list(text),
  contradicted_by: list(text),
});

const recalledNote = object({ path: text, title: text, line: number, snippet: text, memories: list(object({ id: text, kind: text })) });

export const recall = partOf<RecallReply>()({
  query: text,
  total: number,
  memories: list(recalledMemory),
  warnings: list(text),
  notes: list(recalledNote),
});

const validation = object({
  at: text,
  id: text,
  title: text,
  kind: oneOf("stored", "granted", "applied", "helped", "failed", "other"),
  before: nullable(number),
  after: nullable(number),
  comment: text,
});

export const inspect = partOf<MemoryInspectReply>()({ memory, related_from: list(relation), history: list(validation) });

const ailing = object({ id: text, path: text, reason: text });

export const health = partOf<MemoryHealthReply>()({
  total: number,
  golden: number,
  by_type: mapping(number),
  average_confidence: nullable(number),
  contradictions: list(object({ one: text, other: text, stated: flag, reason: text })),
  stale: list(ailing),
  orphaned: list(ailing),
  doubles: list(ailing),
  unreadable: list(ailing),
});

export const changed = partOf<MemoryChangedReply>()({ memory, existing: flag, undo: nullable(number) });
export const forgotten = partOf<MemoryForgottenReply>()({ id: nullable(text), path: nullable(text), undo: nullable(number) });
