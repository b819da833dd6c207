import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../plugin/src/client";
import { Connection, type Unavailable, type ServerFinder, type Target } from "../../plugin/src/connection";
import { aStatus, aVault, FakeServer, HEALTH, TOKEN } from "./samples";

const TARGET: Target = {
  endpoint: { url: "http://127.0.0.1:8765", token: TOKEN },
  vault: { idOrName: "garden" },
};

let server: FakeServer;
let connection: Connection;

function connect(source: ServerFinder = () => Promise.resolve(TARGET)): Connection {
  connection = new Connection({
    source,
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  connection.begin();
  return connection;
}

async function settle(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
});
afterEach(() => {
  connection.end();
  vi.useRealTimers();
});

describe("a server that works", () => {
  it("is ready after health, vaults and status of our vault", async () => {
    connect();
    await settle();
    expect(connection.state.name).toBe("ready");
    expect(connection.session?.vault.id).toBe("v1");
    expect(server.seen.map((request) => new URL(request.url).pathname)).toEqual([
      "/api/health",
      "/api/vaults",
      "/api/status",
    ]);
    expect(server.seen[2]?.url).toContain("vault=v1");
  });

  it("is then polled for its status only, more often while it indexes", async () => {
    server.routes["/api/status"] = () => aStatus({ state: "indexing" });
    connect();
    await settle();
    expect(connection.state.name).toBe("indexing");
    await settle(3_000);
    expect(server.asked("/api/status")).toHaveLength(4);
    expect(server.asked("/api/health")).toHaveLength(1);
  });

  it("tells its features", async () => {
    connect();
    await settle();
    expect(connection.has("sync")).toBe(true);
    expect(connection.has("graph_view")).toBe(false);
  });

  it("tells listeners about every change until they unsubscribe", async () => {
    connect();
    const heard: string[] = [];
    const stop = connection.subscribe((state) => heard.push(state.name));
    await settle(10_000);
    stop();
    await settle(10_000);
    expect(heard).toEqual(["ready", "ready"]);
  });

  it("may be found only after a slow start", async () => {
    let found: (target: Target) => void = () => undefined;
    connect((starting) => {
      starting();
      return new Promise((resolve) => (found = resolve));
    });
    await settle();
    expect(connection.state.name).toBe("starting");
    found(TARGET);
    await settle();
    expect(connection.state.name).toBe("ready");
  });

  it("is starting as long as it says so, and no session is given out", async () => {
    server.routes["/api/status"] = () => aStatus({ state: "starting" });
    connect();
    await settle();
    expect([connection.state.name, connection.session]).toEqual(["starting", null]);
  });
});

describe("versions", () => {
  it.each([
    ["plugin", { ...HEALTH, api: 2, features: "a later shape" }],
    ["server", { ...HEALTH, api: 0 }],
    ["server", { ...HEALTH, features: ["status"] }],
  ])("say that the %s is the older one", async (older, health) => {
    server.routes["/api/health"] = () => health;
    connect();
    await settle();
    expect(connection.state).toMatchObject({ name: "mismatch", older, version: "0.1.0" });
  });
});

describe("a server that does not work", () => {
  it("is tried again after 1, 2, 5, 10, 30 and 30 seconds", async () => {
    server.down = true;
    connect();
    await settle();
    expect(connection.state).toMatchObject({ name: "offline", why: "unreachable" });
    const gaps: number[] = [];
    let last = 0;
    for (let second = 1; second <= 80; second += 1) {
      const before = server.seen.length;
      await settle(1_000);
      if (server.seen.length > before) {
        gaps.push(second - last);
        last = second;
      }
    }
    expect(gaps).toEqual([1, 2, 5, 10, 30, 30]);
  });

  it("is tried at once when a person acts, and recovers by itself", async () => {
    server.down = true;
    connect();
    await settle(60_000);
    server.down = false;
    void connection.check();
    await settle();
    expect(connection.state.name).toBe("ready");
  });

  it("gets one request however many callers wait", async () => {
    connect();
    await settle();
    const before = server.seen.length;
    await Promise.all([connection.check(), connection.check(), connection.check()]);
    expect(server.seen.length - before).toBe(1);
  });

  it("may miss one reply, but not two", async () => {
    connect();
    await settle();
    server.silent = true;
    await settle(10_000 + 5_000);
    expect(connection.state.name).toBe("ready");
    await settle(1_000 + 5_000);
    expect(connection.state).toMatchObject({ name: "offline", why: "unreachable" });
  });

  it.each([
    ["garbage", () => ({ status: 200, text: "<html>" })],
    ["another shape", () => ({ hello: "world" })],
  ])("answers %s: not a Notewell server", async (_, answer) => {
    server.routes["/api/health"] = answer;
    connect();
    await settle();
    expect(connection.state).toMatchObject({ name: "offline", why: "not-notewell" });
  });

  it("needs the new token after a rotation", async () => {
    connect();
    await settle();
    server.routes["/api/status"] = () => ({ status: 401, text: "{}" });
    await settle(10_000);
    expect(connection.state.name).toBe("needs-token");
  });
});

describe("which vault", () => {
  it("is never a vault other than ours, even if it is the only one", async () => {
    server.routes["/api/vaults"] = () => ({ vaults: [aVault({ name: "work" })] });
    connect();
    await settle();
    expect(connection.state).toMatchObject({ name: "offline", why: "no-vault" });
    expect(server.asked("/api/status")).toHaveLength(0);
  });

  it("is found by its folder where names differ, but only if it is served", async () => {
    const target = { ...TARGET, vault: { idOrName: "Garten", folder: "/home/ada/garden" } };
    server.routes["/api/vaults"] = () => ({
      vaults: [aVault({ id: "v0", name: "Garten", open: false }), aVault()],
    });
    connect(() => Promise.resolve(target));
    await settle();
    expect(connection.session?.vault.id).toBe("v1");
  });

  it("is taken where the server has closed it, which opens it again when it is asked", async () => {
    server.routes["/api/vaults"] = () => ({ vaults: [aVault({ open: false, served: true })] });
    connect();
    await settle();
    expect(connection.state.name).toBe("ready");
  });
});

describe("a vault that somebody else serves", () => {
  it("is not tried with an unknown token, and waits for a person", async () => {
    let asked = 0;
    connect(() => {
      asked += 1;
      const endpoint = { ...TARGET.endpoint, token: "of another server" };
      return Promise.resolve({ ...TARGET, endpoint, isShared: true });
    });
    await settle(300_000);
    expect(connection.state).toMatchObject({ name: "offline", why: "in-use" });
    expect(asked).toBe(1);
  });
});

describe("attempts that were given up", () => {
  it("change nothing when their reply comes late", async () => {
    let late: (target: Unavailable) => void = () => undefined;
    let calls = 0;
    connect(() => {
      calls += 1;
      if (calls === 1) return new Promise((resolve) => (late = resolve));
      return Promise.resolve(TARGET);
    });
    await settle();
    await connection.reset();
    late({ why: "crashed", detail: "long ago" });
    await settle();
    expect(connection.state.name).toBe("ready");
  });

  it("leave no timer running", async () => {
    server.down = true;
    connect();
    await settle();
    connection.end();
    await settle(120_000);
    expect(server.seen).toHaveLength(1);
  });

  it("wait for a person if only a person can help", async () => {
    let asked = 0;
    connect(() => {
      asked += 1;
      return Promise.resolve({ why: "needs-consent" });
    });
    await settle(300_000);
    expect(asked).toBe(1);
  });
});
