// Runs the end-to-end tests file by file, and says how long each took. A file that fails is run
// again once, and said to be: a real browser beside a real server on a busy machine may miss a
// deadline that says nothing of the plugin. What fails twice has failed.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMMAND } from "./support/command.mjs";

const folder = import.meta.dirname;
const wanted = process.argv.slice(2);
const times = [];

/** The model is fetched once, and not by the server of every file into a home of its own. */
function getModel() {
  if (process.env.RECOLLECT_MODEL_DIR) return;
  const { status, stdout } = spawnSync(COMMAND, ["models", "get"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) process.env.RECOLLECT_MODEL_DIR = dirname(dirname(stdout.trim()));
}

function run(files) {
  return files.filter((file) => {
    const options = ["--test", "--test-reporter=spec", "--test-timeout=300000", join(folder, file)];
    const started = performance.now();
    const { status } = spawnSync(process.execPath, options, { stdio: "inherit" });
    times.push(`${Math.round((performance.now() - started) / 1000)} s ${file}`);
    return status !== 0;
  });
}

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".test.mjs") && (!wanted.length || wanted.includes(name))).sort();
getModel();
let failed = run(files);
if (failed.length) {
  console.log(`\nOnce more: ${failed.join(", ")}\n`);
  failed = run(failed);
}
console.log(`${times.join(", ")}\n${files.length - failed.length} files passed, ${failed.length} failed`);
process.exitCode = failed.length ? 1 : 0;
