/** Checks of the gardener's replies. Names of checks are any text: a server may know more than this program. */

import type { GardenModelReply, GardenReply, PlanReply, PlansReply, RejectionsReply, RejectReply } from "../../../../src/contract";
import { flag, list, mapping, nullable, number, object, oneOf, partOf, text, type Check } from "../../../../src/shape";

const suggestion = object({
  id: text,
  check: text,
  path: text,
  title: text,
  evidence: text,
  confidence: number,
  edit: list(object({ path: text })),
  diff: text,
  state: oneOf("open", "applied", "rejected", "refused"),
  why: text,
});

const summary = {
  id: text,
  created: text,
  note: nullable(text),
  checks: list(text),
  counts: mapping(number) as Check<Readonly<Record<string, number | undefined>>>,
  more: number,
};

export const plan = partOf<PlanReply>()({ vault: text, ...summary, suggestions: list(suggestion) });

export const plans = partOf<PlansReply>()({
  vault: text,
  plans: list(object(summary)),
  checks: list(object({ name: text, finds: text, usual: flag })),
});

export const model = partOf<GardenModelReply>()({
  host: text,
  local: flag,
  model: text,
  notes: number,
  waiting: number,
  tokens: number,
  dollars: nullable(number),
  prices_of: text,
  sent: text,
});

export const done = partOf<GardenReply>()({
  vault: text,
  plan: text,
  applied: list(text),
  refused: list(object({ id: text, why: text })),
  undo: nullable(number),
});

export const rejected = partOf<RejectReply>()({ vault: text, plan: text, rejected: list(text), deleted: flag });

export const rejections = partOf<RejectionsReply>()({
  vault: text,
  rejections: list(object({ id: text, check: text, path: text, title: text, at: text })),
  total: number,
});

