/** What asking a language model answers, checked as it comes. */

import {
  flag,
  list,
  maybe,
  nullable,
  number,
  object,
  range,
  text,
  type Check,
  type Shape,
} from "../../src/shape";
import type { ServerEvent } from "../lib/sse";

const foundShape = object({
  path: text,
  title: text,
  line: number,
  snippet: text,
  highlights: list(range),
});
export type Found = Shape<typeof foundShape>;

const stepShape = object({ n: number, tool: text, about: text, outcome: text });
export type Step = Shape<typeof stepShape>;

const noticeShape = object({ provider: text, host: text, model: text, local: flag, leaves: text, conversation: maybe(text) });
export type Notice = Shape<typeof noticeShape>;

const sourceShape = object({ n: number, path: text, title: text, uri: text, cited: flag, line: maybe(number) });
export type Source = Shape<typeof sourceShape>;

const answerShape = object({
  question: text,
  standalone: text,
  conversation: text,
  model: text,
  answer: text,
  sources: list(sourceShape),
  grounded: flag,
  general: flag,
  partial: flag,
  invalid: list(number),
  steps: number,
  warnings: list(text),
  cancelled: maybe(flag),
});
export type Answer = Shape<typeof answerShape>;

export const conversationShape = object({ conversation: text, turns: list(answerShape) });
export type Conversation = Shape<typeof conversationShape>;

const keptShape = object({ conversation: text, question: text, turns: number, asked: text });
export type KeptConversation = Shape<typeof keptShape>;
export const conversationsShape = object({ conversations: list(keptShape) });

const failedShape = object({ code: text, detail: text });
export type Failed = Shape<typeof failedShape>;

interface Events {
  readonly notice: Notice;
  readonly found: { readonly results: readonly Found[] };
  readonly step: Step;
  readonly text: { readonly text: string };
  readonly answer: Answer;
  readonly error: Failed;
}
export type AskEvent = { [K in keyof Events]: { readonly kind: K; readonly data: Events[K] } }[keyof Events];

const EVENTS: { readonly [K in keyof Events]: Check<Events[K]> } = {
  notice: noticeShape,
  found: object({ results: list(foundShape) }),
  step: stepShape,
  text: object({ text }),
  answer: answerShape,
  error: failedShape,
};

/** An event of an answer; null for a kind that these pages do not know. Throws ShapeError, SyntaxError. */
export function askEvent({ event, data }: ServerEvent): AskEvent | null {
  if (!Object.hasOwn(EVENTS, event)) return null;
  const kind = event as keyof Events;
  return { kind, data: EVENTS[kind](JSON.parse(data), kind) } as AskEvent;
}

export const askModelsShape = object({
  provider: text,
  host: text,
  chosen: nullable(text),
  budget_tokens: nullable(number),
  age_s: number,
  models: list(object({ name: text, rank: number, input_limit: number, output_limit: nullable(number), known: flag })),
});
export type AskModels = Shape<typeof askModelsShape>;

export const savedShape = object({ vault: text, path: text, undo: nullable(number) });
export type Saved = Shape<typeof savedShape>;
