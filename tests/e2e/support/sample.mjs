// The sample vault, indexed once for all files of a run, and copied with its index for each of them.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, realpath, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { COMMAND, ROOT } from "./command.mjs";

const SAMPLE = join(ROOT, "sidecar/notewell/doors/sample/vault");
const VAULT = "Sample";
const NAMED = "NOTEWELL_TEST_SAMPLE"; // where `run.mjs` tells its files what it prepared
let prepared = null;

/** Indexes the sample vault in a new temporary folder. Returns the folder; the caller removes it. */
export async function prepareSample() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "notewell-sample-")));
  const vault = join(folder, VAULT);
  await cp(SAMPLE, vault, { recursive: true });
  await roundTimes(vault);
  const env = { ...process.env, HOME: folder, NOTEWELL_DATA_DIR: join(folder, "data") };
  await promisify(execFile)(COMMAND, ["index", vault], { env });
  process.env[NAMED] = folder;
  return folder;
}

/** Whole seconds: a copy of a file keeps no finer time, and the index knows its files by their times. */
async function roundTimes(vault) {
  const now = Math.floor(Date.now() / 1000);
  for (const entry of await readdir(vault, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), now, now);
  }
}

/** Copies the sample vault to `vault`, without an index. */
export function copySample(vault) {
  return cp(SAMPLE, vault, { recursive: true });
}

/** Copies the sample vault to `vault`, and its finished index into the new data folder `data`. */
export async function copyIndexedSample(vault, data) {
  const from = process.env[NAMED] ?? (await (prepared ??= prepareForThisFile()));
  await cp(join(from, VAULT), vault, { recursive: true, preserveTimestamps: true });
  await cp(join(from, "data"), data, { recursive: true });
  const registry = join(data, "vaults.json");
  const known = JSON.parse(await readFile(registry, "utf8"));
  for (const record of known.vaults) Object.assign(record, { path: vault, name: basename(vault) });
  await writeFile(registry, JSON.stringify(known));
}

/** For a file that is run alone. */
async function prepareForThisFile() {
  const folder = await prepareSample();
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
