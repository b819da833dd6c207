/** Conditions on the text as it is written, by the cases of the server's tests (tests/search/query/test_scopes.py), and patterns. */

import { describe, expect, it } from "vitest";
import { LocalIndex } from "../../plugin/src/local/localIndex";
import { compiled } from "../../plugin/src/local/pattern";
import { pieces } from "../../plugin/src/local/scopes";
import { memoryIndex } from "./memoryVault";

const NOTES = {
  "Bread.md": {
    text:
      "---\nauthor: Jane Doe\n---\n# Bread\n\nMix the flour.\nAdd water and salt.\n\n" +
      "## Oven\n\n- [ ] call the HappyCat bakery\n  about flour\n- [x] buy salt on 2026-03-02\n",
  },
  "Cake.md": { text: "# Cake\n\nMix eggs.\nThe happycat sifts flour.\n\n```\n## no heading\n- [ ] no task\n```\n> - [/] half done\n" },
  "Log 2025-01.md": { text: "Nothing here but water.\n\nAnd salt below.\n" },
};

async function indexed(): Promise<LocalIndex> {
  const index = memoryIndex(NOTES);
  await index.begin();
  await expect.poll(() => index.reader.isComplete).toBe(true);
  return index;
}

describe("a condition within a piece of text", () => {
  it.each([
    ["line:(mix flour)", ["Bread"]],
    ["line:(mix -flour)", ["Cake"]],
    ['line:"sifts flour"', ["Cake"]],
    ["block:(mix flour)", ["Bread", "Cake"]],
    ["block:(water salt)", ["Bread"]],
    ["block:(happycat flour)", ["Bread", "Cake"]],
    ["section:(flour bakery)", ["Bread"]],
    ["section:(water bakery)", []],
    ['task:""', ["Bread", "Cake"]],
    ["task-todo:flour", ["Bread"]],
    ["task-done:(salt OR half)", ["Bread", "Cake"]],
    ["task-done:flour", []],
    ["task:no", []],
    ["content:water", ["Bread", "Log 2025-01"]],
    ["content:(water salt) -content:oven", ["Log 2025-01"]],
    ["content:log", []],
    ["-content:water", ["Cake"]],
    ["match-case:(content:HappyCat)", ["Bread"]],
    ["match-case:HappyCat", ["Bread"]],
    ["ignore-case:HappyCat", ["Bread", "Cake"]],
    ["line:(match-case:(HappyCat) bakery)", ["Bread"]],
    ["/\\d{4}-\\d{2}/", ["Bread", "Log 2025-01"]],
    ["line:(/^- \\[x\\]/ salt)", ["Bread"]],
    ["/^author: jane/", ["Bread"]],
    ["match-case:(/Mix E/)", []],
    ["salt -line:(water salt)", ["Log 2025-01"]],
    ["line:(water salt) OR file:log", ["Bread", "Log 2025-01"]],
  ])("“%s” finds what the server finds", async (query, found) => {
    const { results, warnings } = await (await indexed()).search(query, { limit: 20, isTyping: false });
    expect(results.map(({ title }) => title).sort()).toEqual(found);
    expect(warnings).toEqual([]);
  });

  it("reads pieces as the server does", () => {
    const text = "a\nb\n\n# H\nc\n- d\n  e\n- f\n```\n# x\n\n- y\n```\n";
    expect(pieces(text, "block")).toEqual(["a\nb", "# H", "c", "- d\n  e", "- f\n```\n# x\n\n- y\n```"]);
    expect(pieces(text, "section").map((one) => one.split("\n")[0])).toEqual(["a", "# H"]);
  });
});

describe("a pattern", () => {
  it("takes a time linear in the text, where JavaScript's own would try 2 to the power of 100,000 ways", () => {
    expect(compiled("(a|a)*(a|aa)+$b", false)?.(`${"a".repeat(100_000)}!`)).toBe(false);
    expect(compiled("(x+x+)+y", false)?.("x".repeat(100_000))).toBe(false);
  });

  it.each(["(?=a)b", "(?<!a)b", "(a)\\1", "(?i)a", "a**", "*a", "x(", "x)", "[a", "a{300}", "\\q", "((a{9}){9}){9}"])("/%s/ is refused", (pattern) => {
    expect(compiled(pattern, false)).toBeNull();
  });

  it.each([
    ["^b", "a\nB", true],
    ["a$", "ba\nc", true],
    ["\\Ab", "a\nb", false],
    ["\\bcat\\b", "a cat.", true],
    ["\\bcat\\b", "concat", false],
    ["[^a-c\\d]+x", "abc1", false],
    ["\\p{L}\\.", "ß.", true],
    ["🍞{2}", "🍞🍞", true],
    ["a{2,3}b", "ab aab", true],
    ["a{2}b", "ab", false],
    ["(?P<name>a|b)?c", "c", true],
    ["a.c", "a\nc", false],
    ["\\x41\\t", "a\t", true],
    ["", "", true],
    ["a{,3}", "a{,3}", true],
  ])("/%s/ in “%s”", (pattern, text, matches) => {
    expect(compiled(pattern, false)?.(text)).toBe(matches);
  });

  it("matches what JavaScript's own do", () => {
    let seed = 7;
    const random = (n: number): number => (seed = (seed * 48_271) % 2_147_483_647) % n;
    const some = (parts: readonly string[]): string => parts[random(parts.length)] ?? "";
    const piece = (depth: number): string =>
      depth > 0 && random(3) === 0
        ? `(${piece(depth - 1)}${random(2) ? "|" : ""}${piece(depth - 1)})${some(["", "*", "+", "?", "{2}", "{0,2}"])}`
        : some(["a", "b", "[ab]", ".", "^", "$", "\\b", "\\B", "\\w", "[^a]"]);
    for (let n = 0; n < 2_000; n += 1) {
      const pattern = piece(3) + piece(3) + piece(2);
      const text = Array.from({ length: random(8) }, () => some(["a", "b", "A", " ", "\n"])).join("");
      expect(compiled(pattern, false)?.(text), `/${pattern}/ in ${JSON.stringify(text)}`).toBe(new RegExp(pattern, "imu").test(text));
    }
  });
});
