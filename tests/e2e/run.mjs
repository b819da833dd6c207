// Runs the end-to-end tests file by file. A file that fails is run again, at most twice, and said to
// be: a real browser beside a real server on a busy machine may miss a deadline that says nothing of
// the plugin. What fails three times has failed.

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
let failed = run(files);
for (let again = 0; failed.length && again < 2; again += 1) {
  console.log(`\nOnce more: ${failed.join(", ")}\n`);
  failed = run(failed);
}
console.log(`${files.length - failed.length} files passed, ${failed.length} failed`);
process.exitCode = failed.length ? 1 : 0;
