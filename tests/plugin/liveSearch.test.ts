import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../plugin/src/client";
import type { Session } from "../../plugin/src/connection";
import type { Result } from "../../plugin/src/contract";
import { LiveSearch } from "../../plugin/src/ui/liveSearch";
import { aReply, aResult, aVault, FakeServer, problem, TOKEN } from "./samples";

let server: FakeServer;
let shown: string[];
let last: string[];
let failed: unknown[];
let live: LiveSearch<string>;
let session: Session | null;
let isBusy: boolean;
let words: string | null;

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  server.routes["/api/search"] = ({ url }) => {
    const { searchParams } = new URL(url);
    return aReply([aResult("a.md")], {
      query: searchParams.get("q") ?? "",
      mode: searchParams.get("mode") as "hybrid",
    });
  };
  session = {
    isOneOfSeveral: false,
    client: new Client(server.transport, () => undefined, { url: "http://x", token: TOKEN }),
    vault: aVault(),
    version: "0.1.0",
    features: [],
  };
  shown = [];
  failed = [];
  isBusy = false;
  words = "a.md";
  live = new LiveSearch({
    session: () => session,
    request: (client, query, typing) => client.search(query, { limit: 5, mode: "hybrid", typing }),
    local: (query) => words === null ? null : Promise.resolve(aReply([whole(words)], { query, mode: "keyword" })),
    show: (reply, isFinal) => {
      shown.push(`${reply.query} ${reply.mode} ${isFinal}`);
      last = reply.results.map(({ path }) => path);
    },
    fail: (error) => failed.push(error),
    busy: (busy) => (isBusy = busy),
  });
});
afterEach(() => void vi.useRealTimers());

/** A note of the word index that has all words. */
function whole(path: string): Result {
  return aResult(path, { match: null, scores: { ...aResult(path).scores, coverage: 1 } });
}

async function rest(ms = 1_000): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe("typing", () => {
  it("asks the model once typing rests, if its table has answered", async () => {
    const asked: (string | null)[] = [];
    server.routes["/api/search"] = ({ url }) => {
      const typing = new URL(url).searchParams.get("typing");
      asked.push(typing);
      return aReply([aResult("a.md")], { query: "bees", mode: "hybrid", approximate: typing === "true" });
    };
    live.type("bees");
    await rest(400);
    expect(asked).toEqual(["true"]);
    live.type("bees in");
    await rest(400);
    expect(asked).toEqual(["true", "true"]);
    await rest();
    expect(asked).toEqual(["true", "true", "false"]);
    expect(shown.at(-1)).toBe("bees hybrid true");
    await rest(5_000);
    expect(asked).toHaveLength(3);
  });

  it("keeps notes that begin with what is typed through a correction, also when the index changes", async () => {
    words = "Sourdough.md";
    server.routes["/api/search"] = () => aReply([aResult("Sound.md")], { query: "sourd", corrected: { text: "sound", from: [] }, mode: "hybrid" });
    live.type("sourd");
    await rest();
    expect(last).toEqual(["Sourdough.md", "Sound.md"]);
    live.again("sourd");
    await rest();
    expect(last).toEqual(["Sourdough.md", "Sound.md"]);
    live.type("other");
    live.now("sourd");
    await rest();
    expect(last).toEqual(["Sourdough.md", "Sound.md"]);
  });

  it("says that nothing matches when typing rests, and not between two keys", async () => {
    words = null;
    server.routes["/api/search"] = () => aReply([aResult("far.md", { match: "weak" })], { query: "kanb", mode: "hybrid" });
    live.type("kanb");
    await rest(600);
    expect([shown, isBusy]).toEqual([[], true]);
    await rest();
    expect([shown, isBusy]).toEqual([["kanb hybrid true"], false]);
  });

  it("shows local keyword results first and the server's ranking when typing pauses", async () => {
    live.type("bees");
    expect(isBusy).toBe(true);
    await rest(100);
    expect(shown).toEqual(["bees keyword false"]);
    await rest();
    expect(shown).toEqual(["bees keyword false", "bees hybrid true"]);
    expect(isBusy).toBe(false);
  });

  it("sends no request between fast keys", async () => {
    for (const query of ["b", "be", "bee", "bees"]) {
      live.type(query);
      await rest(30);
    }
    await rest();
    expect(server.asked("/api/search")).toHaveLength(1);
    expect(shown).toEqual(["bees keyword false", "bees hybrid true"]);
  });

  it("says that the last word may be unfinished, until the person asks for what is there", async () => {
    live.type("bee");
    await rest();
    live.now("bee");
    await rest();
    const typing = server.asked("/api/search").map(({ url }) => new URL(url).searchParams.get("typing"));
    expect(typing).toEqual(["true", "false"]);
  });

  it("is answered by local keywords without a server", async () => {
    session = null;
    live.type("bees");
    await rest();
    expect(shown).toEqual(["bees keyword true"]);
    expect(isBusy).toBe(false);
  });
});

describe("a refresh", () => {
  it("does not replace the server's results by local ones for a moment", async () => {
    live.again("bees");
    await rest();
    expect(shown).toEqual(["bees hybrid true"]);
  });

  it("is answered by local keywords without a server", async () => {
    session = null;
    live.again("bees");
    await rest();
    expect(shown).toEqual(["bees keyword true"]);
  });
});

describe("answers", () => {
  it("to an earlier query are dropped", async () => {
    const answers: (() => void)[] = [];
    const answer = server.routes["/api/search"];
    server.routes["/api/search"] = (request) =>
      new Promise((resolve) => answers.push(() => resolve(answer?.(request))));
    void live.now("old");
    await rest(0);
    void live.now("new");
    await rest(0);
    answers[1]?.();
    answers[0]?.();
    await rest(0);
    expect(shown).toEqual(["old keyword false", "new keyword false", "new hybrid true"]);
  });

  it("that fail are reported once, and only for the last query", async () => {
    server.routes["/api/search"] = () => problem(503, "index_failed", "Not now.");
    live.type("bees");
    await rest();
    expect(failed).toHaveLength(1);
    expect(isBusy).toBe(false);
  });

  it("are not awaited where nothing can answer", async () => {
    session = null;
    words = null;
    live.type("bees");
    await rest();
    expect([shown, failed, isBusy]).toEqual([[], [], false]);
  });
});
