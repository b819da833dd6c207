/** A transport that uses the browser's fetch. */

import { ServerError, type HttpResponse, type Transport } from "../../src/client";
import { t } from "../../src/texts";
import { FIRST_VISIT_MS, isKept, keepAnswer } from "../lib/keptAnswers";
import { pageKeyHeaders } from "./pageKey";

/**
 * Makes a transport. A new search aborts the one in progress, so that the server does not work on
 * unfinished queries. `credentials`: whether the browser's
 * session is sent: the server's cookie and the page key.
 */
export function pageTransport(credentials: RequestCredentials): Transport {
  let searching: AbortController | null = null;
  return async ({ url, method, headers, body }) => {
    const isSearch = method === "GET" && /\/api\/search\?(?!.*\bexplain=true)/.test(url); // an explanation goes beside a list
    const control = isSearch ? new AbortController() : null;
    if (control) {
      searching?.abort();
      searching = control;
    }
    const session = credentials === "omit" ? {} : pageKeyHeaders();
    const init: RequestInit = { method, headers: { ...headers, ...session }, credentials, cache: "no-store" };
    if (body !== undefined) init.body = body;
    if (control) init.signal = control.signal;
    const isWithoutWorker = beforeWorker(); // as it is sent: an answer under way when the worker takes over does not pass through it
    const answer = await fetch(url, init).catch(unanswered);
    if (isWithoutWorker && credentials !== "omit" && method === "GET") keepFirstVisit(url, answer);
    return read(answer);
  };
}

/** The first visit begins before there is a service worker, which keeps answers: until it has taken over, the page does. */
function beforeWorker(): boolean {
  return "serviceWorker" in navigator && !navigator.serviceWorker.controller && performance.now() < FIRST_VISIT_MS;
}

function keepFirstVisit(url: string, answer: Response): void {
  if (!answer.ok || !isKept(new URL(url, location.href))) return;
  const copy = answer.clone();
  // Not before there is a worker: it is what forgets the answers when the browser is signed out.
  void navigator.serviceWorker.ready.then(() => keepAnswer(url, copy)).catch(() => undefined); // else another visit keeps it
}

/** Tells the page that the server does not answer; a search that another one replaced tells nothing. */
function unanswered(error: unknown): never {
  if (error instanceof TypeError) tell(true);
  throw error;
}

function tell(isCached: boolean): void {
  window.dispatchEvent(new CustomEvent("notewell-answer", { detail: { isCached } }));
}

/** Reads a response, and reports whether the service worker answered from its cache. */
async function read(answer: Response): Promise<HttpResponse> {
  tell(answer.headers.has("X-Notewell-Kept"));
  return { status: answer.status, text: await answer.text() };
}

/** The error of a request that was refused, from its problem document. */
export async function refusalIn(answer: Response): Promise<ServerError> {
  const kind = answer.status === 401 ? "unauthorized" : "refused";
  const body: unknown = await answer.json().catch(() => null); // a proxy may answer with anything
  const detail = (body as { detail?: unknown } | null)?.detail;
  return new ServerError(kind, typeof detail === "string" ? detail : t("Status {status}.", { status: answer.status }), answer.status);
}
