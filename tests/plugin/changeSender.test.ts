import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChangeQueue } from "../../plugin/src/changes";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import type { FileStamp } from "../../plugin/src/client";
import type { Change } from "../../plugin/src/contract";
import { ChangeSender } from "../../plugin/src/changeSender";
import { aVault, FakeServer, problem, TOKEN } from "./samples";

let server: FakeServer;
let connection: Connection;
let queue: ChangeQueue;
let sender: ChangeSender;
let notes: Map<string, string>;
let uploads: [url: string, notes: number][];
let mayUpload: boolean;
let askedAboutGone: number;

function begin(): void {
  connection.begin();
  sender.begin();
}

function change(path: string): void {
  queue.modified(path);
  sender.wake();
}

async function settle(ms = 5_000): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

function sent(): Change[] {
  return server.changes.flat();
}

function stampOf(path: string): FileStamp {
  return [path, notes.get(path)?.length ?? 0, 1_700_000_000_123];
}

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  notes = new Map([["a.md", "alpha"]]);
  uploads = [];
  mayUpload = true;
  askedAboutGone = 0;
  queue = new ChangeQueue(() => Date.now());
  connection = new Connection({
    source: () =>
      Promise.resolve({
        endpoint: { url: "http://home:8765", token: TOKEN },
        vault: { idOrName: "garden" },
      }),
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  sender = new ChangeSender({
    connection,
    queue,
    files: {
      stamps: () => [...notes.keys()].map(stampOf),
      stamp: (path) => (notes.has(path) ? stampOf(path) : null),
      read: (path) => Promise.resolve(notes.get(path) ?? null),
    },
    mayUpload: (url, count) => {
      uploads.push([url, count]);
      return Promise.resolve(mayUpload);
    },
    askAboutMissing: () => (askedAboutGone += 1),
  });
});
afterEach(() => {
  sender.end();
  connection.end();
  vi.useRealTimers();
});

describe("changes", () => {
  it("arrive after their delay, with the file's time and without its content", async () => {
    begin();
    await settle();
    change("a.md");
    await settle();
    expect(sent()).toEqual([{ kind: "modify", path: "a.md", mtime: 1_700_000_000_123 }]);
    expect(queue.size).toBe(0);
  });

  it("wait while there is no server, and are dropped only when it acknowledges", async () => {
    server.down = true;
    begin();
    change("a.md");
    await settle(60_000);
    expect(queue.size).toBe(1);
    server.down = false;
    const take = server.routes["/api/changes"] ?? ((): unknown => null);
    server.routes["/api/changes"] = () => problem(503, "index_failed", "Not now.");
    await connection.check();
    await settle();
    expect([queue.size, sent()]).toEqual([1, []]);
    server.routes["/api/changes"] = take;
    await settle(20_000);
    expect(queue.size).toBe(0);
  });

  it("are retried at growing intervals when the server refuses", async () => {
    server.routes["/api/changes"] = () => problem(503, "index_failed", "Not now.");
    begin();
    await settle();
    change("a.md");
    await settle(60_000);
    expect(server.asked("/api/changes").length).toBeLessThanOrEqual(7);
  });

  it("go on without the one that the server cannot take", async () => {
    const names = ["a.md", "b.md", "bad.md", "c.md", "d.md"];
    for (const name of names) notes.set(name, name);
    const take = server.routes["/api/changes"];
    server.routes["/api/changes"] = (request) =>
      request.body?.includes("bad.md") ? problem(400, "bad", "Not this.") : take?.(request);
    begin();
    await settle();
    for (const name of names) change(name);
    await settle();
    expect(sent().map(({ path }) => path)).toEqual(["a.md", "b.md", "c.md", "d.md"]);
    expect(sender.rejected.latest).toEqual(["bad.md: Not this."]);
    expect(queue.size).toBe(0);
  });

});

describe("comparing with the server at every connect", () => {
  it("lists all files, and lets a server with the folder read them", async () => {
    server.routes["/api/sync"] = () => ({ need: ["a.md"], gone: ["old.md"], guard: false });
    begin();
    await settle();
    expect(JSON.parse(server.asked("/api/sync")[0]?.body ?? "")).toEqual({
      vault: "v1",
      files: [["a.md", 5, 1_700_000_000_123]],
    });
    expect(sent()).toEqual([]);
  });

  it("is done once for a connection, and again for the next", async () => {
    begin();
    await settle(30_000);
    expect(server.asked("/api/sync")).toHaveLength(1);
    await connection.reset();
    await settle();
    expect(server.asked("/api/sync")).toHaveLength(2);
  });

  it("asks a person before many notes are removed", async () => {
    server.routes["/api/sync"] = () => ({ need: [], gone: ["x.md", "y.md"], guard: true });
    begin();
    await settle();
    expect(askedAboutGone).toBe(1);
    expect(sent()).toEqual([]);
  });

});

describe("a mirror", () => {
  beforeEach(() => {
    server.routes["/api/vaults"] = () => ({ vaults: [aVault({ source: "mirror" })] });
    server.routes["/api/sync"] = () => ({ need: [...notes.keys()], gone: [], guard: false });
  });

  it("gets contents, after a person agreed", async () => {
    begin();
    await settle();
    expect(uploads).toEqual([["http://home:8765", 1]]);
    expect(sent()).toEqual([
      { kind: "modify", path: "a.md", mtime: 1_700_000_000_123, content: "alpha" },
    ]);
  });

  it("gets notes whose names the disk composes in another way", async () => {
    notes = new Map([["Cafe\u0301.md", "coffee"]]);
    server.routes["/api/sync"] = () => ({ need: ["Caf\u00e9.md"], gone: [], guard: false });
    begin();
    await settle();
    expect(sent()).toMatchObject([{ path: "Caf\u00e9.md", content: "coffee" }]);
  });

  it("gets nothing without consent, which is asked for once", async () => {
    mayUpload = false;
    begin();
    await settle();
    change("a.md");
    await settle(60_000);
    expect([uploads.length, sent()]).toEqual([1, []]);
    expect(queue.size).toBe(1);
  });

  it("gets large vaults in bounded requests", async () => {
    for (let n = 0; n < 12; n += 1) notes.set(`${n}.md`, "x".repeat(900_000));
    begin();
    await settle(30_000);
    expect(sent()).toHaveLength(13);
    for (const batch of server.changes) {
      const chars = batch.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
      expect(chars).toBeLessThanOrEqual(2_000_000);
    }
  });

  it("does not get a note that is larger than a request, and that is told", async () => {
    notes = new Map([["huge.md", "x".repeat(4_000_001)]]);
    begin();
    await settle();
    expect(sent()).toEqual([]);
    expect(sender.rejected.latest[0]).toContain("huge.md");
  });

  it("does not get what vanished meanwhile", async () => {
    begin();
    await settle();
    notes.clear();
    change("a.md");
    await settle();
    expect(sent()).toHaveLength(1);
    expect(queue.size).toBe(0);
  });
});
