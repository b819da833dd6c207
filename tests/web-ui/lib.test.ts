/** The small parts: addresses, conditions, stages, time. */

import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../plugin/web/lib/address";
import { arrange } from "../../plugin/web/lib/arrange";
import { h } from "../../plugin/web/lib/dom";
import { conditions, narrowed, without } from "../../plugin/web/parts/chips";
import { marked } from "../../plugin/web/lib/marks";
import { movements } from "../../plugin/web/parts/stages";
import { StoredList } from "../../plugin/web/parts/searchHistory";
import { at, axisOf, dayNumber, ticks } from "../../plugin/web/lib/timeline";
import { ago, bytes, nameOf } from "../../plugin/web/lib/format";

describe("an address", () => {
  it.each([
    ["#/search?q=how+bees&vault=Home", "search", "", { q: "how bees", vault: "Home" }],
    ["#/manage/ledger?state=failed", "manage", "ledger", { state: "failed" }],
    ["", "search", "", {}],
    ["#/nowhere?q=a", "search", "", { q: "a" }],
  ] as const)("%s is read", (hash, view, part, query) => {
    expect(parseAddress(hash)).toEqual({ view, part, query });
  });

  it("is written as it is read, whatever is in it", () => {
    const query = { q: 'a&b #c "d" 日本', note: "Mind/A & B?.md" };
    const written = formatAddress({ view: "search", part: "", query: { ...query, empty: "" } });
    expect(parseAddress(written)).toEqual({ view: "search", part: "", query });
    expect(written).toContain("Mind/A");
  });
});

describe("conditions of a query", () => {
  const texts = (query: string): string[] => conditions(query).map(({ text }) => text);

  it.each([
    ['bread tag:recipe -path:"My Folder" soup', ["tag:recipe", '-path:"My Folder"']],
    ['[rating:>3] modified:7d "left-hand thread"', ["[rating:>3]", "modified:7d", '"left-hand thread"']],
    ["(tag:a OR tag:b)", ["tag:a", "tag:b"]],
    ["[[A link]] colour:red http://x", []],
  ])("%s", (query, found) => {
    expect(texts(query)).toEqual(found);
  });

  it("are taken away one by one", () => {
    const query = "bread tag:a OR tag:b soup";
    const [first, second] = conditions(query);
    if (!first || !second) throw new Error("two conditions");
    expect(without(query, first)).toBe("bread tag:b soup");
    expect(without(query, second)).toBe("bread tag:a soup");
  });

  it("are added once, quoted where needed", () => {
    expect(narrowed("bread", "path", "My Folder/")).toBe('bread path:"My Folder/"');
    expect(narrowed("bread tag:a", "tag", "a")).toBe("bread tag:a");
  });
});

it("marks only what is inside a snippet, once", () => {
  const shown = (ranges: [number, number][]): string[] =>
    marked("bees at home", ranges).map((part) => (typeof part === "string" ? part : `[${part.textContent}]`));
  expect(shown([[0, 4], [8, 12]])).toEqual(["[bees]", " at ", "[home]"]);
  expect(shown([[8, 99], [-5, 2], [1, 4], [3, 3]])).toEqual(["[be]", "[es]", " at ", "[home]"]);
});

it("tells who rose, who fell and who came in between stages", () => {
  const stage = (top: string[]): Parameters<typeof movements>[0][number] => ({ name: "x", ms: 1, count_in: 3, count_out: 3, removed: [], top, moved: [] });
  const [first, nothing, second] = movements([stage(["a", "b"]), stage([]), stage(["b", "c", "a"])]);
  expect(first?.map(({ by }) => by)).toEqual([0, 0]);
  expect(nothing).toEqual([]);
  expect(second?.map(({ path, by }) => [path, by])).toEqual([["b", 1], ["c", null], ["a", -2]]);
});

describe("time", () => {
  it("has an axis with a few ticks, however long it is", () => {
    for (const [start, end] of [["2026-03-01", "2026-03-02"], ["2025-11-02", "2026-06-21"], ["1999-01-01", "2026-01-01"]] as const) {
      const axis = axisOf([{ start, end }]);
      expect(at(axis, dayNumber(start))).toBe(0);
      const found = ticks(axis, 12);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(12);
    }
  });

  it("is told as people do", () => {
    const now = Date.parse("2026-03-02T12:00:00Z");
    expect(ago("2026-03-02T11:59:50Z", now)).toBe("just now");
    expect(ago("2026-02-16T12:00:00Z", now)).toBe("2 weeks ago");
    expect(ago(null, now)).toBe("");
  });
});

it("formats names and sizes", () => {
  expect(nameOf("a/b/c.md")).toBe("c");
  expect([bytes(12), bytes(1_400), bytes(53_457), bytes(2_000_000_000)]).toEqual(["12 B", "1.4 kB", "53 kB", "2.0 GB"]);
});

it("remembers the latest first, each once, and not for ever", () => {
  const kept = new StoredList<string>("test", 2);
  for (const word of ["a", "b", "a", "c"]) kept.add(word, (other) => other === word);
  expect(kept.all).toEqual(["c", "a"]);
  localStorage.setItem("notewell:test", "not JSON");
  expect(kept.all).toEqual([]);
});

describe("a list that is arranged anew", () => {
  const row = (key: string, text: string): HTMLElement => h("li", { "data-key": key }, h("a", { href: `#${text}` }, text), h("details", {}, h("summary", {}, "more")));

  it("keeps the rows it has, moves them, and brings them up to date", () => {
    const list = h("ol", {}, row("a", "one"), row("b", "two"), row("c", "three"));
    const [a, b] = [...list.children];
    b?.querySelector("details")?.setAttribute("open", "");
    arrange(list, [row("d", "new"), row("b", "TWO"), row("a", "one")]);
    expect([...list.querySelectorAll("a")].map((link) => `${link.getAttribute("href")} ${link.textContent}`)).toEqual(["#new new", "#TWO TWO", "#one one"]);
    expect([list.children[1], list.children[2]]).toEqual([b, a]);
    expect(b?.querySelector("details")?.hasAttribute("open"), "what was unfolded stays so").toBe(true);
  });
});
