/** Sends a question to the language model and reads the stream of its answer. */

import { ServerError, type Endpoint } from "../../src/client";
import type { AskRequest } from "../../src/contract";
import { ShapeError } from "../../src/shape";
import { EventReader, type ServerEvent } from "../lib/sse";
import { askEvent, type AskEvent } from "../../src/askReplies";
import { pageKeyHeaders } from "./pageKey";
import { refusalIn } from "./transport";
import { t } from "../../src/texts";

/**
 * Sends a question, and calls `onEvent` for every event; the last one is an answer or an error.
 *
 * Authenticates with the token in `endpoint`, or else with the browser's session.
 *
 * Throws ServerError where the stream ends without either, and an AbortError where `signal` aborted
 * the request; the server then stops the model as well.
 */
export async function ask(
  endpoint: Endpoint,
  question: AskRequest,
  signal: AbortSignal,
  onEvent: (event: AskEvent) => void,
): Promise<void> {
  const answer = await send(endpoint, question, signal);
  if (!answer.ok || !answer.body) throw await refusalIn(answer);
  const reader = new EventReader();
  const pieces = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let hasEnded = false;
  for (let piece = await next(pieces, signal); piece !== null; piece = await next(pieces, signal)) {
    for (const event of reader.read(piece)) {
      const parsed = read(event);
      if (!parsed) continue;
      hasEnded ||= parsed.kind === "answer" || parsed.kind === "error";
      onEvent(parsed);
    }
  }
  if (!hasEnded) throw new ServerError("unreachable", t("The connection ended before the answer did."));
}

async function send({ url, token }: Endpoint, question: AskRequest, signal: AbortSignal): Promise<Response> {
  const headers = {
    "Content-Type": "application/json",
    Accept: "text/event-stream",
    ...(token ? { Authorization: `Bearer ${token}` } : pageKeyHeaders()),
  };
  const credentials = token ? "omit" : "same-origin";
  const body = JSON.stringify(question);
  try {
    return await fetch(`${url}/api/ask`, { method: "POST", headers, body, signal, credentials, cache: "no-store" });
  } catch (error) {
    throw unreachable(error, signal);
  }
}

async function next(pieces: ReadableStreamDefaultReader<string>, signal: AbortSignal): Promise<string | null> {
  try {
    const { done, value } = await pieces.read();
    return done ? null : value;
  } catch (error) {
    throw unreachable(error, signal);
  }
}

function unreachable(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return error;
  return new ServerError("unreachable", error instanceof Error ? error.message : String(error));
}

function read(event: ServerEvent): AskEvent | null {
  try {
    return askEvent(event.event, JSON.parse(event.data));
  } catch (error) {
    if (!(error instanceof ShapeError || error instanceof SyntaxError)) throw error;
    throw new ServerError("garbage", t("An event of the answer is not valid: {message}.", { message: error.message }));
  }
}
