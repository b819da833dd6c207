/** What the server answers about memories. */

import { flag, list, mapping, nullable, number, object, oneOf, text, type Shape } from "../../src/shape";

export const TYPES = ["preference", "decision", "pattern", "session", "file_context", "fact", "golden_rule"] as const;

const relationShape = object({ kind: text, target: text, path: nullable(text), weight: number });
export type Relation = Shape<typeof relationShape>;

const memoryShape = object({
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
  relations: list(relationShape),
  warnings: list(text),
});
export type Memory = Shape<typeof memoryShape>;

export const memoryListShape = object({
  folder: nullable(text),
  total: number,
  namespaces: mapping(number),
  memories: list(memoryShape),
  warnings: list(text),
});
export type MemoryList = Shape<typeof memoryListShape>;

const recalledShape = object({
  memory: memoryShape,
  score: number,
  parts: object({ similarity: number, confidence: number, importance: number, recency: number, standing: number }),
  why: text,
  depth: number,
  via: nullable(text),
  superseded_by: list(text),
  contradicted_by: list(text),
});
export type Recalled = Shape<typeof recalledShape>;

export const recallShape = object({ query: text, total: number, memories: list(recalledShape), warnings: list(text) });
export type Recall = Shape<typeof recallShape>;

const validationShape = object({
  at: text,
  id: text,
  title: text,
  kind: oneOf("stored", "applied", "helped", "failed", "other"),
  before: nullable(number),
  after: nullable(number),
  comment: text,
});
export type Validation = Shape<typeof validationShape>;

export const inspectShape = object({ memory: memoryShape, related_from: list(relationShape), history: list(validationShape) });
export type Inspected = Shape<typeof inspectShape>;

const ailingShape = object({ id: text, path: text, reason: text });
export type Ailing = Shape<typeof ailingShape>;

export const memoryHealthShape = object({
  total: number,
  golden: number,
  by_type: mapping(number),
  average_confidence: nullable(number),
  contradictions: list(object({ one: text, other: text, stated: flag, reason: text })),
  stale: list(ailingShape),
  orphaned: list(ailingShape),
  doubles: list(ailingShape),
  unreadable: list(ailingShape),
});
export type MemoryHealth = Shape<typeof memoryHealthShape>;

export const changedShape = object({ memory: memoryShape, existing: flag, undo: nullable(number) });
export const forgottenShape = object({ id: text, path: text, undo: nullable(number) });
