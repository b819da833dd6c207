/** The parts of a list of results that need no app: order, highlights, filters, texts. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { breadcrumb, count, duration, fileText, folderOf, pieces } from "../../plugin/src/format";
import { scoreParts } from "../../plugin/src/ui/scores";
import { passagesOf } from "../../plugin/src/local/passages";
import { afterRename, marksOf, withMark } from "../../plugin/src/ui/marks";
import { arranged, grouped, merged, sorted, steady, withTyped } from "../../plugin/src/ui/ranking";
import { emptyMessage, filtered } from "../../plugin/src/ui/similarNotes";
import { sectionAt } from "../../plugin/src/ui/target";
import { aReply, aResult } from "./samples";

const paths = (results: readonly { path: string }[]): string =>
  results.map(({ path }) => path).join(" ");

describe("answers to a query that is being typed", () => {
  const word = (path: string, coverage: number) => aResult(path, { match: null, scores: { ...aResult(path).scores, coverage } });
  const weak = aResult("weak", { match: "weak" });

  it("keep notes with all words after better ones, before weak ones, and before corrections", () => {
    const words = aReply([word("all", 1), word("weak", 1), word("some", 0.5), word("a", 1)]);
    const server = aReply([aResult("a"), weak], { total: 9 });
    const whole = withTyped(server, words);
    expect([paths(whole.results), whole.total]).toEqual(["a all weak", 10]);
    expect(paths(withTyped({ ...server, corrected: { text: "b", from: [] } }, words).results)).toBe("all weak a");
  });

  it("keep the first note first while it matches no less than the best", () => {
    const [one, other, related] = [aResult("one"), aResult("other"), aResult("related", { match: "related" })];
    expect(paths(steady([one, other], other, "b"))).toBe("other one");
    expect(paths(steady([one, related], related, "b"))).toBe("one related");
    expect(paths(steady([aResult("bees"), other], other, "bees"))).toBe("bees other");
    expect(paths(steady([one, other], aResult("gone"), "b"))).toBe("one other");
    expect(paths(steady([word("all", 1), word("some", 0.5)], word("some", 1), "b"))).toBe("all some");
  });
});

describe("taking in a better ranking", () => {
  const shown = ["a", "b", "c", "d"].map((path) => aResult(path));

  it("sorts everything when no row is under the pointer", () => {
    const better = ["c", "x", "a"].map((path) => aResult(path));
    expect(paths(merged(shown, better, -1))).toBe("c x a");
  });

  it("leaves what is about to be clicked and everything above it in place", () => {
    const better = ["c", "x", "a", "b"].map((path) => aResult(path));
    expect(paths(merged(shown, better, 1))).toBe("a b c x");
  });

  it("keeps a row that is pointed at even if the better answer has lost it", () => {
    expect(paths(merged(shown, [aResult("d")], 0))).toBe("a d");
  });

  it("leaves them as they are drawn, because another snippet may have another height", () => {
    const better = [aResult("b"), aResult("a", { snippet: "Longer." })];
    expect(merged(shown, better, 0)[0]).toBe(shown[0]);
  });
});

describe("sorting", () => {
  const results = [
    aResult("x/Note 10.md", { modified: "2026-01-01T00:00:00+00:00" }),
    aResult("Note 9.md", { modified: "2026-01-01T01:30:00+02:00" }),
    aResult("élan.md", { modified: null }),
  ];

  it("by name counts numbers and ignores accents and folders", () => {
    expect(paths(sorted(results, "name"))).toBe("élan.md Note 9.md x/Note 10.md");
  });

  it("by time compares instants, not their spelling", () => {
    expect(paths(sorted(results, "modified"))).toBe("x/Note 10.md Note 9.md élan.md");
  });
});

describe("groups by folder", () => {
  const results = ["b/1.md", "a/2.md", "b/3.md", "4.md"].map((path) => aResult(path));

  it("follow their best note", () => {
    expect(paths(grouped(results, "relevance"))).toBe("b/1.md b/3.md a/2.md 4.md");
  });

  it("are in the order of their names where the notes are", () => {
    expect(paths(grouped(results, "name"))).toBe("4.md a/2.md b/1.md b/3.md");
  });
});

describe("highlights", () => {
  const marked = (...args: Parameters<typeof pieces>): string =>
    pieces(...args)
      .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
      .join("");

  it("mark the ranges", () => {
    expect(marked("bees in hives", [[0, 4], [8, 13]], 100)).toBe("[bees] in [hives]");
  });

  it.each([
    ["out of order and overlapping", [[8, 13], [0, 4], [2, 6]]],
    ["beyond the text, negative, empty, backwards", [[-5, 4], [8, 99], [5, 5], [7, 6]]],
  ] as [string, [number, number][]][])("survive ranges that are %s", (_, ranges) => {
    expect(marked("bees in hives", ranges, 100)).toMatch(/^\[bees\]/);
  });

  it("count in UTF-16 units, as the server does", () => {
    expect(marked("🐝 hive", [[3, 7]], 100)).toBe("🐝 [hive]");
  });

  it("stay in a window around the first match of a long text", () => {
    const text = `${"x".repeat(5_000)} hive ${"y".repeat(1_000_000)}`;
    const cut = marked(text, [[5_001, 5_005]], 200);
    expect(cut).toContain("[hive]");
    expect(cut.length).toBeLessThan(210);
  });
});

describe("snippets of the plugin's own search", () => {
  interface Case {
    readonly what: string;
    readonly title: string;
    readonly note: string;
    readonly words: readonly string[];
    readonly chars: number;
    readonly snippet: string;
    readonly marks: readonly string[];
  }
  const cases = JSON.parse(readFileSync("tests/contract/snippet-cases.json", "utf8")) as Case[];

  it.each(cases.map((one) => [one.what, one] as const))("are as the server's: %s", (_, { title, note, words, chars, snippet, marks }) => {
    const [passage] = passagesOf(note, new Map(words.map((word) => [word, 1])), 1, { title });
    const shown = pieces(passage?.snippet ?? "", passage?.highlights ?? [], chars);
    expect(shown.map(({ text }) => text).join("")).toBe(snippet);
    expect(shown.filter(({ isMatch }) => isMatch).map(({ text }) => text)).toEqual(marks);
  });

  interface HeadingCase {
    readonly what: string;
    readonly note: string;
    readonly headings: readonly (readonly [level: number, text: string, line: number])[];
    readonly passages: readonly (readonly [word: string, path: string, line: number])[];
  }
  const headingCases = JSON.parse(readFileSync("tests/vault/heading-cases.json", "utf8")) as HeadingCase[];

  it.each(headingCases.map((one) => [one.what, one] as const))("stand below the headings that the app has, as the server's do: %s", (_, { note, headings, passages }) => {
    const known = headings.map(([level, text, line]) => ({ level, text, line }));
    for (const [word, path, line] of passages) {
      const [found] = passagesOf(note, new Map([[word, 1]]), 1, { headings: known });
      expect([found?.heading, found?.line]).toEqual([path, line]);
    }
  });

  it("read headings from the lines where the app has not read the text yet", () => {
    const [found] = passagesOf("New text.\n\n# Bread\n\nBake it.\n", new Map([["bake", 1]]), 1, { headings: [{ level: 1, text: "Bread", line: 0 }] });
    expect(found?.heading).toBe("Bread");
  });

  it("do not say a heading twice", () => {
    const note = "# Sunday\n\n## Bread\n\nIt sprang.\n";
    const found = ["sunday", "bread", "sprang"].map((word) => passagesOf(note, new Map([[word, 1]]), 1)[0]);
    expect(found.map((passage) => [passage?.heading, passage?.snippet])).toEqual([[null, "Sunday"], ["Sunday", "Bread"], ["Sunday > Bread", "It sprang."]]);
  });
});

describe("texts", () => {
  it("name passages and places", () => {
    const passage = aResult("a.md", { heading: "One > Two", parent: "buy bread" });
    expect(breadcrumb(passage, "Bread")).toBe("One › Two › buy bread");
    expect(breadcrumb(passage, "One"), "a title is not said twice").toBe("Two › buy bread");
    expect([folderOf("a/b/c.md"), folderOf("c.md")]).toEqual(["a/b", ""]);
  });

  it("name the page of a PDF, and the notes that embed a file", () => {
    const paper = aResult("Papers/paper.pdf", { heading: "Methods", page: 3, embedded_in: ["Reading.md", "b/Old.md", "c/New.md"] });
    expect(breadcrumb(paper, "paper")).toBe("page 3 · Methods");
    expect(breadcrumb({ ...paper, heading: null }, "paper")).toBe("page 3");
    expect(fileText(paper)).toBe("in paper.pdf, embedded in Reading and 2 more");
    expect(fileText(aResult("Papers/paper.pdf", { embedded_in: ["b/Reading.md"] }))).toBe("in paper.pdf, embedded in Reading");
    expect(fileText(aResult("Plan.canvas"))).toBe("in Plan.canvas");
    expect(fileText(aResult("Plan.md"))).toBe("");
    expect(fileText(aResult("Plan.md", { copies: ["Plan 2.md"] }))).toBe("1 conflict copy");
    expect(fileText(aResult("Plan.md", { copies: ["Plan 2.md", "Plan 3.md"] }))).toBe("2 conflict copies");
    expect(fileText({ path: "Plan.canvas" }), "of an earlier server").toBe("in Plan.canvas");
    expect(fileText(aResult("a/note.md"))).toBe("");
  });

  it("count", () => {
    expect([count(1, "note", "notes"), count(0, "note", "notes")]).toEqual(["1 note", "0 notes"]);
    expect([duration(0.2), duration(200), duration(90_000)]).toEqual(["1 s", "3 min", "25 h"]);
  });

  it("tell the parts of a score that there are", () => {
    const scores = { ...aResult("a").scores, keyword: null, tag: 1.2 };
    const text = scoreParts(aResult("a.md", { scores }));
    expect(text).toContain("tag: 1.20");
    expect(text).not.toMatch(/keyword|recency/);
  });
});

describe("similar notes", () => {
  const all = [aResult("self.md"), aResult("near.md"), aResult("far.md", { match: "related" })];

  it("are never the note itself, and only those that are near enough", () => {
    const rest = filtered(all, { self: "self.md", least: "strong", isLinked: null });
    expect([paths(rest.shown), rest.belowLeast, rest.linked]).toEqual(["near.md", 1, 0]);
  });

  it("may be only those that are not linked", () => {
    const isLinked = (path: string): boolean => path === "near.md";
    const rest = filtered(all, { self: "self.md", least: "related", isLinked });
    expect([paths(rest.shown), rest.linked]).toEqual(["far.md", 1]);
  });

  it("say why there is none", () => {
    const none = { shown: [], belowLeast: 0, linked: 0 };
    const titles = [
      emptyMessage(none),
      emptyMessage({ ...none, belowLeast: 2 }),
      emptyMessage({ ...none, linked: 2 }),
      emptyMessage({ ...none, shown: all }),
    ].map(({ title }) => title);
    expect(new Set(titles).size).toBe(4);
  });
});

describe("marks", () => {
  it("put pinned notes first and hide hidden ones", () => {
    let marks = withMark({}, "n", "b", "pinned", true);
    marks = withMark(marks, "n", "a", "hidden", true);
    const results = ["a", "c", "b"].map((path) => aResult(path));
    expect(paths(arranged(results, marksOf(marks, "n")))).toBe("b c");
    expect(paths(arranged(results, marksOf(marks, "other")))).toBe("a c b");
  });

  it("leave nothing behind when they are taken away", () => {
    const marks = withMark({}, "n", "a", "hidden", true);
    expect(withMark(marks, "n", "a", "hidden", false)).toEqual({});
  });

  it("follow a note that moves, in both roles", () => {
    const marks = { n: { hidden: ["a"], pinned: [] }, a: { hidden: [], pinned: ["b"] } };
    expect(afterRename(marks, "a", "z")).toEqual({
      n: { hidden: ["z"], pinned: [] },
      z: { hidden: [], pinned: ["b"] },
    });
  });
});

describe("the section around the cursor", () => {
  const headings = [
    [1, 0, "Top"],
    [2, 4, "One"],
    [3, 6, "Deep"],
    [2, 9, "Two"],
  ].map(([level, line, heading]) => ({
    level,
    heading,
    position: { start: { line } },
  })) as never;

  it.each([
    [5, "One", 4, 8],
    [7, "Deep", 6, 8],
    [12, "Two", 9, 12],
    [2, "Top", 0, 12],
  ])("of line %i is %s", (line, name, start, end) => {
    expect(sectionAt(headings, line, 12)).toEqual({ name, start, end });
  });

  it("is none above the first heading", () => {
    expect(sectionAt([], 3, 12)).toBeNull();
  });
});
