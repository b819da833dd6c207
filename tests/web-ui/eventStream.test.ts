/** Following events with fetch: from a real server, across lost connections, until told to stop. */

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followEvents } from "../../plugin/web/app/eventStream";

let server: Server;
let url = "";
let asked: IncomingHttpHeaders[] = [];
let status = 200;

beforeEach(async () => {
  asked = [];
  status = 200;
  server = createServer((request, response) => {
    // The test's page is of another origin than the server.
    const open = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*, Last-Event-ID" };
    if (request.method === "OPTIONS") {
      response.writeHead(204, open).end();
      return;
    }
    asked.push(request.headers);
    response.writeHead(status, { ...open, "Content-Type": "text/event-stream" });
    const number = asked.length;
    response.end(`id: ${number}\nevent: generation\ndata: {"number": ${number}}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/events`;
});

afterEach(() => new Promise((resolve) => server.close(resolve)));

describe("following events", () => {
  it("connects again where a connection ended, from the last event on", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    await followEvents(
      url,
      stop.signal,
      ({ event, data }) => {
        seen.push(`${event} ${data}`);
        if (seen.length === 3) stop.abort();
      },
      0,
    );
    expect(seen).toEqual([1, 2, 3].map((number) => `generation {"number": ${number}}`));
    expect(asked.map((headers) => headers["last-event-id"])).toEqual([undefined, "1", "2"]);
  });

  it("ends where the server refuses", async () => {
    status = 401;
    await followEvents(url, new AbortController().signal, () => undefined, 0);
    expect(asked).toHaveLength(1);
  });
});
