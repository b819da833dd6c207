/** Ranking anew in the browser gives the server's order and scores, until somebody moves a control. */

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Scores, SearchReply } from "../../plugin/src/contract";
import { search } from "../../plugin/web/app/replies";
import { ADDENDS, areSums, formula, queryWords, remix, servedControls, type Addend, type Controls, type Remixed } from "../../plugin/web/lib/remix";
import { aReply, aResult } from "../plugin/samples";

const WRITTEN = join(import.meta.dirname, "..", "contract");
const NOW = Date.parse("2026-03-02T12:00:00Z");
const NOBODY: ReadonlyMap<string, number> = new Map();
const NO_WORDS: ReadonlySet<string> = new Set();

const replies = readdirSync(WRITTEN)
  .filter((name) => /^search.*\.json$/.test(name))
  .map((name): [string, SearchReply] => {
    const written = JSON.parse(readFileSync(join(WRITTEN, name), "utf8")) as unknown;
    return [name, search(written)];
  });

function scored(path: string, keyword: number | null, semantic: number | null): ReturnType<typeof aResult> {
  const result = aResult(path, { tags: [], modified: null });
  return { ...result, scores: { ...result.scores, keyword, semantic } };
}

/** A result whose score is a sum of these addends. */
function summed(path: string, adds: Partial<Record<Addend, number>>): ReturnType<typeof aResult> {
  const result = aResult(path, { tags: [], modified: null });
  const none = Object.fromEntries(ADDENDS.map((name) => [name, 0])) as Record<Addend, number>;
  return { ...result, scores: { ...result.scores, ...none, ...adds } };
}

const START: Controls = servedControls(aReply([], { fusion: { method: "rrf", params: {} } }));

/** With the scores that the formula gives at the start. */
function asServed(results: readonly ReturnType<typeof aResult>[]): ReturnType<typeof aResult>[] {
  const base = results.map(({ scores }) => (((scores.keyword ?? 0) + (scores.semantic ?? 0)) / 2) * (scores.tag ?? 1) * (scores.recency ?? 1));
  const best = Math.max(...base, 1e-9);
  return results.map((result, n) => ({ ...result, score: (base[n] ?? 0) / best }));
}

function order(results: readonly ReturnType<typeof aResult>[], controls: Partial<Controls>, words = NO_WORDS, near = NOBODY): string[] {
  const all = { ...START, ...controls };
  // What the server gave is what its formula gives, so that nothing else is behind the order.
  return remix(asServed(results), all, { start: START, words, proximity: near, now: NOW }).map(({ result }) => result.path);
}

describe("with the controls where they start", () => {
  it.each(replies.filter(([, { results }]) => results.length > 0))("%s keeps its order", (_, reply) => {
    const start = servedControls(reply);
    const ranked = remix(reply.results, start, { start, words: queryWords(reply.query), proximity: NOBODY, now: NOW });
    expect(ranked.map(({ result }) => result.path)).toEqual(reply.results.map(({ path }) => path));
    expect(ranked.every(({ place, served }) => place === served)).toBe(true);
  });

  it.each(replies.filter(([, { results }]) => results.length > 0))("%s keeps its scores", (_, reply) => {
    const start = servedControls(reply);
    const ranked = remix(reply.results, start, { start, words: NO_WORDS, proximity: NOBODY, now: NOW });
    for (const { result, score } of ranked) expect(score).toBeCloseTo(result.score, 4);
  });

  it("takes modes for what they weigh", () => {
    expect(servedControls(aReply([], { mode: "keyword" })).mix).toBe(0);
    expect(servedControls(aReply([], { mode: "semantic" })).mix).toBe(1);
    const params = { keyword_weight: 3, semantic_weight: 1 };
    expect(servedControls(aReply([], { fusion: { method: "auto", params } })).mix).toBe(0.25);
  });
});

describe("the formula", () => {
  interface Case extends Pick<SearchReply, "mode" | "fusion"> {
    readonly search: string;
    readonly scores: Scores;
    readonly score: number;
  }
  const cases = JSON.parse(readFileSync(join(WRITTEN, "score-cases.json"), "utf8")) as Case[];
  const searches = [...new Set(cases.map(({ search: name }) => name))];

  it.each(searches)("gives the server's scores: %s", (name) => {
    for (const one of cases.filter(({ search: other }) => other === name)) {
      const score = formula(one.scores, servedControls(one), areSums([one])) / Number(one.fusion.params["best"]);
      expect(score).toBeCloseTo(one.score, 4);
    }
  });
});

describe("controls of a sum", () => {
  const frame = { start: START, words: NO_WORDS, proximity: NOBODY, now: NOW };
  const served = [
    { ...summed("words.md", { words: 2 }), score: 1 },
    { ...summed("meaning.md", { words: 0.5, meaning: 1 }), score: 0.75 },
    { ...summed("linked.md", { words: 0.5, links: 0.2 }), score: 0.35 },
  ];
  const paths = (ranked: readonly Remixed[]): string[] => ranked.map(({ result }) => result.path);

  it("weigh each addend by itself", () => {
    expect(paths(remix(served, START, frame))).toEqual(["words.md", "meaning.md", "linked.md"]);
    expect(paths(remix(served, { ...START, meaning: 3 }, frame))).toEqual(["meaning.md", "words.md", "linked.md"]);
    expect(paths(remix(served, { ...START, words: 0 }, frame))).toEqual(["meaning.md", "linked.md", "words.md"]);
    expect(paths(remix(served, { ...START, mix: 1 }, frame))).toEqual(["words.md", "meaning.md", "linked.md"]);
  });

  it("show what each addend gives to the score", () => {
    const [first, second] = remix(served, START, frame);
    expect([first?.parts.adds?.words, first?.score]).toEqual([1, 1]);
    expect(second?.parts.adds).toEqual({ words: 0.25, meaning: 0.5, coverage: 0, names: 0, links: 0 });
    expect(second?.score).toBeCloseTo(0.75);
  });

  it("do not raise the best score where the server left out a better note", () => {
    const rest = served.slice(1);
    expect(remix(rest, START, frame).map(({ score }) => Number(score.toFixed(4)))).toEqual([0.75, 0.35]);
  });

  it("rank a thousand results", () => {
    const many = Array.from({ length: 1000 }, (_, n) => ({
      ...summed(`${n}.md`, { words: 1 - n / 2000, meaning: (n % 7) / 7, coverage: (n % 3) / 3, links: (n % 5) / 25 }),
      tags: ["bread/sourdough", `tag-${n}`],
      modified: "2026-01-01T00:00:00+00:00",
    }));
    const controls = { ...START, meaning: 2, tag: 1.5, recency: 0.5 };
    const again = (count: number): readonly Remixed[] => {
      const began = performance.now();
      const ranked = remix(many.slice(0, count), controls, { ...frame, words: queryWords("sourdough") });
      if (process.env["NOTEWELL_TEST_TIMES"]) console.log(`remix of ${count}: ${(performance.now() - began).toFixed(1)} ms`);
      return ranked;
    };
    again(200);
    const ranked = again(1000);
    expect(ranked.map(({ place }) => place)).toEqual(many.map((_, n) => n + 1));
    expect(ranked.every(({ score }, n) => score <= (ranked[n - 1]?.score ?? 1))).toBe(true);
  });
});

describe("controls", () => {
  const byWords = scored("words.md", 1, 0.1);
  const byMeaning = scored("meaning.md", 0.2, 1);

  it("mix words and meaning; an absent score is 0", () => {
    expect(order([byWords, byMeaning], { mix: 0.1 })).toEqual(["words.md", "meaning.md"]);
    expect(order([byWords, byMeaning], { mix: 0.9 })).toEqual(["meaning.md", "words.md"]);
    expect(order([scored("a.md", null, 1), scored("b.md", 0.4, null)], { mix: 0 })).toEqual(["b.md", "a.md"]);
  });

  it("can raise a candidate from far below", () => {
    const many = Array.from({ length: 60 }, (_, n) => scored(`${n}.md`, 1 - n / 150, 0));
    const near = new Map([["59.md", 1]]);
    const [first] = remix(asServed(many), { ...START, mix: 0, graph: 1 }, { start: START, words: NO_WORDS, proximity: near, now: NOW });
    expect([first?.result.path, first?.served, first?.place]).toEqual(["59.md", 60, 1]);
  });

  it("boost tags that the query names, in whole or in part", () => {
    const tagged = { ...scored("tagged.md", 0.6, 0), tags: ["bread/sourdough"] };
    const plain = scored("plain.md", 1, 0);
    const words = queryWords("Sourdough starter");
    expect(order([plain, tagged], { mix: 0, tag: 1 }, words)).toEqual(["plain.md", "tagged.md"]);
    expect(order([plain, tagged], { mix: 0, tag: 2 }, words)).toEqual(["tagged.md", "plain.md"]);
    expect(order([plain, tagged], { mix: 0, tag: 2 }, queryWords("dough"))).toEqual(["plain.md", "tagged.md"]);
  });

  it("boost recent notes, half as much every 90 days, and none without a date", () => {
    const dated = (path: string, modified: string | null): ReturnType<typeof aResult> => ({ ...scored(path, 1, 1), modified, created: null });
    const results = [dated("none.md", null), dated("old.md", "2025-12-02T12:00:00Z"), dated("new.md", "2026-03-02T12:00:00Z")];
    const ranked = remix(asServed(results), { ...START, recency: 1 }, { start: START, words: NO_WORDS, proximity: NOBODY, now: NOW });
    expect(ranked.map(({ parts }) => Number(parts.recency.toFixed(3)))).toEqual([2, 1.5, 1]);
    expect(ranked.map(({ isRecent }) => isRecent)).toEqual([true, false, false]);
  });

  it("multiply what the server multiplied", () => {
    const boosted = scored("boosted.md", 0.5, 0);
    const lifted = { ...boosted, scores: { ...boosted.scores, recency: 1.5, tag: 1.5 } };
    expect(order([scored("plain.md", 1, 0), lifted], { mix: 0 })).toEqual(["boosted.md", "plain.md"]);
  });

  it("keep what else the server did, such as reading the first again", () => {
    const [a, b] = [scored("a.md", 1, 0), scored("b.md", 0.5, 0)];
    const reordered = [{ ...b, score: 1 }, { ...a, score: 0.4 }];
    const frame = { start: START, words: NO_WORDS, proximity: NOBODY, now: NOW };
    const ranked = remix(reordered, START, frame);
    expect(ranked.map(({ result, score }) => [result.path, Number(score.toFixed(4))])).toEqual([["b.md", 1], ["a.md", 0.4]]);
  });

  it("handle an empty list, and results without scores", () => {
    expect(remix([], START, { start: START, words: NO_WORDS, proximity: NOBODY, now: NOW })).toEqual([]);
    expect(order([scored("a.md", 0, 0), scored("b.md", 0, 0)], {})).toEqual(["a.md", "b.md"]);
  });
});
