/** The browser's own HTTP. */

import type { HttpResponse, Transport } from "../../src/client";

/**
 * A transport of this page. A search that is asked while one is under way ends that one, so that a
 * server is not kept busy with half-typed words. `credentials`: whether the server's cookie goes along.
 */
export function pageTransport(credentials: RequestCredentials): Transport {
  let searching: AbortController | null = null;
  return async ({ url, method, headers, body }) => {
    const isSearch = method === "GET" && /\/api\/search\?/.test(url);
    const control = isSearch ? new AbortController() : null;
    if (control) {
      searching?.abort();
      searching = control;
    }
    const init: RequestInit = { method, headers, credentials, cache: "no-store" };
    if (body !== undefined) init.body = body;
    if (control) init.signal = control.signal;
    const answer = await fetch(url, init);
    return read(answer);
  };
}

/** Says as well whether the service worker answered in place of a server that is not there. */
async function read(answer: Response): Promise<HttpResponse> {
  const detail = { isKept: answer.headers.has("X-Notewell-Kept") };
  window.dispatchEvent(new CustomEvent("notewell-answer", { detail }));
  return { status: answer.status, text: await answer.text() };
}
