// The plugin's own index: what it finds, in which order, and what it keeps for the next start.

import { describe, expect, it } from "vitest";
import { LocalIndex } from "../../plugin/src/local/localIndex";
import type { StoredSegment } from "../../plugin/src/local/segment";
import { memoryIndex, MemoryStore, MemoryVault, type Note } from "./memoryVault";

async function indexOf(notes: Record<string, Note>, { store = new MemoryStore(), limit = 1e9, links = {} } = {}) {
  const vault = new MemoryVault(notes);
  const index = new LocalIndex({ vault, store, limit, links: () => links });
  await index.begin();
  return { index, vault, store };
}

const found = async (index: LocalIndex, query: string, isTyping = false) =>
  (await index.search(query, { limit: 20, isTyping })).results.map(({ path }) => path);

const NOTES: Record<string, Note> = {
  "Bread.md": { text: "# Bread\n\nFlour, water and a sourdough starter.\n\n## Oven\n\nBake it hot, for 40 minutes.", tags: ["baking/bread"] },
  "Cold starter.md": { text: "Keep the starter in the fridge. It sleeps there.", aliases: ["Sleeping dough"], properties: { rating: 5, due: "2026-02-03" } },
  "Garden/Slugs.md": { text: "They eat the lettuce. Beer traps work. Old version of the plan.", tags: ["garden"], properties: { status: "done" } },
  "Garden/Plan.md": { text: "The old garden plan: beds, paths and a compost heap.", mtime: 5_000 },
  "日記.md": { text: "東京の図書館で本を読んだ。" },
  "Archive/Café notes.md": { text: "Crème brûlée and a naïve idea. **Flat** white.", tags: ["food"] },
};

describe("the index in the plugin", () => {
  it.each([
    ["sourdough", ["Bread.md"]],
    ["starter fridge", ["Cold starter.md", "Bread.md"]],
    ["sleeping dough", ["Cold starter.md"]], // an alias
    ["cafe", ["Archive/Café notes.md"]],
    ["BRULEE naive", ["Archive/Café notes.md"]],
    ["図書館", ["日記.md"]],
    ["東京", ["日記.md"]],
    ["sourdogh", ["Bread.md"]], // a letter is missing
    ["letuce", ["Garden/Slugs.md"]],
    ["traps", ["Garden/Slugs.md"]],
    ["trap", ["Garden/Slugs.md"]],
    ["zzzqqq", []],
  ])("finds “%s”", async (query, expected) => {
    const { index } = await indexOf(NOTES);
    expect(await found(index, query)).toEqual(expected);
  });

  it.each([
    ['"old version"', ["Garden/Slugs.md"]],
    ['"version old"', []],
    ["plan -lettuce", ["Garden/Plan.md"]],
    ['plan -"old version"', ["Garden/Plan.md"]],
    ["path:garden", ["Garden/Plan.md", "Garden/Slugs.md"]],
    ["tag:baking", ["Bread.md"]],
    ["tag:bak", []],
    ["[rating:>4]", ["Cold starter.md"]],
    ["[rating:>5]", []],
    ["[due:2026-02]", ["Cold starter.md"]],
    ["status:done OR tag:food", ["Archive/Café notes.md", "Garden/Slugs.md"]],
    ["old -tag:garden", ["Garden/Plan.md"]],
    ['"flat white"', ["Archive/Café notes.md"]],
    ['"東京の図書"', ["日記.md"]],
  ])("holds notes to the conditions of %s", async (query, expected) => {
    const { index } = await indexOf(NOTES);
    expect((await found(index, query)).sort()).toEqual(expected);
  });

  it("shows the passage that has a phrase first, and tells of a phrase that no passage has", async () => {
    const often = "Doe met Jane. Jane, Doe and Jane.";
    const notes: Record<string, Note> = {
      "Late.md": { text: `${often}\n\n## Later\n\nThen **Jane** Doe came.` },
      "Elsewhere.md": { text: `---\nauthor: Jane Doe\n---\n${often}`, properties: { author: "[[Jane Doe]]" }, aliases: ["Other"] },
    };
    const { index } = await indexOf(notes);
    const { results } = await index.search('"jane doe"', { limit: 5, isTyping: false });
    const told = Object.fromEntries(results.map(({ path, snippet, reasons }) => [path, [snippet, ...reasons.map(({ text }) => text)]]));
    expect(told).toEqual({ "Late.md": ["Then Jane Doe came."], "Elsewhere.md": [often, "author: Jane Doe"] });
  });

  it("finds an unfinished word while it is typed, and only then", async () => {
    const { index } = await indexOf(NOTES);
    expect(await found(index, "sourd", true)).toEqual(["Bread.md"]);
    expect(await found(index, "sourd")).toEqual([]);
  });

  it("puts the note that is named like the query first", async () => {
    const notes = { "A.md": { text: "plan ".repeat(100) }, "Plan.md": { text: "Nothing." }, "Planning.md": { text: "Nothing." } };
    const { index } = await indexOf(notes);
    expect(await found(index, "plan", true)).toEqual(["Plan.md", "Planning.md", "A.md"]);
    expect(index.byName("pla", 5).map(({ path }) => path)).toEqual(["Plan.md", "Planning.md"]);
  });

  it("shows the passage, its heading, its line and the words", async () => {
    const { index } = await indexOf(NOTES);
    const [first] = (await index.search("oven minutes", { limit: 5, isTyping: false })).results;
    expect(first).toMatchObject({ heading: "Bread > Oven", line: 7, snippet: "Bake it hot, for 40 minutes." });
    expect(first?.highlights.map(([from, to]) => first.snippet.slice(from, to))).toEqual(["minutes"]);
  });

  it("reads only what changed at a second start", async () => {
    const long = "words of some length ".repeat(3_000);
    const notes: Record<string, Note> = { "A.md": { text: `alpha ${long}` }, "B.md": { text: `beta ${long}` }, "C.md": { text: "gamma" } };
    const { store } = await indexOf(notes);
    notes["B.md"] = { text: `delta ${long}`, mtime: 2_000 };
    delete notes["C.md"];
    const { index, vault } = await indexOf(notes, { store });
    expect(vault.read_).toEqual(["B.md"]);
    expect(await found(index, "alpha")).toEqual(["A.md"]);
    expect(await found(index, "delta")).toEqual(["B.md"]);
    expect(await found(index, "beta")).toEqual([]);
    expect(await found(index, "gamma")).toEqual([]);
  });

  it("drops what is damaged in the store, and reads it again", async () => {
    const text = "alpha ".repeat(20_000);
    const { store } = await indexOf({ "A.md": { text } });
    const [[key, value]] = [...store.kept] as [[number, StoredSegment]];
    const bytes = value.bytes.slice();
    bytes[0] = 200;
    store.kept.set(key, { ...value, bytes });
    store.kept.set(key + 1, "not a segment");
    const { index, vault } = await indexOf({ "A.md": { text } }, { store });
    expect(vault.read_).toEqual(["A.md"]);
    expect(await found(index, "alpha")).toEqual(["A.md"]);
  });

  it("knows of notes beyond its limit by name and heading only", async () => {
    const notes = {
      "New.md": { text: "alpha ".repeat(10), mtime: 9_000 },
      "Old.md": { text: "alpha ".repeat(10), mtime: 1, headings: [{ text: "Beta", level: 1, line: 0 }] },
    };
    const { index, vault } = await indexOf(notes, { limit: 100 });
    expect(vault.read_).toEqual(["New.md"]);
    expect(await found(index, "alpha")).toEqual(["New.md"]);
    expect(await found(index, "beta")).toEqual(["Old.md"]);
    expect(index.reader.skipped).toBe(1);
  });

  it("follows changes, renames and removals", async () => {
    const notes: Record<string, Note> = { "A.md": { text: "alpha" }, "B.md": { text: "beta" } };
    const { index } = await indexOf(notes);
    notes["A.md"] = { text: "gamma", mtime: 2 };
    notes["C.md"] = notes["B.md"]!;
    delete notes["B.md"];
    for (const path of ["A.md", "B.md", "C.md"]) index.changed(path);
    await expect.poll(() => found(index, "gamma"), { timeout: 60_000 }).toEqual(["A.md"]);
    expect(await found(index, "beta")).toEqual(["C.md"]);
    expect(await found(index, "alpha")).toEqual([]);
    index.end();
  });

  it("is the same index after many changes as one made anew", async () => {
    const text = (n: number) => `word${n} common ${"filler text ".repeat(2_000)}`;
    const notes: Record<string, Note> = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.md`, { text: text(n) }]));
    const { index, store } = await indexOf(notes);
    for (let n = 0; n < 6; n += 1) {
      notes[`${n}.md`] = { text: text(n + 100), mtime: 2_000 };
      index.changed(`${n}.md`);
    }
    await expect.poll(() => index.reader.isComplete && index.reader.index.frequency("word104"), { timeout: 60_000 }).toBe(1);
    index.end();
    const fresh = (await indexOf(notes)).index;
    const again = (await indexOf(notes, { store })).index;
    for (const query of ["common", "word7", "word102", "word2"]) {
      const expected = (await fresh.search(query, { limit: 20, isTyping: false })).results;
      for (const other of [index, again]) {
        expect((await other.search(query, { limit: 20, isTyping: false })).results).toEqual(expected);
      }
    }
  });
});

describe("similar notes without a server", () => {
  const notes: Record<string, Note> = {
    "Own.md": { text: "A starter of rye and patience.", tags: ["bread"] },
    "Tagged.md": { text: "Something else.", tags: ["bread"] },
    "Linking.md": { text: "Nothing in common." },
    "Wordy.md": { text: "Rye needs patience." },
    "Alien.md": { text: "Tax forms." },
    "Hub.md": { text: "A hub." },
  };
  const links = { "Own.md": { "Hub.md": 1 }, "Linking.md": { "Hub.md": 1 } };

  it("shares links, tags or rare words, and says which", async () => {
    const { index } = await indexOf(notes, { links });
    const { results } = await index.similar({ path: "Own.md" }, 10);
    const reasons = Object.fromEntries(results.map(({ path, reasons: why }) => [path, why[0]?.text]));
    expect(reasons).toMatchObject({ "Tagged.md": "Both have #bread", "Linking.md": "Both link to Hub", "Wordy.md": "Rare words in common" });
    expect(Object.keys(reasons)).not.toContain("Alien.md");
    expect(Object.keys(reasons)).not.toContain("Own.md");
  });

  it("leaves out linked notes where that is wanted, and takes a text", async () => {
    const { index } = await indexOf(notes, { links });
    const unlinked = await index.similar({ path: "Own.md" }, 10, true);
    expect(unlinked.results.map(({ path }) => path)).not.toContain("Hub.md");
    const ofText = await index.similar({ text: "patience with rye" }, 10);
    expect(ofText.results.map(({ path }) => path).sort()).toEqual(["Own.md", "Wordy.md"]);
  });
});

describe("within one note", () => {
  const text = "# Hives\n\nThe bees like the room.\n\nThe honey is in the comb.\n\nThe rest of the page.";

  it("finds the passages with its rare words, and not those with only its common ones", async () => {
    const others = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.md`, { text: "The other note." }]));
    const local = memoryIndex({ "Hives.md": { text }, ...others });
    await local.begin();
    const { results } = local.within("Hives.md", text, "where is the honey", { limit: 5, isTyping: false });
    expect(results.flatMap((result) => [result, ...result.passages]).map(({ line }) => line)).toEqual([5]);
  });

  it("finds words that were written a moment ago", async () => {
    const local = memoryIndex({ "Hives.md": { text } });
    await local.begin();
    const { results } = local.within("Hives.md", `${text}\n\nA queen.`, "queen", { limit: 5, isTyping: true });
    expect(results[0]?.line).toBe(9);
    expect(local.within("Hives.md", text, "queen", { limit: 5, isTyping: true }).results).toEqual([]);
  });
});
