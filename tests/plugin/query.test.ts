// The plugin's parser of queries, on the cases that the server's parser is tested with, and its words.

import { readFileSync } from "node:fs";
import process from "node:process";
import { afterAll, beforeAll, describe as group, expect, it } from "vitest";
import { describe, parse } from "../../plugin/src/local/query";
import { fold, spans, words } from "../../plugin/src/local/words";

interface Case {
  readonly query: string;
  readonly text: string;
  readonly condition: string;
  readonly phrases: readonly string[];
  readonly warnings: readonly string[];
  readonly lists?: true;
}
const casesOf = (file: string): { now: string; cases: Case[] } => JSON.parse(readFileSync(`tests/contract/${file}.json`, "utf8")) as { now: string; cases: Case[] };
const kept = casesOf("queries");

group("the query grammar", () => {
  const zone = process.env["TZ"];
  beforeAll(() => void (process.env["TZ"] = "UTC"));
  afterAll(() => void (process.env["TZ"] = zone));

  it.each(kept.cases)("reads “$query” as the server does", (expected) => {
    const { condition, ...read } = parse(expected.query, Date.parse(kept.now) / 1000, false);
    expect({ query: expected.query, ...read, condition: describe(condition) }).toEqual(expected);
  });

  it.each(casesOf("cases/scopes").cases)("reads “$query”, of the text as it is written, as the server does", (expected) => {
    const { condition, ...read } = parse(expected.query);
    expect({ query: expected.query, ...read, condition: describe(condition) }).toEqual(expected);
  });

  it("reads the longest queries in linear time", () => {
    for (const piece of ['"\\', "(", "-(", "[[", "[a", '"a" ', "tag:a ", "a OR ", "x:", "))((", "line:(", "/(", "line:/a", "(){999}", "/((a{9}){9}){9}/ "]) {
      expect(parse(piece.repeat(4096).slice(0, 4096)).text.length).toBeLessThanOrEqual(3 * 4096);
    }
  });
});

group("words", () => {
  it.each([
    ["The Notes", ["the", "note"]],
    ["well-known", ["well", "known", "wellknown"]],
    ["getUserName HTTPServer", ["get", "user", "name", "getusername", "http", "server", "httpserver"]],
    ["node.js 3.14 don't", ["node", "js", "nodej", "3", "14", "3.14", "don", "t", "dont"]],
    ["Anna's recipes", ["anna", "recipe"]],
    ["Café naïve Łódź Straße", ["cafe", "naive", "lodz", "strasse"]],
    ["й ё", ["й", "е"]],
    ["c++ and c#", ["c++", "and", "c#"]],
    ["日本語", ["日本", "本語", "日", "本", "語"]],
    ["日本 bread", ["日本", "日", "本", "bread"]],
    ["ภาษาไทย".slice(0, 3), ["ภา", "าษ"]],
    ["🍞 rye", ["🍞", "rye"]],
    ["", []],
  ])("of “%s”", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it("have their places", () => {
    for (const { word, start, end } of spans("Crème brûlée, a well-known dish")) {
      expect(words("Crème brûlée, a well-known dish".slice(start, end))).toContain(word);
    }
  });

  it("are folded for comparing names", () => {
    expect(fold("  **Crème**   Brûlée ")).toBe("creme brulee");
  });
});
