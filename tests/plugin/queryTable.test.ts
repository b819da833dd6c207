/** The query table: the cases that Python made (tests/features/query_table) hold for the plugin too. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { QueryTable } from "../../plugin/src/local/queryTable";

interface Case {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly silent: boolean;
  readonly agreement: number;
  readonly vector: readonly number[] | null;
}

const FOLDER = join(import.meta.dirname, "..", "features", "query_table");
const CASES = JSON.parse(readFileSync(join(FOLDER, "cases.json"), "utf8")) as Record<"wordpiece" | "unigram", readonly Case[]>;
const bytesOf = (kind: string): Uint8Array => new Uint8Array(readFileSync(join(FOLDER, `${kind}.bin`)));
const tableOf = (bytes: Uint8Array): QueryTable => new QueryTable(new Uint8Array(bytes).buffer, 0, bytes.length);

describe.each(["wordpiece", "unigram"] as const)("a table of %s tokens", (kind) => {
  const table = tableOf(bytesOf(kind));

  it.each(CASES[kind])("cuts “$text” as the model does, and makes its vector", ({ text, tokens, silent, agreement, vector }) => {
    expect(table.tokens(text)).toEqual(tokens);
    const found = table.vector(text);
    expect(found === null).toBe(silent);
    if (!found || !vector) return;
    expect(found.agreement).toBeCloseTo(agreement, 4);
    expect(found.vector).toHaveLength(vector.length);
    vector.forEach((value, n) => expect(found.vector[n]).toBeCloseTo(value, 4));
  });

  it("is refused where it ends too early or is another's", () => {
    const bytes = bytesOf(kind);
    for (let end = 0; end < bytes.length; end += 5) expect(() => tableOf(bytes.slice(0, end))).toThrow(/not whole/);
    for (const at of [0, 8, 28, 32, 44]) expect(() => tableOf(bytes.map((byte, n) => (n === at ? byte ^ 64 : byte)))).toThrow();
  });
});
