/** The words of the panel for questions: what happens, how far an answer can be trusted, what went wrong. */

import { badges, stepWords, stoppedText } from "../../askWords";
import type { ServerError } from "../../client";
import type { AskFailed, AskModelsReply, AskReply, AskStep } from "../../contract";
import { t } from "../../texts";

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "::1"];
/** What is sent, and where, before anything is. */
export function destinationText({ host }: Pick<AskModelsReply, "host">): string {
  const where = LOCAL_HOSTS.includes(host) ? t("on the server's own computer") : t("at {host}, outside the server's computer", { host });
  return t("Your question, the conversation and passages are sent to the model {where}.", { where });
}

/** What the model did, as “Searched “country loaf””, and what came of it. */
export function stepTexts(step: AskStep): readonly [what: string, outcome: string] {
  const { did, subject, result } = stepWords(step);
  return [`${did} “${subject}”`, result];
}

/** What is to be said of an answer before it is trusted. */
export function warningsOf(answer: AskReply): readonly string[] {
  const stopped = answer.cancelled ? [stoppedText(answer.answer)] : [];
  return [...stopped, ...badges(answer).map(([, text]) => text), ...answer.warnings];
}

const failures = (): Readonly<Record<string, string>> => ({
  ask_off: t("No language model is set up"),
  bad_config: t("The language model is not set up correctly"),
  provider_key: t("The language model rejected the key"),
  no_model: t("The provider has no suitable model"),
  provider_failed: t("The language model is not responding"),
  conversation_not_found: t("This conversation is no longer stored"),
  rate_limited: t("Too many questions"),
});

export function failureTitle({ code }: Pick<AskFailed, "code">): string {
  return failures()[code] ?? t("No answer");
}

/** The failure of a request as the event of an answer tells it. */
export function failureOf({ status, message }: ServerError): AskFailed {
  return { code: status === 429 ? "rate_limited" : "", detail: message };
}
