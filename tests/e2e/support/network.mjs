// HTTP for the page, made here as the app makes it outside the page: no cross-origin rules. Tests
// can put trouble on the line.

import { request } from "node:http";

export class Network {
  /** Every request that the plugin made: `{method, url, headers, body, status, text}`. */
  requests = [];
  /** Answers in the server's place, or waits: `(request) => answer | undefined`. */
  trouble = null;

  async request(request) {
    const entry = { ...request, url: new URL(request.url), status: 0, text: "" };
    this.requests.push(entry);
    const answer = (await this.trouble?.(entry)) ?? (await send(request));
    Object.assign(entry, answer);
    return answer;
  }

  /** The requests to one route, in order. */
  to(route) {
    return this.requests.filter(({ url }) => url.pathname === route);
  }

  /** What the server answered last on a route. */
  reply(route) {
    return JSON.parse(this.to(route).findLast(({ status }) => status !== 0).text);
  }
}

/** Nobody listens. */
export function refusing() {
  return { error: "net::ERR_CONNECTION_REFUSED" };
}

/** Somebody listens and never answers. */
export function hanging() {
  return new Promise(() => {});
}

/** An answer that is made up; an object is sent as JSON. */
export function answering(body, status = 200) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return () => ({ status, headers: {}, text });
}

function send({ url, method, headers, body }) {
  return new Promise((resolve) => {
    const outgoing = request(url, { method, headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (part) => (text += part));
      incoming.on("end", () => resolve({ status: incoming.statusCode, headers: incoming.headers, text }));
      incoming.on("error", (error) => resolve({ error: `net::ERR_EMPTY_RESPONSE ${error.code}` }));
    });
    outgoing.on("error", (error) => resolve({ error: `net::ERR_CONNECTION_REFUSED ${error.code}` }));
    outgoing.end(body);
  });
}
