import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ChangeQueue } from "../../plugin/src/changes";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import type { ConfirmedWrite, ServerWriteView } from "../../plugin/src/contract";
import { isNotePath, ServerNotes } from "../../plugin/src/serverNotes";
import { aStatus, aVault, FakeServer, TOKEN } from "./samples";

let server: FakeServer;
let connection: Connection;
let queue: ChangeQueue;
let taker: ServerNotes;
let notes: Map<string, string>;
let waiting: ServerWriteView[];
let mayWrite: boolean;
let asked: number;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function write(path: string, content: string | null, base: string | null): ServerWriteView {
  const kind = content === null ? "delete" : base === null ? "create" : "modify";
  const hash = content === null ? null : sha256(content);
  return { number: waiting.length + 1, kind, path, content, hash, base_hash: base === null ? null : sha256(base) };
}

/** A mirror that tells its writes until they are confirmed, as the server does. */
function answerChanges(): void {
  server.routes["/api/vaults"] = () => ({ vaults: [aVault({ source: "mirror" })] });
  server.routes["/api/status"] = () => ({ ...aStatus(), server_writes: waiting.length });
  server.routes["/api/changes"] = ({ url }) => {
    const after = Number(new URL(url).searchParams.get("after"));
    return { changes: waiting.filter(({ number }) => number > after), waiting: waiting.length };
  };
  server.routes["/api/changes/confirm"] = ({ body }) => {
    const { confirmed } = JSON.parse(body ?? "{}") as { confirmed: ConfirmedWrite[] };
    waiting = waiting.filter((one) => !confirmed.some(({ path, hash }) => path === one.path && hash === one.hash));
    return { accepted: confirmed.length, generation: 9 };
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  server = new FakeServer();
  notes = new Map();
  waiting = [];
  mayWrite = true;
  asked = 0;
  queue = new ChangeQueue(() => Date.now());
  answerChanges();
  connection = new Connection({
    source: () =>
      Promise.resolve({
        endpoint: { url: "http://home:8765", token: TOKEN },
        vault: { idOrName: "garden" },
      }),
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  taker = new ServerNotes({
    connection,
    queue,
    notes: {
      read: (path) => Promise.resolve(notes.get(path) ?? null),
      create: (path, text) => Promise.resolve(void notes.set(path, text)),
      replace: (path, old, text) => {
        const isSame = notes.get(path) === old;
        if (isSame) notes.set(path, text);
        return Promise.resolve(isSame);
      },
      remove: (path) => Promise.resolve(void notes.delete(path)),
      mtime: (path) => (notes.has(path) ? 1_700_000_000_123 : undefined),
    },
    mayWrite: () => {
      asked += 1;
      return Promise.resolve(mayWrite);
    },
    conflict: () => undefined,
  });
});

afterEach(() => {
  taker.end();
  connection.end();
  vi.useRealTimers();
});

const { setTimeout: realTimeout } = globalThis;

function realTick(): Promise<void> {
  return new Promise((resolve) => void realTimeout(resolve, 1));
}

async function connect(): Promise<void> {
  taker.begin();
  connection.begin();
  for (let n = 0; n < 20; n += 1) {
    await vi.advanceTimersByTimeAsync(50);
    await realTick(); // digests are made outside the fake clock
  }
}

it("notes of the server are created, changed and deleted, and then confirmed", async () => {
  notes = new Map([["Memory/b.md", "old"], ["Memory/c.md", "gone soon"]]);
  waiting.push(write("Memory/a.md", "new", null));
  waiting.push(write("Memory/b.md", "newer", "old"));
  waiting.push(write("Memory/c.md", null, "gone soon"));
  await connect();
  expect(Object.fromEntries(notes)).toEqual({ "Memory/a.md": "new", "Memory/b.md": "newer" });
  expect(waiting).toEqual([]);
});

it("a note that has changed here too is left alone and sent", async () => {
  notes.set("Memory/b.md", "edited here");
  waiting.push(write("Memory/b.md", "newer", "old"));
  await connect();
  expect(notes.get("Memory/b.md")).toBe("edited here");
  expect(waiting).toHaveLength(1);
  expect(queue.paths()).toEqual(["Memory/b.md"]);
});

it("nothing is written before the user agrees, and a refusal is asked about once", async () => {
  mayWrite = false;
  waiting.push(write("Memory/a.md", "new", null));
  await connect();
  await connection.check();
  expect(notes.size).toBe(0);
  expect(asked).toBe(1);
});

it("a vault whose folder the server reads is never written", async () => {
  server.routes["/api/vaults"] = () => ({ vaults: [aVault()] });
  waiting.push(write("Memory/a.md", "new", null));
  await connect();
  expect(asked).toBe(0);
});

it("a server may name notes of the vault only", async () => {
  for (const path of [".obsidian/plugins/x.md", "../a.md", "a/../b.md", "/a.md", "a//b.md", "a.js", "a\\b.md", "C:/a.md"]) {
    expect(isNotePath(path)).toBe(false);
    waiting.push(write(path, "hostile", null));
  }
  expect(isNotePath("Memory/Übersicht 2.md")).toBe(true);
  await connect();
  expect(notes.size).toBe(0);
  expect(queue.size).toBe(0);
});
