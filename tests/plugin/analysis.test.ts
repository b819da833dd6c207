/** The plugin's own analyzer reads words that are written in several ways as the sidecar does, or is known not to. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { words } from "../../plugin/src/local/words";

interface Case {
  readonly forms: readonly string[];
  readonly plugin: boolean;
}

const cases = JSON.parse(readFileSync("tests/index/analysis-cases.json", "utf8")) as Record<"same" | "different", Case[]>;

/** Whether the text of a note with one form has a word of the other one. */
function finds(one: string, other: string): boolean {
  const among = new Set(words(`before ${one} behind`));
  return words(other).some((word) => among.has(word));
}

describe("words that are written in several ways", () => {
  it.each(cases.same)("$forms: any finds any other, $plugin", ({ forms, plugin }) => {
    expect(forms.every((one) => forms.every((other) => finds(one, other)))).toBe(plugin);
  });

  it.each(cases.different)("$forms: the first says more, $plugin", ({ forms: [special = "", plain = ""], plugin }) => {
    expect(words(special).some((word) => !words(plain).includes(word))).toBe(plugin);
  });
});
