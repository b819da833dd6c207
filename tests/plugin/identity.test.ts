/** The search program is told from others of its name, with real files and real programs. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, win32 } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { metadataProblem, PROJECT, SUMMARY_PART } from "../../plugin/src/identity";
import { Launcher } from "../../plugin/src/launcher";
import { thisMachine, type Machine } from "../../plugin/src/machine";
import { findPrograms } from "../../plugin/src/program";
import { API } from "../../plugin/src/replies";
import { Server } from "../../plugin/src/server";
import { Settings } from "../../plugin/src/settings";

const ROOT = join(import.meta.dirname, "..", "..");
const OURS = JSON.stringify({ name: PROJECT, version: "0.1.0", api: API });
const HANDSHAKE = JSON.stringify({ port: 40_123, token: "fresh", vaults: [{ id: "v1", name: "garden" }] });
const OUR_SUMMARY = `Find notes ${SUMMARY_PART}.`;

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "notewell-identity-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Writes a program that notes the arguments of each run beside itself. */
function program(path: string, onVersion: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const lines = [
    "#!/bin/sh",
    `echo "$@" >> '${path}.runs'`,
    `if [ "$1" = --version ]; then ${onVersion}; exit; fi`,
    `echo '${HANDSHAKE}'`,
    "cat > /dev/null", // serves until its stdin closes
  ];
  writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o755 });
  return path;
}

function metadata(folder: string, name: string, summary: string): void {
  const info = join(folder, "notewell-3.1.dist-info");
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "METADATA"), `Metadata-Version: 2.4\nName: ${name}\nSummary: ${summary}\n\nA text.\n`);
}

function runs(path: string): string[] {
  return existsSync(`${path}.runs`) ? readFileSync(`${path}.runs`, "utf8").trim().split("\n") : [];
}

async function machine(changed: Partial<Machine> = {}): Promise<Machine> {
  const real = await thisMachine();
  if (!real) throw new Error("These tests run on a desktop.");
  return { ...real, home, environment: { PATH: join(home, "bin") }, isMacOS: false, isWindows: false, ...changed };
}

describe("the metadata of a package", () => {
  const layouts = [
    ["an environment", "lib/python3.12/site-packages"],
    ["Debian", "lib/python3/dist-packages"],
    ["Windows", "Lib/site-packages"],
  ] as const;

  it.each(layouts)("is read as laid out by %s", async (_, folder) => {
    const at = program(join(home, "env/bin/notewell"), `echo '${OURS}'`);
    metadata(join(home, "env", folder), "notewell", "Keeps wells of notes.");
    expect(await metadataProblem(at, await machine())).toContain("“notewell: Keeps wells of notes.”");
    metadata(join(home, "env", folder), "notewell", OUR_SUMMARY);
    expect(await metadataProblem(at, await machine())).toBeNull();
    expect(runs(at)).toEqual([]);
  });

  it("is found behind the link that uv and pipx make", async () => {
    const target = program(join(home, "tools/notewell/bin/notewell"), `echo '${OURS}'`);
    metadata(join(home, "tools/notewell/lib/python3.11/site-packages"), "notewell", "Another one.");
    const link = join(home, ".local/bin/notewell");
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
    const { usable, rejected } = await findPrograms("", await machine());
    expect(usable).toEqual([]);
    expect(rejected).toEqual([`${link} belongs to another project, “notewell: Another one.”.`]);
  });

  it("is found in uv's and pipx's environments on Windows, which copy the program", async () => {
    const found = new Map([
      ["C:\\Users\\ada\\AppData\\Roaming\\uv\\tools\\notewell\\Lib\\site-packages", "Another one."],
    ]);
    const windows = await machine({
      isWindows: true,
      home: "C:\\Users\\ada",
      environment: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" },
      path: win32,
      realPath: (path) => Promise.resolve(path),
      list: (folder) => Promise.resolve(found.has(folder) ? ["notewell-3.1.dist-info"] : []),
      readText: (path) => Promise.resolve(`Name: notewell\nSummary: ${found.get(win32.join(path, "..", "..")) ?? ""}\n\n`),
    });
    expect(await metadataProblem("C:\\Users\\ada\\.local\\bin\\notewell.exe", windows)).toContain("Another one.");
    expect(await metadataProblem("C:\\elsewhere\\notewell.exe", windows)).toBeNull();
  });

  it.each(["notewell-helper", "notewell-helper-0.1.0-linux-x86_64/notewell-helper"])(
    "is read inside the helper, found in Downloads/%s",
    async (folder) => {
      const at = program(join(home, "Downloads", folder, "notewell"), `echo '${OURS}'`);
      expect((await findPrograms("", await machine())).usable).toEqual([at]);
      metadata(join(dirname(at), "_internal"), "notewell", "Another one.");
      expect((await findPrograms("", await machine())).usable).toEqual([]);
      metadata(join(dirname(at), "_internal"), "notewell", OUR_SUMMARY);
      expect((await findPrograms("", await machine())).usable).toEqual([at]);
      expect(runs(at)).toEqual([]);
    },
  );

  it("is found in the helper on macOS without listing folders that macOS protects", async () => {
    const at = program(join(home, "Downloads/notewell-helper/notewell"), `echo '${OURS}'`);
    const listed: string[] = [];
    const mac = await machine({
      isMacOS: true,
      list: (folder) => {
        listed.push(folder);
        return Promise.resolve([]);
      },
    });
    expect((await findPrograms("", mac)).usable).toEqual([at]);
    expect(listed).not.toContain(join(home, "Downloads"));
  });

  it("says nothing against a program that has none", async () => {
    const at = program(join(home, "bin/notewell"), "true");
    expect(await metadataProblem(at, await machine())).toBeNull();
  });

  it("is that of our own package", () => {
    const [, description] = /^description = "(.*)"$/m.exec(readFileSync(join(ROOT, "pyproject.toml"), "utf8")) ?? [];
    expect(description).toContain(SUMMARY_PART);
    const app = readFileSync(join(ROOT, "sidecar/notewell/doors/cli/app.py"), "utf8");
    expect(app).toContain(`PROJECT = "${PROJECT}"`);
  });
});

describe("a program is started", () => {
  const vault = "/home/ada/garden of secrets";
  let launcher: Launcher;

  async function find(): Promise<unknown> {
    const settings = new Settings({
      loadVault: () => Promise.resolve(null),
      saveVault: () => Promise.resolve(),
      loadDevice: () => ({ mode: "local", startAgreed: true }),
      saveDevice: () => undefined,
    });
    await settings.load();
    launcher = new Launcher(() => undefined);
    const parts = { settings, launcher, machine, secret: () => null, vaultName: "garden", folder: vault };
    return new Server(parts).find(() => undefined);
  }

  afterEach(() => launcher.stop());

  it("only if it is ours: others are passed over, and never learn of the vault", async () => {
    const packaged = program(join(home, ".local/bin/notewell"), `echo '${OURS}'`);
    metadata(join(home, ".local/lib/python3.12/site-packages"), "notewell", "Another one.");
    const ours = program(join(home, "bin/notewell"), `echo '${OURS}'`);
    expect(await find()).toHaveProperty("endpoint.token", "fresh");
    expect(runs(packaged)).toEqual([]);
    expect(runs(ours)).toEqual(["--version --json", `serve ${vault} --port 0 --handshake`]);
  });

  it("after the next place was tried where the first program is another's", async () => {
    const unknown = program(join(home, ".local/bin/notewell"), "echo notewell 3.1");
    program(join(home, "bin/notewell"), `echo '${OURS}'`);
    expect(await find()).toHaveProperty("endpoint.token", "fresh");
    expect(runs(unknown)).toEqual(["--version --json"]);
  });

  it("by no means where there are only others, which are named with what is wrong", async () => {
    const endless = program(join(home, ".local/bin/notewell"), "yes");
    const newer = program(join(home, "bin/notewell"), `echo '${OURS.replace(/\d+}$/, "99}")}'`);
    const { why, detail } = (await find()) as { why: string; detail: string };
    expect(why).toBe("wrong-program");
    expect(detail).toContain(`${endless} printed more than a version.`);
    expect(detail).toContain(`${newer} is version 0.1.0 with API 99`);
    for (const at of [endless, newer]) expect(runs(at)).toEqual(["--version --json"]);
  });
});
