/** The words of the panel for questions: what happens, how far an answer can be trusted, what went wrong. */

import { stepWords, stoppedText } from "../../askWords";
import type { ServerError } from "../../client";
import type { AskFailed, AskModelsReply, AskNotice, AskReply, AskStep } from "../../contract";

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"];
/** What is sent, and where, before anything is. */
export function destinationText({ host }: Pick<AskModelsReply, "host">): string {
  const where = LOCAL_HOSTS.includes(host) ? "on the server's own computer" : `at ${host}, outside the server's computer`;
  return `Your question, the conversation and passages of notes are sent to the model ${where}.`;
}

export function noticeText({ host, model, local, leaves }: AskNotice): string {
  const where = local ? `Sent to ${model} on the server's computer` : `Sent outside the server's computer, to ${model} at ${host}`;
  return `${where}: ${leaves}.`;
}

/** What the model did, as “Searched “country loaf””, and what came of it. */
export function stepTexts(step: AskStep): readonly [what: string, outcome: string] {
  const { did, subject, result } = stepWords(step);
  return [`${did} “${subject}”`, result];
}

/** Warnings about how far an answer can be trusted. */
export function warningsOf(answer: AskReply): readonly string[] {
  const { grounded, general, partial, cancelled, invalid, warnings } = answer;
  const isUncited = !grounded && !general && !cancelled && /\[\d{1,3}\]/.test(answer.answer);
  const all: [string, boolean | undefined][] = [
    [stoppedText(answer.answer), cancelled],
    ["Incomplete", partial && !cancelled],
    ["The model's own knowledge, not your notes", general],
    ["No citations: compare the answer with the sources", isUncited],
    ["A citation without a source was removed", invalid.length > 0],
  ];
  return [...all.filter(([, holds]) => holds).map(([text]) => text), ...warnings];
}

const FAILURES: Readonly<Record<string, string>> = {
  ask_off: "No language model is set up",
  bad_config: "The language model is not set up correctly",
  provider_key: "The language model rejected the key",
  no_model: "The provider has no suitable model",
  provider_failed: "The language model is not responding",
  conversation_not_found: "This conversation is no longer stored",
  rate_limited: "Too many questions",
};

export function failureTitle({ code }: Pick<AskFailed, "code">): string {
  return FAILURES[code] ?? "No answer";
}

/** The failure of a request as the event of an answer tells it. */
export function failureOf({ status, message }: ServerError): AskFailed {
  return { code: status === 429 ? "rate_limited" : "", detail: message };
}
