// Runs the end-to-end tests, one file more at once than there are cores, because they mostly wait
// for a server or a browser, and says how long each took. A file that fails is run again once,
// alone, and said to be: a real browser beside a real server on a busy machine may miss a deadline
// that says nothing of the plugin. What fails twice has failed.

import { spawn, spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { buildHost } from "../host/build.mjs";
import { COMMAND } from "./support/command.mjs";
import { prepareSample } from "./support/sample.mjs";

const folder = import.meta.dirname;
const wanted = process.argv.slice(2);
const times = [];
const ALONE = new Set(["budgets.test.mjs"]); // they measure what a busy machine makes worse
// They take longest, so they begin first: else one of them runs on while nothing runs beside it.
const FIRST = ["ask.test.mjs", "start.test.mjs", "servers.test.mjs", "takeover.test.mjs", "web/ask.test.mjs"];

/** A file that takes so long hangs; the longest takes two minutes on a busy machine. */
const HANG_MS = 900_000;

// A failed test leaves its windows open, which would keep the process until its time is up.
const [major, minor] = process.versions.node.split(".").map(Number);
const FORCE_EXIT = major > 20 || minor >= 14 ? ["--test-force-exit"] : [];

/** The model is fetched once, and not by the server of every file into a home of its own. */
function getModel() {
  if (process.env.NOTEWELL_MODEL_DIR) return;
  const { status, stdout } = spawnSync(COMMAND, ["models", "get"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) process.env.NOTEWELL_MODEL_DIR = dirname(dirname(stdout.trim()));
}

/**
 * Runs a file, prints what it said when it ends, and tells whether it passed. Node runs the tests of a
 * file without `--test`, which would start a second process to repeat what they say.
 */
async function passes(file) {
  const options = [...FORCE_EXIT, "--test-reporter=spec", join(folder, file)];
  const started = performance.now();
  const child = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "pipe"], timeout: HANG_MS });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk));
  const status = await new Promise((resolve) => child.on("close", resolve));
  process.stdout.write(Buffer.concat(said));
  times.push({ seconds: Math.round((performance.now() - started) / 1000), file });
  return status === 0;
}

/** Runs files, so many at once, and gives those that failed. */
async function run(files, atOnce) {
  const waiting = [...files];
  const failed = [];
  const hand = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      if (!(await passes(file))) failed.push(file);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
  return failed;
}

const files = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith(".test.mjs") && (!wanted.length || wanted.includes(name)))
  .sort((one, other) => FIRST.includes(other) - FIRST.includes(one) || (one < other ? -1 : 1));
getModel();
const [sample, host] = await Promise.all([prepareSample(), buildHost()]);
process.env.NOTEWELL_TEST_HOST = join(sample, "host.js"); // so that not every file bundles it
writeFileSync(process.env.NOTEWELL_TEST_HOST, host);
process.on("exit", () => rmSync(sample, { recursive: true, force: true }));
const beside = files.filter((file) => !ALONE.has(file));
const alone = files.filter((file) => ALONE.has(file));
let failed = [...(await run(beside, availableParallelism() + 1)), ...(await run(alone, 1))];
if (failed.length) {
  console.log(`\nOnce more: ${failed.join(", ")}\n`);
  failed = await run(failed, 1);
}
times.sort((one, other) => other.seconds - one.seconds);
for (const { seconds, file } of times) console.log(`FILE ${String(seconds).padStart(4)} s ${file}`);
console.log(`${files.length - failed.length} files passed, ${failed.length} failed`);
process.exitCode = failed.length ? 1 : 0;
