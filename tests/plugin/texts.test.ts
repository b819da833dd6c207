/** The catalogue of interface texts: what it says, that it is complete, and that no text goes round it. */

import type { App } from "obsidian";
import { afterEach, describe, expect, it, vi } from "vitest";
import german from "../../plugin/texts/de.json";
import { germanTexts, withTexts } from "../../plugin/texts/pack.mjs";
import { count } from "../../plugin/src/format";
import { catalogueProblem } from "../../plugin/src/catalogueProblem";
import { startLanguage } from "../../plugin/src/language";
import { languageTag, number, t, tn, tparts, useLanguage, type Catalogue, type Entry } from "../../plugin/src/texts";
import { textsInCode } from "./textsInCode";

const catalogue: Catalogue = german;
const app = vi.hoisted(() => ({ language: "en" }));

vi.mock("obsidian", async (load) => ({ ...(await load<object>()), getLanguage: () => app.language }));

afterEach(() => useLanguage(undefined, null));

describe("texts", () => {
  it("are the English ones where nothing else is chosen", () => {
    expect(t("Source {n}: {title}", { n: 2, title: "Bees" })).toBe("Source 2: Bees");
    expect([count(1, "note"), count(1824, "try", "tries")]).toEqual(["1 note", `${(1824).toLocaleString()} tries`]);
    expect(tparts("Results for {query}", { query: 7 })).toEqual(["Results for ", 7]);
  });

  it("take names of languages as browsers and systems write them", () => {
    const names = ["de-DE", "en-US@posix", "pt_BR.UTF-8", "zh-hans-cn", "C", "", "en--US"];
    expect(names.map(languageTag)).toEqual(["de-DE", "en-US", "pt-BR", "zh-Hans-CN", undefined, undefined, undefined]);
    useLanguage("en-US@posix", null);
    expect(number(1824)).toBe("1,824");
  });

  it("follow the language, its forms and its numbers", () => {
    useLanguage("de", catalogue);
    expect([t("Search"), count(1, "note"), count(1824, "note")]).toEqual(["Suche", "1 Notiz", "1.824 Notizen"]);
    expect(number(0.5, 2)).toBe("0,50");
    expect(tparts("Only an administrator makes links. On the server’s computer: {command}.", { command: 1 }).at(-2)).toBe(1);
  });

  it("take every form that a language has, and English where a text is missing", () => {
    useLanguage("pl", { "{n} notes": { one: "{n} notatka", few: "{n} notatki", many: "{n} notatek", other: "{n} notatki" } });
    expect([1, 3, 5].map((n) => count(n, "note"))).toEqual(["1 notatka", "3 notatki", "5 notatek"]);
    expect([t("Search"), tn(2, "{n} link copied.", "{n} links copied.")]).toEqual(["Search", "2 links copied."]);
  });

  it("do not read names in values as places", () => {
    expect(t("Saved as {path}", { path: "{name}.md" })).toBe("Saved as {name}.md");
  });

});

describe("the plugin’s texts", () => {
  const texts = germanTexts(["src"]);
  const sheet = withTexts(".a { color: red; } /* a comment */", "de", { ...texts, ends: "*/ and goes on" });

  it("come out of the style sheet as they went in", async () => {
    await start("de-AT", { "p/styles.css": sheet });
    expect([t("Open similar notes"), count(3, "step")]).toEqual(["Ähnliche Notizen öffnen", "3 Schritte"]);
    expect(t("ends")).toBe("*/ and goes on");
    expect(Object.keys(texts).length).toBeLessThan(Object.keys(german).length);
  });

  it("are those of a file of the plugin’s folder, if somebody laid one there", async () => {
    await start("de", { "p/styles.css": sheet, "p/texts/de.json": '{"Search": "Nachsehen"}' });
    expect([t("Search"), t("Open similar notes")]).toEqual(["Nachsehen", "Open similar notes"]);
  });

  it("stay English where there are none of the language, and where they cannot be read", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    await start("fr", { "p/styles.css": sheet });
    await start("de", {});
    expect(warn).not.toHaveBeenCalled();
    await start("de", { "p/styles.css": sheet.slice(0, 90) });
    expect(warn).toHaveBeenCalledOnce();
    expect(t("Search")).toBe("Search");
  });

  /** Starts the language of an app, with these files in the plugin's folder. */
  async function start(language: string, files: Readonly<Record<string, string>>): Promise<void> {
    app.language = language;
    const adapter = {
      exists: (path: string) => Promise.resolve(path in files),
      read: (path: string) => Promise.resolve(files[path] ?? ""),
    };
    await startLanguage({ vault: { adapter } } as unknown as App, "p");
  }
});

it("tells what is wrong with a file of texts", () => {
  expect(catalogueProblem({ a: "b", c: { one: "d", other: "e" } })).toBeNull();
  expect([[], "text", null, { a: 1 }, { a: {} }, { a: { one: 2 } }].map(catalogueProblem)).not.toContain(null);
});

describe("the code", () => {
  const { keys, unwritten, outside } = textsInCode();

  it("has no interface text outside the catalogue", () => {
    expect(unwritten).toEqual([]);
    expect(outside, "give these to t(…), tn(…) or tparts(…)").toEqual([]);
  });

  it("has a German text for each, with the same places, and none that is not used", () => {
    expect([...keys.keys()].filter((key) => !(key in catalogue)), "not in plugin/texts/de.json").toEqual([]);
    expect(Object.keys(catalogue).filter((key) => !keys.has(key)), "in no code").toEqual([]);
    const differing = [...keys].filter(([key, { hasForms }]) => !fits(key, hasForms, catalogue[key] ?? ""));
    expect(differing).toEqual([]);
  });
});

/** Whether a text has the places of its key, and forms where a number chooses among them. */
function fits(key: string, hasForms: boolean, entry: Entry): boolean {
  if (hasForms !== (typeof entry === "object")) return false;
  const texts = typeof entry === "string" ? [entry] : [entry.other ?? ""];
  return texts.every((text) => places(text) === places(key) && text !== "");
}

function places(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g))].sort().join();
}
