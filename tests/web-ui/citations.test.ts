/** An answer as it is drawn: its citations lead to sources, and to nothing else. */

import { describe, expect, it, vi } from "vitest";
import { drawCitations } from "../../plugin/web/lib/citations";
import { render } from "../../plugin/web/lib/markdown";
import { suggestedPath } from "../../plugin/web/views/ask/save";
import { codeOf, troubleOf } from "../../plugin/web/views/ask/setup";
import { ServerError } from "../../plugin/src/client";

const SOURCES = [
  { n: 1, title: "Bees" },
  { n: 2, title: "Hives <b>" },
];

function drawn(text: string, choose: ((n: number) => void) | null = () => undefined): HTMLElement {
  const el = document.createElement("div");
  el.append(render(text, { note: () => null, tag: () => "#" }));
  drawCitations(el, SOURCES, choose);
  return el;
}
const numbers = (el: HTMLElement): string[] => [...el.querySelectorAll("button.cite")].map((one) => one.textContent);

describe("citations", () => {
  it("become buttons with the source's name, and lead to it", () => {
    const choose = vi.fn();
    const el = drawn("Bees dance [1][2]. In *winter* [2] they do not.", choose);
    expect(numbers(el)).toEqual(["1", "2", "2"]);
    const second = el.querySelectorAll<HTMLElement>("button.cite")[1];
    expect(second?.getAttribute("aria-label")).toBe("Source 2: Hives <b>");
    second?.click();
    expect(choose).toHaveBeenCalledExactlyOnceWith(2);
    expect(el.textContent).toBe("Bees dance\u00a012. In winter\u00a02 they do not.");
  });

  it.each(["1", "[1] alone", "- [1]", "> quoted [2]", "| a |\n|---|\n| b [1] |"])("stand anywhere: %s", (text) => {
    expect(numbers(drawn(text)).length).toBe(text === "1" ? 0 : 1);
  });

  it("of no source stay text, and code stays code", () => {
    const el = drawn("Nobody said so [7]. `list[1]`\n\n```\na[2]\n```");
    expect(numbers(el)).toEqual([]);
    expect(el.textContent).toContain("so [7]");
    expect(el.querySelector("pre")?.textContent).toBe("a[2]\n");
  });

  it.each(["See [1](https://evil.example).", "See [1].\n\n[1]: https://evil.example", "See [[1]]."])("lead nowhere else: %s", (text) => {
    const el = drawn(text);
    expect(el.querySelector("a")).toBeNull();
    expect(numbers(el)).toEqual(["1"]);
  });

  it("are plain marks while the sources are not known", () => {
    const el = drawn("Bees [1] and [9]", null);
    expect(numbers(el)).toEqual([]);
    expect([...el.querySelectorAll("span.cite")].map((one) => one.textContent)).toEqual(["1", "9"]);
  });

  it("do not make text of a model into elements", () => {
    const el = drawn('<img src=x onerror=alert(1)> <script>alert(1)</script> [1] ![p](https://evil.example/p.png)');
    expect(el.querySelector("img, script")).toBeNull();
    expect(el.textContent, "tags are left out, as in notes").not.toContain("<");
    expect(numbers(el)).toEqual(["1"]);
  });
});

it.each([
  ["How do bees find their way?", "Answers/How do bees find their way.md"],
  ["a/b\\c: [[x]] #tag | \"q\"", "Answers/a b c x tag q.md"],
  ["…/../..", "Answers/….md"],
  ["???", "Answers/Answer.md"],
])("%s is saved as %s", (question, path) => {
  expect(suggestedPath(question)).toBe(path);
});

it.each([
  ["ask_off", "No language model is configured", "No language model is set up"],
  ["provider_failed", "The language model at x does not answer (refused).", "The language model is not responding"],
  ["provider_failed", "The language model at x answered with status 429 (slow down).", "Too many questions"],
  ["new_code", "Something.", "No answer"],
])("%s, %s: %s", (code, detail, title) => {
  expect(troubleOf(code, detail).title).toBe(title);
});

it("a refusal before the stream is told by its status", () => {
  expect(codeOf(new ServerError("refused", "", 429))).toBe("rate_limited");
  expect(codeOf(new ServerError("refused", "", 400))).toBe("bad_config");
  expect(codeOf(new ServerError("unreachable", ""))).toBe("");
});
