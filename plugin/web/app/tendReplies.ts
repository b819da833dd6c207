/** Checks of the replies about runs and saved links. */

import type {
  ExtractReply,
  GleaningReply,
  GleaningsReply,
  GleaningStatsReply,
  RunsReply,
  RunView,
} from "../../src/contract";
import { list, mapping, nullable, number, object, oneOf, partOf, text } from "../../src/shape";

const kind = oneOf("index", "reconcile", "extract", "maintain", "plan", "sync", "phone", "table");

const oneRun = {
  id: text,
  kind,
  trigger: oneOf("schedule", "manual", "watch", "client"),
  started: nullable(text),
  ended: nullable(text),
  result: oneOf("running", "done", "cancelled", "failed"),
  counts: mapping(number),
  errors: list(object({ path: nullable(text), why: text })),
};

export const run = partOf<RunView>()(oneRun);

export const runs = partOf<RunsReply>()({
  vault: text,
  runs: list(object(oneRun)),
  next: list(object({ what: kind, at: nullable(text) })),
});

const view = object({
  id: text,
  title: text,
  url: text,
  domain: text,
  description: text,
  created: nullable(text),
  source: text,
  line: number,
  days: list(text),
  status: oneOf("active", "inactive", "hidden"),
  reason: text,
  note: nullable(text),
});

export const gleanings = partOf<GleaningsReply>()({ vault: text, gleanings: list(view), total: number });

const change = object({ at: nullable(text), status: oneOf("active", "inactive", "hidden"), reason: text, by: text });

export const gleaning = partOf<GleaningReply>()({ vault: text, gleaning: view, history: list(change) });

export const gleaningStats = partOf<GleaningStatsReply>()({
  vault: text,
  total: number,
  extracted: number,
  statuses: mapping(number),
  domains: list(object({ domain: text, count: number })),
});

export const extracted = partOf<ExtractReply>()({
  vault: text,
  run: text,
  files: number,
  found: number,
  created: number,
  skipped: number,
  ids: list(text),
  errors: number,
  undo: nullable(number),
});
