/** Answers without a server: search by names and words, and similar notes by links, tags and rare words. */

import type { Reason, Result, SearchReply } from "../contract";
import { noteTest, readsText } from "./filters";
import type { Facts } from "./facts";
import { Names, RANK } from "./names";
import { passagesOf } from "./passages";
import { parse, type Condition } from "./query";
import { Reader, type LocalVault, type ReaderParts } from "./reader";
import { replyOf, resultOf } from "./reply";
import { similarNotes, type Links } from "./similar";
import { words } from "./words";
import type { WordMatch } from "./wordIndex";

export interface LocalSearchOptions {
  readonly limit: number;
  /** The last word may be unfinished. */
  readonly isTyping: boolean;
}

interface Ranked {
  readonly path: string;
  readonly score: number;
}

const MAX_PASSAGES = 3;
const MAX_READ = 400; // notes that are read for the phrases of one query
const NAME_SCORES = [2, 1.5, 1.2]; // a whole name, its beginning, a word of it: times the best score by words

export class LocalIndex {
  readonly reader: Reader;
  readonly names: Names;
  readonly #vault: LocalVault;
  readonly #links: () => Links;

  constructor(parts: ReaderParts & { readonly links: () => Links }) {
    this.#vault = parts.vault;
    this.#links = parts.links;
    this.reader = new Reader(parts);
    const paths = (): string[] => this.#vault.stamps().map(({ path }) => path);
    this.names = new Names(paths, (path) => this.#vault.facts(path));
  }

  begin(): Promise<void> {
    return this.reader.begin();
  }

  end(): void {
    this.reader.end();
  }

  /** A note was made, changed, renamed or removed. */
  changed(path: string): void {
    this.names.changed(path);
    this.reader.changed(path);
  }

  /** The notes named like `query`, at once. `isStart`: only those whose name begins so. */
  byName(query: string, limit: number, isStart = false): Result[] {
    const named = this.names.find(query, limit);
    return named.filter(({ rank }) => !isStart || rank <= RANK.start).flatMap(({ path }) => {
      const facts = this.#vault.facts(path);
      return facts ? [resultOf(facts, 1, [])] : [];
    });
  }

  async search(query: string, { limit, isTyping }: LocalSearchOptions): Promise<SearchReply> {
    const began = performance.now();
    const { text, condition, warnings } = parse(query);
    const matches = this.reader.index.match(words(text), isTyping);
    const ranked = this.#ranked(text, matches);
    const { found, total, isCut } = await this.#filtered(ranked, condition, limit);
    const weights = weightsOf(matches);
    const best = found[0]?.score ?? 1;
    const results = await Promise.all(found.map(({ facts, score }) => this.#result(facts, score / best, weights)));
    const cut = isCut ? [`Only the first ${MAX_READ} notes were read for the phrase.`] : [];
    return replyOf(query, results.filter((result) => result !== null), total, [...warnings, ...cut], began);
  }

  /** Notes similar to a note (`path`), or to a text. `unlinked`: without those that are linked already. */
  async similar(target: { readonly path: string } | { readonly text: string }, limit: number, unlinked = false): Promise<SearchReply> {
    const began = performance.now();
    const own = "path" in target ? this.#vault.facts(target.path) : null;
    const text = "path" in target ? await this.#read(target.path) : target.text;
    const source = { index: this.reader.index, links: this.#links(), facts: (path: string) => this.#vault.facts(path), paths: () => this.reader.index.paths() };
    const all = similarNotes(own, text, source).filter(({ path }) => !unlinked || !this.#isLinked(own?.path ?? "", path));
    const shown = await Promise.all(all.slice(0, limit).map(async ({ path, score, reasons }) => {
      const facts = this.#vault.facts(path);
      return facts && this.#result(facts, score, new Map(), reasons);
    }));
    return replyOf("", shown.filter((result) => result !== null), all.length, [], began);
  }

  #isLinked(one: string, other: string): boolean {
    const links = this.#links();
    return other in (links[one] ?? {}) || one in (links[other] ?? {});
  }

  /** All notes that may be found, best first: by words, and before them those that are named so. */
  #ranked(text: string, matches: readonly WordMatch[]): Ranked[] {
    if (!text.trim()) {
      return [...this.#vault.stamps()].sort((one, other) => other.mtime - one.mtime).map(({ path }) => ({ path, score: 1 }));
    }
    const byWords = this.reader.index.search(matches);
    const best = byWords[0]?.score ?? 1;
    const named = new Map(this.names.find(text, Number.MAX_SAFE_INTEGER).map(({ path, rank }) => [path, best * (NAME_SCORES[rank] ?? 1)]));
    const scored = byWords.map(({ path, score }) => ({ path, score: score + (named.get(path) ?? 0) }));
    const known = new Set(byWords.map(({ path }) => path));
    const others = [...named].filter(([path]) => !known.has(path)).map(([path, score]) => ({ path, score }));
    return [...scored, ...others].sort((one, other) => other.score - one.score);
  }

  /** The first notes that meet the condition; where text has to be read, the total is of those looked at. */
  async #filtered(ranked: readonly Ranked[], condition: Condition | null, limit: number): Promise<{ found: (Ranked & { facts: Facts })[]; total: number; isCut: boolean }> {
    const { index } = this.reader;
    let reads = 0;
    const test = noteTest(condition, {
      notesWith: (word) => index.notesWith(word),
      isRead: (path) => index.textStamp(path) !== null,
      read: (path) => {
        reads += 1;
        return this.#read(path);
      },
    });
    const found: (Ranked & { facts: Facts })[] = [];
    let total = 0;
    for (const { path, score } of ranked) {
      if (reads >= MAX_READ) return { found, total, isCut: true };
      if (found.length === limit && readsText(condition)) break;
      const facts = condition || found.length < limit ? this.#vault.facts(path) : null;
      if (condition && !(facts && (await test(facts)))) continue;
      total += 1;
      if (facts && found.length < limit) found.push({ path, score, facts });
    }
    return { found, total, isCut: false };
  }

  async #result(facts: Facts, score: number, weights: ReadonlyMap<string, number>, reasons: readonly Reason[] = []): Promise<Result | null> {
    const text = await this.#read(facts.path);
    return resultOf(facts, score, passagesOf(text, weights, MAX_PASSAGES), reasons);
  }

  #read(path: string): Promise<string> {
    return this.#vault.read(path).catch(() => ""); // deleted meanwhile, or not readable
  }
}

/** What each word of the index counts in a passage. */
function weightsOf(matches: readonly WordMatch[]): Map<string, number> {
  return new Map(matches.flatMap(({ forms }) => [...forms]));
}
