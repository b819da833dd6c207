import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const ROW = /^\| (\d+) \|(?: [^|]+ \|)? [^|]+ \| (whole|part|not) \| (.+) \|$/gm;
const SHOWN = /^(\S+): (.+)$/;
const TITLE = /^ *(?:test|it)\((["`])(.+?)\1, |^(?:async )?def (test_\w+)\(/gm;
const TEXT = readFileSync("tests/e2e/habits.md", "utf8");
const ROWS = [...TEXT.matchAll(ROW)].map(([, number, state = "", said = ""]) => ({ number: Number(number), state, said }));

/** Titles of the tests in the files of this name; without what they say of the device, which they take from a loop. */
function titles(name: string): string[] {
  const files = readdirSync("tests", { recursive: true, encoding: "utf8" }).filter((path) => basename(path) === name);
  const found = files.flatMap((path) => [...readFileSync(join("tests", path), "utf8").matchAll(TITLE)]);
  return found.map(([, , script, python]) => (script ?? python ?? "").replace(/\$\{\w+\}(: |, )?/g, ""));
}

test("each habit that is wholly met names a test that there is", () => {
  const missing = ROWS.filter(({ state, said }) => {
    const [, file = "", title = ""] = SHOWN.exec(said) ?? [];
    return state === "whole" && !titles(file).some((each) => each && title.replace(/\$\{\w+\}/g, "").endsWith(each));
  });
  expect(missing).toEqual([]);
});

test("all habits are there, and as many are wholly met as is said", () => {
  const upTo = (most: number): number[] => Array.from({ length: most }, (_, at) => at + 1);
  expect(ROWS.map(({ number }) => number)).toEqual([...upTo(49), ...upTo(15)]);
  const whole = (rows: typeof ROWS): number => rows.filter(({ state }) => state === "whole").length;
  expect(TEXT).toContain(`${whole(ROWS.slice(0, 49))} of 49 and ${whole(ROWS.slice(49))} of 15 are whole`);
});
