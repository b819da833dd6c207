// The plugin's own index finds by conditions what the server finds, in the cases that the server is tested with.

import { readFileSync } from "node:fs";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Facts } from "../../plugin/src/local/facts";
import { phraseTest } from "../../plugin/src/local/scopes";
import { LocalIndex } from "../../plugin/src/local/localIndex";
import { MemoryStore, MemoryVault, type Note } from "./memoryVault";

interface Kept {
  readonly notes: Readonly<Record<string, { readonly modified: string; readonly properties: Facts["properties"]; readonly body: string }>>;
  readonly cases: readonly { readonly query: string; readonly found: readonly string[] }[];
}
const kept = JSON.parse(readFileSync("tests/contract/conditions.json", "utf8")) as Kept;

/** A note as the app tells it: its file, and what it read of it. */
function noteOf({ modified, properties, body }: Kept["notes"][string]): Note {
  const lines = Object.entries(properties).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  const { aliases = [], tags = [] } = properties as { aliases?: string[]; tags?: string[] };
  const headings = [...body.matchAll(/^# (.*)$/gm)].map(([, text = ""]) => ({ text, level: 1, line: 0 }));
  const text = lines.length > 0 ? `---\n${lines.join("")}---\n${body}` : body;
  return { text, properties, aliases, tags, headings, mtime: Date.parse(modified), created: Date.now() };
}

describe("conditions of a query", () => {
  const zone = process.env["TZ"];
  beforeAll(() => void (process.env["TZ"] = "UTC"));
  afterAll(() => void (process.env["TZ"] = zone));

  it.each(kept.cases)("“$query” finds what the server finds", async ({ query, found }) => {
    const notes = Object.fromEntries(Object.entries(kept.notes).map(([path, note]) => [path, noteOf(note)]));
    const index = new LocalIndex({ vault: new MemoryVault(notes), store: new MemoryStore(), limit: 1e6, links: () => ({}) });
    await index.begin();
    const { results } = await index.search(query, { limit: 100, isTyping: false });
    expect(results.map(({ path }) => path).sort()).toEqual(found);
  });
});

describe("a phrase", () => {
  it.each([
    ["annual report", "the **annual**\n _report_", true],
    ["don't panic", "Don\u2019t panic", true],
    ["cafe noir", "Un Café Noir, bitte", true],
    ["use obsidian", "我们use Obsidian的插件", true],
    ["annual report", "the annual, report", false],
    ["cat food", "cat foods", false],
    ["art show", "start show", false],
  ])("“%s” in “%s”: %s", (phrase, text, holds) => {
    expect(phraseTest(phrase)(text)).toBe(holds);
  });
});
