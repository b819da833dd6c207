/** Checks of the replies about asking a language model, and of the events of an answer. */

import type {
  AskConversationReply,
  AskConversationsReply,
  AskEventKind,
  AskEventsReply,
  AskFailed,
  AskFound,
  AskModelsReply,
  AskNotice,
  AskPermission,
  AskReply,
  AskSavedReply,
  AskStep,
  AskText,
  EvidenceReply,
  QuestionsReply,
} from "./contract";
import { anything, flag, list, maybe, nullable, number, object, partOf, range, text, type Check } from "./shape";

const found = partOf<AskFound>()({
  results: list(object({ path: text, title: text, line: number, snippet: text, highlights: list(range) })),
});

const quote = { path: text, title: text, line: number };

/** Sentences of notes that answer a question, or the passages nearest to it: no language model is asked. */
export const evidence = partOf<EvidenceReply>()({
  said: flag,
  answers: list(object({ ...quote, text, confidence: number })),
  nearest: list(object({ ...quote, snippet: text })),
});

/** Of questions that wait, what home tells. */
export const newAnswers = partOf<QuestionsReply>()({ new: number });

const step = partOf<AskStep>()({
  n: number,
  tool: text,
  about: text,
  outcome: text,
  code: maybe(text),
  output: maybe(text),
});

const notice = partOf<AskNotice>()({
  provider: text,
  host: text,
  model: text,
  local: flag,
  leaves: text,
  conversation: maybe(text),
});

const source = object({ n: number, path: text, title: text, uri: text, cited: flag, line: maybe(number) });

const answer = partOf<AskReply>()({
  question: text,
  standalone: text,
  conversation: text,
  model: text,
  answer: text,
  sources: list(source),
  grounded: flag,
  general: flag,
  partial: flag,
  invalid: list(number),
  steps: number,
  warnings: list(text),
  cancelled: maybe(flag),
});

export const conversation = partOf<AskConversationReply>()({ conversation: text, turns: list(answer) });

export const conversations = partOf<AskConversationsReply>()({
  conversations: list(object({ conversation: text, question: text, turns: number, asked: text })),
});

/** What the event of each kind holds. */
interface EventData {
  readonly notice: AskNotice;
  readonly found: AskFound;
  readonly step: AskStep;
  readonly permission: AskPermission;
  readonly text: AskText;
  readonly answer: AskReply;
  readonly error: AskFailed;
}
export type AskEvent = { [K in AskEventKind]: { readonly kind: K; readonly data: EventData[K] } }[AskEventKind];

const EVENTS: { readonly [K in AskEventKind]: Check<EventData[K]> } = {
  notice,
  found,
  step,
  permission: partOf<AskPermission>()({ id: text, address: text, host: text }),
  text: partOf<AskText>()({ text }),
  answer,
  error: partOf<AskFailed>()({ code: text, detail: text }),
};

/** An event of an answer; null for a kind that this version does not know. Throws ShapeError. */
export function askEvent(event: string, data: unknown): AskEvent | null {
  if (!Object.hasOwn(EVENTS, event)) return null;
  const kind = event as AskEventKind;
  return { kind, data: EVENTS[kind](data, kind) } as AskEvent;
}

/** The next events of an answer; what each holds is checked by `askEvent`. */
export const events = partOf<AskEventsReply>()({
  id: text,
  events: list(object({ id: number, event: text, data: anything })),
  done: flag,
});

export const models = partOf<AskModelsReply>()({
  provider: text,
  host: text,
  chosen: nullable(text),
  budget_tokens: nullable(number),
  age_s: number,
  models: list(object({ name: text, rank: number, input_limit: number, output_limit: nullable(number), known: flag })),
});

export const saved = partOf<AskSavedReply>()({ vault: text, path: text, undo: nullable(number) });
