/** What other plugins use: one schema, whoever answers. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { notewellApi, type NotewellApi } from "../../plugin/src/api";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import { Finder } from "../../plugin/src/finder";
import { memoryIndex } from "./memoryVault";
import { aReply, aResult, aStatus, FakeServer, problem, TOKEN } from "./samples";

let server: FakeServer;
let connection: Connection;
let api: NotewellApi;
let ends: (() => void)[];

beforeEach(async () => {
  vi.useFakeTimers();
  server = new FakeServer();
  ends = [];
  connection = new Connection({
    source: () => Promise.resolve({ endpoint: { url: "http://127.0.0.1:8765", token: TOKEN }, vault: { idOrName: "garden" } }),
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  const local = memoryIndex({ "Bees.md": { text: "A hive in spring." }, "Wasps.md": { text: "A nest in summer." } });
  void local.begin();
  api = notewellApi(new Finder({ connection, local }), (end) => ends.push(end));
  await vi.advanceTimersByTimeAsync(500);
});
afterEach(() => {
  for (const end of ends) end();
  connection.end();
  vi.useRealTimers();
});

async function connect(): Promise<void> {
  connection.begin();
  await vi.advanceTimersByTimeAsync(100);
}

describe("the api", () => {
  it("answers by words without a server", async () => {
    const { version, by, results } = await api.search("hive");
    expect([version, by]).toEqual([1, "words"]);
    expect(results.map(({ path }) => path)).toEqual(["Bees.md"]);
    expect(results[0]).toMatchObject({ title: "Bees", match: null, line: 1 });
  });

  it("answers by meaning with one, in the same fields", async () => {
    await connect();
    const { by, results } = await api.search("hive", { limit: 3 });
    expect(by).toBe("meaning");
    expect(results[0]).toMatchObject({ path: "Bees.md", match: "strong", line: 5, heading: "Hives > Spring" });
    expect(new URL(server.asked("/api/search")[0]?.url ?? "").searchParams.get("limit")).toBe("3");
  });

  it("never names the note itself as similar", async () => {
    await connect();
    server.routes["/api/similar"] = () => aReply([aResult("Bees.md"), aResult("Wasps.md")]);
    const { results } = await api.similar("Bees.md", { limit: 1 });
    expect(results.map(({ path }) => path)).toEqual(["Wasps.md"]);
  });

  it("answers by words when the server goes away, and rejects what the server refuses", async () => {
    await connect();
    server.routes["/api/search"] = () => problem(400, "query_too_long", "The query is too long.");
    await expect(api.search("hive")).rejects.toThrow("The query is too long.");
    server.down = true;
    expect((await api.search("hive")).by).toBe("words");
  });

  it("tells of a new generation, until it is ended", async () => {
    await connect();
    const heard: number[] = [];
    const end = api.on("generation", (generation) => heard.push(generation));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(heard).toEqual([]);
    server.routes["/api/status"] = () => aStatus({ generation: 8 });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(heard).toEqual([8]);
    end();
    server.routes["/api/status"] = () => aStatus({ generation: 9 });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(heard).toEqual([8]);
  });

  it("says what scripts do wrong", async () => {
    await expect(api.search(7 as never)).rejects.toThrow("Notewell needs a text.");
    expect(() => api.on("change" as never, () => undefined)).toThrow("there is \"generation\"");
    expect(Object.isFrozen(api)).toBe(true);
  });
});
