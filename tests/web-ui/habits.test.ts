import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const ROW = /^\| (\d+) \| .+ \| (\S+): (.+) \|$/gm;
const TITLE = /^ *test\((["`])(.+?)\1, |^(?:async )?def (test_\w+)\(/gm;

/** Titles of the tests in the files of this name; without what they say of the device, which they take from a loop. */
function titles(name: string): string[] {
  const files = readdirSync("tests", { recursive: true, encoding: "utf8" }).filter((path) => basename(path) === name);
  const found = files.flatMap((path) => [...readFileSync(join("tests", path), "utf8").matchAll(TITLE)]);
  return found.map(([, , script, python]) => (script ?? python ?? "").replace(/\$\{\w+\}(: |, )?/g, ""));
}

test("each of the 49 habits names a test that there is", () => {
  const rows = [...readFileSync("tests/e2e/habits.md", "utf8").matchAll(ROW)];
  const missing = rows.filter(([, , file = "", title = ""]) => !titles(file).some((each) => each && title.endsWith(each)));
  expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 49 }, (_, at) => at + 1));
  expect(missing.map(([row]) => row)).toEqual([]);
});
