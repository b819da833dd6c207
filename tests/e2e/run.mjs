// Runs the end-to-end tests file by file. A file that fails is run once more, and said to be: a real
// browser beside a real server on a busy machine may miss a deadline that says nothing of the plugin.
// What fails twice has failed.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);

function run(files) {
  return files.filter((file) => {
    const options = ["--test", "--test-reporter=spec", "--test-timeout=300000", join(folder, file)];
    return spawnSync(process.execPath, options, { stdio: "inherit" }).status !== 0;
  });
}

const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs") && (!wanted.length || wanted.includes(name)));
const failed = run(files);
if (failed.length) console.log(`\nOnce more: ${failed.join(", ")}\n`);
const failedTwice = run(failed);
console.log(`${files.length - failedTwice.length} files passed, ${failedTwice.length} failed`);
process.exitCode = failedTwice.length ? 1 : 0;
