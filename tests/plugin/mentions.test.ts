/** The names of notes within texts, and what of a note is prose. */

import { describe, expect, it } from "vitest";
import { Mentions } from "../../plugin/src/local/mentions";
import { prose } from "../../plugin/src/local/prose";

const notes = new Map([
  ["Kitchen/Country loaf.md", ["Country loaf"]],
  ["Country.md", ["Country"]],
  ["SRS.md", ["Spaced repetition", "SRS"]],
  ["Hives.md", ["Hives"]],
  ["Tokyo.md", ["东京"]],
  ["2026.md", ["2026"]],
  ["Bread.md", ["Bread"]],
  ["O'Neil's well-known tree.md", ["O'Neil's well-known tree"]],
]);

const mentions = new Mentions({
  paths: () => notes.keys(),
  facts: (path) => {
    const [title, ...aliases] = notes.get(path) ?? [];
    return title === undefined ? null : { title, aliases };
  },
  isCommon: (word) => word === "bread",
});

async function found(text: string, isWanted = (_: string): boolean => true): Promise<string[]> {
  await mentions.ready();
  return mentions.find(text, isWanted).map(({ start, end, path }) => `${text.slice(start, end)}=${path}`);
}

describe("mentions of notes", () => {
  it.each([
    ["A country loaf in the country.", ["country loaf=Kitchen/Country loaf.md", "country=Country.md"]],
    ["One hive, and SPACED   repetition.", ["hive=Hives.md", "SPACED   repetition=SRS.md"]],
    ["我在东京住", ["东京=Tokyo.md"]],
    ["Under O'Neil's well-known tree.", ["O'Neil's well-known tree=O'Neil's well-known tree.md"]],
    ["In 2026, an srs of bread, in countryside.", []],
  ])("in %j are found", async (text, expected) => {
    expect(await found(text)).toEqual(expected);
  });

  it("of notes that are not wanted give way to shorter ones", async () => {
    expect(await found("country loaf", (path) => path !== "Kitchen/Country loaf.md")).toEqual(["country=Country.md"]);
  });

  it("follow a rename", async () => {
    await mentions.ready();
    notes.set("Skeps.md", ["Skeps"]);
    notes.delete("Hives.md");
    for (const path of ["Hives.md", "Skeps.md"]) mentions.changed(path);
    expect(await found("Hives and skeps.")).toEqual(["skeps=Skeps.md"]);
  });
});

describe("prose", () => {
  const shown = (text: string, before = ""): string => prose(text, before).replace(/\s+/g, " ").trim();

  it.each([
    ["A [[link|x]], ![[embed]], [text](url) and `code`.", "A , , and ."],
    ["---\ntitle: x\n---\nText", "Text"],
    ["# Heading\nText #tag/sub and $x$, http://a.b/c <b>bold</b>", "Text and , bold"],
    ["One\n```js\ncode\n```\nTwo", "One Two"],
    ["One\n~~~\nnever closed", "One"],
    ["One %%a\ncomment%% two", "One two"],
  ])("of %j is the rest", (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(prose(text)).toHaveLength(text.length);
  });

  it("knows of the code or properties that it begins in", () => {
    expect(shown("code\n```\nText", "One\n```js\n")).toBe("Text");
    expect(shown("code\n```\nText", "---\na: 1\n---\n```js\n")).toBe("Text");
    expect(shown("b: 2\n---\nText", "---\na: 1\n")).toBe("Text");
    expect(shown("Text", "```\ncode\n```\n")).toBe("Text");
  });
});
