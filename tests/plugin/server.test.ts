import { posix } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Launcher } from "../../plugin/src/launcher";
import type { Machine } from "../../plugin/src/machine";
import { findPrograms, usualPlaces } from "../../plugin/src/program";
import { Server, serverUrl } from "../../plugin/src/server";
import { Settings, type DeviceSettings } from "../../plugin/src/settings";

let files: Set<string>;

function machine(changed: Partial<Machine> = {}): Machine {
  return {
    isWindows: false,
    isMacOS: false,
    home: "/home/ada",
    environment: { PATH: "/usr/bin:.:relative/bin::/opt/bin" },
    path: posix,
    isFile: (path) => Promise.resolve(files.has(path)),
    realPath: (path) => Promise.resolve(path),
    isRunning: () => true,
    list: () => Promise.resolve([]),
    readText: () => Promise.resolve(null),
    ...changed,
  };
}

beforeEach(() => {
  files = new Set();
});

async function findProgram(chosen: string, on: Machine): Promise<string | null> {
  return (await findPrograms(chosen, on)).usable[0] ?? null;
}

describe("the program", () => {
  it("is the one in the settings, or none", async () => {
    files = new Set(["/opt/notewell", "/home/ada/.local/bin/notewell"]);
    expect(await findProgram("/opt/notewell", machine())).toBe("/opt/notewell");
    expect(await findProgram("/nowhere/notewell", machine())).toBeNull();
  });

  it("is looked for where installers put it before the PATH", async () => {
    const environment = { PATH: "/usr/bin", UV_TOOL_BIN_DIR: "/home/ada/uv" };
    files = new Set(["/usr/bin/notewell", "/home/ada/uv/notewell"]);
    expect(await findProgram("", machine({ environment }))).toBe("/home/ada/uv/notewell");
    files.add("/home/ada/.local/bin/notewell");
    expect(await findProgram("", machine())).toBe("/home/ada/.local/bin/notewell");
  });

  it("is never looked for in a relative folder, which could be the vault", async () => {
    expect(usualPlaces(machine()).every((path) => path.startsWith("/"))).toBe(true);
    files.add("relative/notewell");
    expect(await findProgram("relative/notewell", machine())).toBeNull();
  });

  it("has its own name on Windows and more places on a Mac", () => {
    const windows = machine({ isWindows: true, path: { ...posix, delimiter: ";" }, environment: { Path: "/a;/b" } });
    expect(usualPlaces(windows)).toContain("/b/notewell.exe");
    expect(usualPlaces(machine({ isMacOS: true }))).toContain("/opt/homebrew/bin/notewell");
  });
});

describe("addresses", () => {
  it.each([
    ["localhost:8765", "http://localhost:8765"],
    [" http://home:8765/ ", "http://home:8765"],
    ["https://home.example/notewell//", "https://home.example/notewell"],
    ["", null],
    ["http://", null],
  ])("%j is %j", (written, url) => {
    expect(serverUrl(written)).toBe(url);
  });
});

describe("where the server is", () => {
  let settings: Settings;
  let started: number;
  let announced: number;

  async function find(
    device: Partial<DeviceSettings>,
    act?: (server: Server) => void,
    folder: string | null = "/home/ada/garden",
  ): Promise<unknown> {
    settings = new Settings({
      loadVault: () => Promise.resolve(null),
      saveVault: () => Promise.resolve(),
      loadDevice: () => device,
      saveDevice: () => undefined,
    });
    await settings.load();
    started = 0;
    announced = 0;
    const launcher = new Launcher(
      () => undefined,
      () => {
        started += 1;
        return Promise.reject(new Error("no programs in this test"));
      },
    );
    launcher.target = (): Promise<never> => {
      started += 1;
      return Promise.resolve({ launched: true }) as never;
    };
    const server = new Server({
      settings,
      launcher,
      machine: () => Promise.resolve(folder === null ? null : machine()),
      secret: (name) => (name === "home" ? "token-of-home" : null),
      vaultName: "garden",
      folder,
    });
    act?.(server);
    return server.find(() => (announced += 1));
  }

  const local = { mode: "local", startAgreed: true } as const;

  it("is not known before somebody says so", async () => {
    expect(await find({})).toMatchObject({ why: "not-set-up" });
    expect(await find({ mode: "remote", address: "" })).toMatchObject({ why: "not-set-up" });
  });

  it("is the address in the settings, with the token of that name", async () => {
    const remote = { mode: "remote", address: "home:8765", tokenName: "home" } as const;
    expect(await find(remote)).toEqual({
      endpoint: { url: "http://home:8765", token: "token-of-home" },
      vault: { idOrName: "garden" },
    });
    expect(await find({ ...remote, remoteVault: "notes" })).toHaveProperty("vault.idOrName", "notes");
  });

  it("is nothing that is started without being asked for", async () => {
    files.add("/usr/bin/notewell");
    expect(await find({ mode: "local" })).toMatchObject({ why: "needs-consent" });
    expect(await find({ ...local, autostart: false })).toMatchObject({ why: "stopped" });
    expect(started).toBe(0);
  });

  it("is started here where that was agreed to", async () => {
    files.add("/usr/bin/notewell");
    expect(await find(local)).toEqual({ launched: true });
    expect(announced).toBe(1);
    expect(await find({ ...local, autostart: false }, (server) => server.start(true))).toEqual({
      launched: true,
    });
  });

  it("stays in use when it shall not be started with the app any more", async () => {
    files.add("/usr/bin/notewell");
    let server: Server | undefined;
    await find(local, (made) => (server = made));
    await settings.set("autostart", false);
    expect(await server?.find(() => undefined)).toEqual({ launched: true });
    expect(await find({ ...local, autostart: false })).toMatchObject({ why: "stopped" });
  });

  it("stays stopped once a person stopped it", async () => {
    files.add("/usr/bin/notewell");
    expect(await find(local, (server) => server.stop())).toMatchObject({ why: "stopped" });
  });

  it("cannot be here without a program, or without a folder as on phones", async () => {
    expect(await find(local)).toMatchObject({ why: "not-installed" });
    expect(await find(local, undefined, null)).toMatchObject({ why: "not-set-up" });
  });
});
