import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client, ServerError, type RequestEntry, type Transport } from "../../plugin/src/client";
import { FakeServer, problem, TOKEN } from "./samples";

const ENDPOINT = { url: "http://127.0.0.1:8765", token: TOKEN };

function clientOf(transport: Transport, log: RequestEntry[] = []): Client {
  return new Client(transport, (entry) => log.push(entry), ENDPOINT).ofVault("v1");
}

function failure(promise: Promise<unknown>): Promise<ServerError> {
  return promise.then(
    () => Promise.reject(new Error("it should have failed")),
    (error: unknown) => error as ServerError,
  );
}

describe("requests", () => {
  it("carry token, vault and query, all escaped", async () => {
    const server = new FakeServer();
    await clientOf(server.transport).search("a&b=ü #x", { limit: 5, mode: "keyword" });
    const [request] = server.asked("/api/search");
    const { searchParams } = new URL(request?.url ?? "");
    expect(Object.fromEntries(searchParams)).toEqual({
      q: "a&b=ü #x",
      vault: "v1",
      limit: "5",
      mode: "keyword",
    });
    expect(request?.headers["Authorization"]).toBe(`Bearer ${TOKEN}`);
  });

  it("leave out what is not given", async () => {
    const server = new FakeServer();
    await clientOf(server.transport).similar("Bees.md", { limit: 3 });
    expect(server.seen[0]?.url).not.toContain("unlinked");
  });

  it("send the vault in the body of a POST", async () => {
    const server = new FakeServer();
    await clientOf(server.transport).changes([{ kind: "delete", path: "Bees.md" }]);
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({
      vault: "v1",
      changes: [{ kind: "delete", path: "Bees.md" }],
    });
  });
});

describe("failures", () => {
  it("tell what a problem document says", async () => {
    const server = new FakeServer();
    server.routes["/api/search"] = () => problem(400, "query_too_long", "Too long.");
    const error = await failure(clientOf(server.transport).search("x", { limit: 1 }));
    expect(error).toMatchObject({ kind: "refused", status: 400 });
    expect(error.message).toBe("Too long.");
  });

  it("tell a wrong token apart, even where something in between answers", async () => {
    const bare: Transport = () => Promise.resolve({ status: 401, text: "<h1>no</h1>" });
    expect((await failure(clientOf(bare).status())).kind).toBe("unauthorized");
  });

  it.each([
    ["not JSON", { status: 200, text: "<html>" }],
    ["another shape", { status: 200, text: "{}" }],
    ["an error that is no problem document", { status: 500, text: "[]" }],
  ])("call %s garbage", async (_, answer) => {
    expect((await failure(clientOf(() => Promise.resolve(answer)).status())).kind).toBe("garbage");
  });

  it("tell when nobody listens", async () => {
    const server = new FakeServer();
    server.down = true;
    const error = await failure(clientOf(server.transport).status());
    expect(error).toMatchObject({ kind: "unreachable", message: "net::ERR_CONNECTION_REFUSED" });
  });
});

describe("time limit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends a call that hangs, and a late failure of it harms nobody", async () => {
    let giveUp: (reason: Error) => void = () => undefined;
    const hanging: Transport = () => new Promise((_, reject) => (giveUp = reject));
    const waiting = failure(clientOf(hanging).status());
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await waiting).kind).toBe("timeout");
    giveUp(new Error("late"));
    await vi.advanceTimersByTimeAsync(0);
  });
});

describe("the log of requests", () => {
  it("is told of each, without query, path or token", async () => {
    const log: RequestEntry[] = [];
    const server = new FakeServer();
    const client = clientOf(server.transport, log);
    await client.status();
    await client.search("my secret thought", { limit: 1 });
    server.down = true;
    await failure(client.similar("Diary/Monday.md", { limit: 1 }));
    expect(log.map(({ route, outcome }) => [route, outcome])).toEqual([
      ["GET /api/status", "200"],
      ["GET /api/search", "200"],
      ["GET /api/similar", "unreachable"],
    ]);
    expect(JSON.stringify(log)).not.toMatch(/secret|Diary/);
  });
});
