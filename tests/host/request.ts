/** `requestUrl`: made by the test process, as the app's own is made outside the page. */

import type { RequestUrlParam, RequestUrlResponse, RequestUrlResponsePromise } from "obsidian";
import { bridge } from "./bridge";

class RequestError extends Error {
  constructor(readonly status: number) {
    super(`Request failed, status ${status}`);
  }
}

async function ask(asked: RequestUrlParam | string): Promise<RequestUrlResponse> {
  const request = typeof asked === "string" ? { url: asked } : asked;
  if (request.body instanceof ArrayBuffer) throw new Error("The host sends text only.");
  const headers: Record<string, string> = { ...request.headers };
  if (request.contentType) headers["Content-Type"] = request.contentType;
  const answer = await bridge.request({
    url: request.url,
    method: request.method ?? "GET",
    headers,
    body: request.body ?? null,
  });
  if ("error" in answer) throw new Error(answer.error);
  const { status, text } = answer;
  if (request.throw !== false && status >= 400) throw new RequestError(status);
  return {
    status,
    headers: answer.headers,
    text,
    arrayBuffer: new TextEncoder().encode(text).buffer,
    get json(): unknown {
      return JSON.parse(text) as unknown;
    },
  };
}

export function requestUrl(request: RequestUrlParam | string): RequestUrlResponsePromise {
  const answer = ask(request);
  const part = <K extends keyof RequestUrlResponse>(name: K) => ({
    get: () => answer.then((response) => response[name]),
  });
  return Object.defineProperties(answer, {
    text: part("text"),
    json: part("json"),
    arrayBuffer: part("arrayBuffer"),
  }) as RequestUrlResponsePromise;
}
