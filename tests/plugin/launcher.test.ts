import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PROJECT } from "../../plugin/src/identity";
import { Launcher, type Child } from "../../plugin/src/launcher";
import { API } from "../../plugin/src/replies";

const LAUNCH = { executable: "/bin/notewell", folder: "/home/ada/garden", vaultName: "garden" };
const HANDSHAKE = {
  port: 40_123,
  token: "fresh",
  api: API,
  version: "0.1.0",
  pid: 7,
  vaults: [{ id: "v1", name: "garden" }],
};

/** A program that was started: the test says what it prints and when it ends. */
class FakeChild implements Child {
  readonly #listeners: Record<string, ((value: never) => void)[]> = {};
  isStdinClosed = false;
  isKilled = false;
  endsWithStdin = true;
  readonly stdin = {
    end: (): void => {
      this.isStdinClosed = true;
      if (this.endsWithStdin) this.end(0);
    },
  };
  readonly stdout = this.#output("stdout");
  readonly stderr = this.#output("stderr");

  constructor(readonly args: readonly string[]) {}

  once(event: string, listener: (value: never) => void): void {
    (this.#listeners[event] ??= []).push(listener);
  }

  kill(): void {
    this.isKilled = true;
    this.end(null);
  }

  end(code: number | null): void {
    this.#emit("close", code);
  }

  fail(message: string): void {
    this.#emit("error", new Error(message));
    this.end(null);
  }

  say(text: string): void {
    this.#emit("stdout", text);
  }

  log(text: string): void {
    this.#emit("stderr", text);
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners[event] ?? []) listener(value as never);
  }

  #output(name: string): NonNullable<Child["stdout"]> {
    return {
      setEncoding: () => undefined,
      on: (_event: "data", listener: (data: string) => void) => this.once(name, listener),
    };
  }
}

const OURS = JSON.stringify({ name: PROJECT, version: "0.1.0", api: API });

let children: FakeChild[];
let checks: FakeChild[];
let onCheck: (child: FakeChild) => void;
let onStart: (child: FakeChild) => void;
let ended: number;
let launcher: Launcher;

beforeEach(() => {
  vi.useFakeTimers();
  children = [];
  checks = [];
  ended = 0;
  onCheck = (child): void => {
    child.say(`${OURS}\n`);
    child.end(0);
  };
  onStart = (child): void => child.say(`${JSON.stringify(HANDSHAKE)}\n`);
  launcher = new Launcher(
    () => (ended += 1),
    (_program, args) => {
      const child = new FakeChild(args);
      const isCheck = args[0] === "--version";
      if (isCheck) child.endsWithStdin = false;
      (isCheck ? checks : children).push(child);
      window.setTimeout(() => (isCheck ? onCheck : onStart)(child), 10);
      return Promise.resolve(child);
    },
  );
});
afterEach(() => void vi.useRealTimers());

async function launch(ms = 120_000): Promise<unknown> {
  const outcome = launcher.target(LAUNCH);
  await vi.advanceTimersByTimeAsync(ms);
  return outcome;
}

describe("starting", () => {
  it("gives the address and the token of the handshake, and our vault by its id", async () => {
    expect(await launch()).toEqual({
      endpoint: { url: "http://127.0.0.1:40123", token: "fresh" },
      vault: { idOrName: "v1", folder: "/home/ada/garden" },
    });
    expect(children[0]?.args).toEqual([
      "serve",
      "/home/ada/garden",
      "--port",
      "0",
      "--handshake",
    ]);
  });

  it("happens once, however often it is asked for", async () => {
    const both = Promise.all([launcher.target(LAUNCH), launcher.target(LAUNCH)]);
    await vi.advanceTimersByTimeAsync(100);
    const [one, other] = await both;
    await launch();
    expect(one).toBe(other);
    expect(children).toHaveLength(1);
  });

  it("understands a first line that comes in pieces", async () => {
    const line = JSON.stringify(HANDSHAKE);
    onStart = (child): void => {
      child.say(line.slice(0, 20));
      child.say(`${line.slice(20)}\n`);
    };
    expect(await launch()).toHaveProperty("endpoint.token", "fresh");
  });

  it.each([
    ["cannot be run", (child: FakeChild) => child.fail("spawn EACCES"), "spawn EACCES"],
    ["ends at once", (child: FakeChild) => child.end(2), "code 2"],
    ["says something else", (child: FakeChild) => child.say("hello\n"), "hello"],
    ["refuses", (child: FakeChild) => child.say('{"error": "no_vault"}\n'), "no_vault"],
    ["says nothing", () => undefined, "60 seconds"],
  ])("is tried four times in all where the program %s, and then given up", async (_, act, why) => {
    onStart = act;
    const outcome = await launch(600_000);
    expect(outcome).toMatchObject({ why: "crashed" });
    expect(children).toHaveLength(4);
    expect(launcher.log.latest.join("\n")).toContain(why);
    expect(children.every((child) => child.isStdinClosed)).toBe(true);
  });

  it("is tried anew once a person asks", async () => {
    onStart = (child): void => child.end(1);
    await launch(600_000);
    launcher.resetCrashes();
    onStart = (child): void => child.say(`${JSON.stringify(HANDSHAKE)}\n`);
    expect(await launch()).toHaveProperty("endpoint");
  });
});

describe("a program that was found", () => {
  it("is checked, without naming the vault, before it is started", async () => {
    await launch();
    expect(checks.map(({ args }) => args)).toEqual([["--version", "--json"]]);
    expect(checks[0]?.isStdinClosed).toBe(true);
  });

  it.each([
    ["prints something else", (child: FakeChild) => child.say("notewell 3.1\n"), "does not say that it is"],
    ["has another name", (child: FakeChild) => child.say('{"name": "Note Well", "version": "1", "api": 1}'), "“Note Well”"],
    ["has another API", (child: FakeChild) => child.say(OURS.replace(`"api":${API}`, '"api":99')), "API 99"],
    ["fails", (child: FakeChild) => child.end(2), "code 2"],
    ["cannot be run", (child: FakeChild) => child.fail("spawn EACCES"), "spawn EACCES"],
    ["prints without end", (child: FakeChild) => child.say("x".repeat(10_000)), "more than a version"],
  ])("is not started where it %s", async (_, act, why) => {
    onCheck = (child): void => {
      act(child);
      child.end(0);
    };
    const outcome = await launch();
    expect(outcome).toMatchObject({ why: "wrong-program" });
    expect(outcome).toHaveProperty("detail", expect.stringContaining(why));
    expect(outcome).toHaveProperty("detail", expect.stringContaining(LAUNCH.executable));
    expect(children).toHaveLength(0);
  });

  it("is killed where it does not answer", async () => {
    onCheck = (): void => undefined;
    expect(await launch()).toMatchObject({ why: "wrong-program" });
    expect(checks[0]?.isKilled).toBe(true);
    expect(children).toHaveLength(0);
  });

  it("is not started after a stop during the check", async () => {
    onCheck = (): void => undefined;
    const outcome = launcher.target(LAUNCH);
    await vi.advanceTimersByTimeAsync(100);
    launcher.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({ why: "stopped" });
    expect(children).toHaveLength(0);
  });
});

describe("a vault that is served already", () => {
  it("is joined with the stored token, if the other server stays", async () => {
    onStart = (child): void =>
      child.args[0] === "token"
        ? child.say("stored\n")
        : child.say('{"error": "in_use", "url": "http://127.0.0.1:8765"}\n');
    expect(await launch()).toEqual({
      endpoint: { url: "http://127.0.0.1:8765", token: "stored" },
      vault: { idOrName: "garden", folder: "/home/ada/garden" },
      isShared: true,
    });
  });

  it("is served by us once the other server, our own last one, has ended", async () => {
    onStart = (child): void =>
      child.say(
        children.length === 1
          ? '{"error": "in_use", "url": "http://127.0.0.1:8765"}\n'
          : `${JSON.stringify(HANDSHAKE)}\n`,
      );
    expect(await launch()).toHaveProperty("endpoint.token", "fresh");
  });
});

describe("ending", () => {
  it("closes stdin, and kills after a while what does not listen", async () => {
    await launch();
    const [child] = children;
    if (child) child.endsWithStdin = false;
    launcher.stop();
    expect(child?.isStdinClosed).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(child?.isKilled).toBe(true);
    expect(ended).toBe(0);
  });

  it("is waited for before the next start", async () => {
    await launch();
    const [first] = children;
    if (first) first.endsWithStdin = false;
    launcher.stop();
    const next = launcher.target(LAUNCH);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(children).toHaveLength(1);
    first?.end(0);
    await vi.advanceTimersByTimeAsync(100);
    expect(await next).toHaveProperty("endpoint");
    expect(children).toHaveLength(2);
  });

  it("is reported when unexpected, and three restarts are made", async () => {
    for (let crash = 1; crash <= 4; crash += 1) {
      expect(await launch()).toHaveProperty("endpoint");
      children.at(-1)?.end(1);
      expect(ended).toBe(crash);
    }
    expect(await launch()).toMatchObject({ why: "crashed" });
  });

  it("forgets crashes after a steady run", async () => {
    for (let crash = 1; crash <= 6; crash += 1) {
      expect(await launch()).toHaveProperty("endpoint");
      await vi.advanceTimersByTimeAsync(6 * 60_000);
      children.at(-1)?.end(1);
    }
    expect(await launch()).toHaveProperty("endpoint");
  });

  it("during a start leads to no restart", async () => {
    onStart = (): void => undefined;
    const outcome = launcher.target(LAUNCH);
    await vi.advanceTimersByTimeAsync(100);
    launcher.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({ why: "stopped" });
    expect(children).toHaveLength(1);
  });
});

describe("the log", () => {
  it("keeps the last lines of what the program writes", async () => {
    await launch();
    for (let n = 0; n < 300; n += 1) children[0]?.log(`line ${n}\n`);
    expect(launcher.log.latest).toHaveLength(200);
    expect(launcher.log.latest.at(-1)).toBe("line 299");
  });
});
