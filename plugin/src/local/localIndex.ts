/** Answers without a server: search by names and words, and similar notes by links, tags and rare words. */

import type { Reason, Result, SearchReply } from "../contract";
import { hiddenPlaces, noteTest, readsText } from "./filters";
import type { Facts } from "./facts";
import { Mentions } from "./mentions";
import { Names, RANK } from "./names";
import { passagesOf, type TextTest } from "./passages";
import { parse, type Condition } from "./query";
import { Reader, type LocalVault, type ReaderParts } from "./reader";
import { dateOf, isCurrent, PhoneIndex } from "./phoneIndex";
import type { Near } from "./meaning";
import type { PhoneFile } from "./phoneFile";
import { replyOf, resultOf, wordsOnly } from "./reply";
import { phraseTest } from "./scopes";
import { similarNotes, type Links, type SimilarNote } from "./similar";
import { byBoth, resultByMeaning, type Notes, type Ranked } from "./hybrid";
import { words } from "./words";
import { TYPO_WEIGHT, type WordMatch } from "./wordIndex";
import { t } from "../texts";

export interface LocalSearchOptions {
  readonly limit: number;
  /** The last word may be unfinished. */
  readonly isTyping: boolean;
  /** By meaning too, where there is a phone index. */
  readonly isWidened?: boolean;
}

type Kept = Ranked & { readonly facts: Facts };

const MAX_PASSAGES = 3;
const FEW_NOTES = 50; // in fewer, how many have a word says little
const COMMON = 0.1; // of all notes; a word in more of them is no name
const LEAST_SHARE = 0.5; // of the best passage's score: else those that have only “the” would follow
const MAX_READ = 400; // notes that are read for the phrases and patterns of one query
const MOST_MS = 2_000; // for reading them
const byEvidence = (): string => t("by shared links, tags and rare words");
const MOST_CHANGED = 10; // notes like one by words of which it is seen whether they are new or changed
const CHANGED_SHOWN = 3;
const NAME_SCORES = [2, 1.5, 1.2]; // a whole name, its beginning, a word of it: times the best score by words

export class LocalIndex {
  readonly reader: Reader;
  readonly names: Names;
  readonly phone: PhoneIndex;
  /** The names of notes within texts. */
  readonly mentions: Mentions;
  readonly #vault: LocalVault;
  readonly #links: () => Links;
  readonly #notes: Notes;

  constructor(parts: ReaderParts & { readonly links: () => Links; readonly phone?: PhoneIndex }) {
    this.#vault = parts.vault;
    this.#links = parts.links;
    this.phone = parts.phone ?? new PhoneIndex({ stat: () => Promise.resolve(null), read: () => Promise.reject(new Error(t("there is none"))), has: () => false });
    this.#notes = { facts: (path) => this.#vault.facts(path), read: (path) => this.#read(path) };
    this.reader = new Reader(parts);
    const paths = (): string[] => this.#vault.stamps().map(({ path }) => path);
    const facts = (path: string): Facts | null => this.#vault.facts(path);
    this.names = new Names(paths, facts);
    const { index } = this.reader;
    const isCommon = (word: string): boolean => index.size >= FEW_NOTES && index.frequency(word) > index.size * COMMON;
    this.mentions = new Mentions({ paths, facts, isCommon });
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
    this.mentions.changed(path);
  }

  /** The notes named like `query`, at once. `isStart`: only those whose name begins so. */
  byName(query: string, limit: number, isStart = false): Result[] {
    const named = this.names.find(query, limit);
    return named.filter(({ rank }) => !isStart || rank <= RANK.start).flatMap(({ path }) => this.at(path));
  }

  /** The note with a path, without a passage; none where it is no note. */
  at(path: string): Result[] {
    const facts = this.#vault.facts(path);
    return facts ? [resultOf(facts, 1, [])] : [];
  }

  async search(query: string, { limit, isTyping, isWidened = false }: LocalSearchOptions): Promise<SearchReply> {
    const began = performance.now();
    const { text, condition, warnings, lists, ...parsed } = parse(query);
    const phrases = parsed.phrases.map(phraseTest);
    const matches = this.reader.index.match(words(text), isTyping);
    const ranked = this.#ranked(text, matches, lists);
    const weights = weightsOf(matches);
    const { file, all } = await this.#byMeaning(isWidened ? text : "", matches, ranked);
    const { found, total, isCut } = await this.#filtered(all, condition, limit);
    const best = found[0]?.score ?? 1;
    const isSpelled = matches.every(({ forms }) => Math.max(...forms.values()) > TYPO_WEIGHT);
    const result = async ({ facts, score, coverage = 0, match, near: found }: Kept): Promise<Result | null> => {
      const unit = Math.min(1, Math.max(0, score / best));
      const own = found && file ? await resultByMeaning(file, this.#notes, found) : await this.#resultWith(facts, unit, isSpelled ? coverage : null, weights, phrases);
      // What words find is not folded away for lack of meaning.
      return own && match ? { ...own, score: unit, match: found || match !== "weak" ? match : null } : own;
    };
    const results = await Promise.all(found.map(result));
    const cut = isCut ? [t("Not all notes were read for phrases, lines, tasks and patterns.")] : [];
    const told = isWidened ? this.#problems : [];
    const by = file ? t("by words and by meaning, approximately, from {file}", { file: dateOf(file) }) : wordsOnly();
    return replyOf(query, { results: results.filter((result) => result !== null), total, warnings: [...warnings, ...cut, ...told], by }, began);
  }

  /** The passages of one note that have words of `query`, as that note's result; `text` is the note's as it stands in its editor. */
  within(path: string, text: string, query: string, { limit, isTyping }: LocalSearchOptions): SearchReply {
    const began = performance.now();
    const wanted = words(parse(query).text);
    const { index } = this.reader;
    const weights = weightsOf(index.match(wanted, isTyping));
    for (const word of wanted) if (!weights.has(word)) weights.set(word, 1); // written a moment ago, and not read yet
    for (const [word, weight] of weights) weights.set(word, weight * Math.log(1 + (index.size + 1) / (index.frequency(word) + 1)));
    const facts = this.#vault.facts(path);
    const passages = passagesOf(text, weights, limit, { headings: facts?.headings });
    const least = LEAST_SHARE * Math.max(...passages.map(({ score }) => score));
    const found = passages.filter(({ score }) => score > 0 && score >= least);
    const results = facts && found.length > 0 ? [resultOf(facts, 1, found)] : [];
    return replyOf(query, { results, total: found.length, warnings: [], by: wordsOnly() }, began);
  }

  /** Notes similar to a note (`path`), or to a text. `unlinked`: without those that are linked already. */
  async similar(target: { readonly path: string } | { readonly text: string }, limit: number, unlinked = false): Promise<SearchReply> {
    const began = performance.now();
    const own = "path" in target ? this.#vault.facts(target.path) : null;
    const text = "path" in target ? await this.#read(target.path) : target.text;
    const source = { index: this.reader.index, links: this.#links(), facts: (path: string) => this.#vault.facts(path), paths: () => this.reader.index.paths() };
    const isWanted = ({ path }: { readonly path: string }): boolean => !unlinked || !this.#isLinked(own?.path ?? "", path);
    const byWords = similarNotes(own, text, source).filter(isWanted);
    const file = await this.phone.get();
    const near = file && (await (own ? this.phone.similar(file, own.path, text) : this.phone.near(file, text)));
    if (near) {
      const by = own ? t("by meaning, from {file}", { file: dateOf(file) }) : t("by meaning, approximately, from {file}", { file: dateOf(file) });
      const { results, total } = await this.#similarByMeaning(file, near.filter(({ note }) => isWanted({ path: file.pathOf(note) })), byWords, limit);
      return replyOf("", { results, total, warnings: [], by }, began);
    }
    const results = await this.#byWords(byWords.slice(0, limit));
    const warnings = own ? this.#problems : [];
    const by = file && own ? t("{evidence}, because this note is newer than {file}", { evidence: byEvidence(), file: dateOf(file) }) : byEvidence();
    return replyOf("", { results, total: byWords.length, warnings, by }, began);
  }

  /** Similar notes by their vectors, and after them some by words that are newer than these. */
  async #similarByMeaning(file: PhoneFile, near: readonly Near[], byWords: readonly SimilarNote[], limit: number): Promise<{ results: Result[]; total: number }> {
    const newer: SimilarNote[] = [];
    for (const each of byWords.slice(0, MOST_CHANGED)) {
      const note = file.find(each.path);
      if (note < 0 || !isCurrent(file, note, await this.#read(each.path))) newer.push(each);
    }
    const others = await this.#byWords(newer.slice(0, CHANGED_SHOWN));
    const related = near.filter(({ match }) => match !== "weak");
    const results: Result[] = [];
    for (const each of related) {
      if (results.length + others.length >= limit) break;
      const result = await resultByMeaning(file, this.#notes, each);
      if (result) results.push(result);
    }
    return { results: [...results, ...others], total: related.length + others.length };
  }

  async #byWords(similar: readonly SimilarNote[]): Promise<Result[]> {
    const result = async ({ path, score, reasons }: SimilarNote): Promise<Result | null> => {
      const facts = this.#vault.facts(path);
      return facts && this.#result(facts, score, new Map(), reasons);
    };
    const results = await Promise.all(similar.map(result));
    return results.filter((result) => result !== null);
  }

  /** The ranking by words, or by words and meaning together: then with the file that it is from. */
  async #byMeaning(text: string, matches: readonly WordMatch[], ranked: readonly Ranked[]): Promise<{ file: PhoneFile | null; all: readonly Ranked[] }> {
    const file = text.trim() ? await this.phone.get() : null;
    const near = file && (await this.phone.nearness(file, text));
    if (!near) return { file: null, all: ranked };
    return { file, all: followed(byBoth(file, near, { text, matches, index: this.reader.index, names: this.names }), ranked) };
  }

  /** Why meaning is missing although it is wanted. */
  get #problems(): string[] {
    return this.phone.problem ? [this.phone.problem] : [];
  }

  #isLinked(one: string, other: string): boolean {
    const links = this.#links();
    return other in (links[one] ?? {}) || one in (links[other] ?? {});
  }

  /** All notes that may be found, best first: by words, and before them those that are named so. `lists`: and last those without the words. */
  #ranked(text: string, matches: readonly WordMatch[], lists = false): Ranked[] {
    const latest = (score: number): Ranked[] => [...this.#vault.stamps()].sort((one, other) => other.mtime - one.mtime).map(({ path }) => ({ path, score }));
    if (!text.trim()) return latest(1);
    const byWords = this.reader.index.search(matches);
    const best = byWords[0]?.score ?? 1;
    const named = new Map(this.names.find(text, Number.MAX_SAFE_INTEGER).map(({ path, rank }) => [path, best * (NAME_SCORES[rank] ?? 1)]));
    const scored = byWords.map(({ path, score, coverage }) => ({ path, score: score + (named.get(path) ?? 0), coverage: named.has(path) ? 1 : coverage }));
    const known = new Set(byWords.map(({ path }) => path));
    const others = [...named].filter(([path]) => !known.has(path)).map(([path, score]) => ({ path, score, coverage: 1 }));
    const found = [...scored, ...others].sort((one, other) => other.score - one.score);
    return lists ? [...found, ...latest(0).filter(({ path }) => !known.has(path) && !named.has(path))] : found;
  }

  /** The first notes that meet the condition; where text has to be read, the total is of those looked at. */
  async #filtered(ranked: readonly Ranked[], condition: Condition | null, limit: number): Promise<{ found: Kept[]; total: number; isCut: boolean }> {
    const { index } = this.reader;
    let reads = 0;
    const until = performance.now() + MOST_MS;
    const isEnough = (): boolean => reads >= MAX_READ || performance.now() > until;
    const test = noteTest(condition, {
      notesWith: (word) => index.notesWith(word),
      isRead: (path) => index.textStamp(path) !== null,
      read: (path) => {
        reads += 1;
        return this.#read(path);
      },
    });
    const found: Kept[] = [];
    let total = 0;
    for (const each of ranked) {
      const { path } = each;
      if (isEnough()) return { found, total, isCut: true };
      if (found.length === limit && readsText(condition)) break;
      const facts = condition || found.length < limit ? this.#vault.facts(path) : null;
      if (condition && !(facts && (await test(facts)))) continue;
      total += 1;
      if (facts && found.length < limit) found.push({ ...each, facts });
    }
    return { found, total, isCut: false };
  }

  async #result(facts: Facts, score: number, weights: ReadonlyMap<string, number>, reasons: readonly Reason[] = []): Promise<Result | null> {
    const text = await this.#read(facts.path);
    return resultOf(facts, score, passagesOf(text, weights, MAX_PASSAGES, facts), reasons);
  }

  async #resultWith(facts: Facts, score: number, coverage: number | null, weights: ReadonlyMap<string, number>, phrases: readonly TextTest[]): Promise<Result> {
    const text = await this.#read(facts.path);
    const passages = passagesOf(text, weights, MAX_PASSAGES, facts, phrases);
    const shown = passages.flatMap(({ snippet, heading }) => [snippet, heading ?? ""]);
    return resultOf(facts, score, passages, hiddenPlaces(facts, [facts.title, ...shown], phrases), coverage);
  }

  #read(path: string): Promise<string> {
    return this.#vault.read(path).catch(() => ""); // deleted meanwhile, or not readable
  }
}

/** `ranked`, and after it the notes of another ranking that are not in it. */
function followed(ranked: readonly Ranked[], others: readonly Ranked[]): Ranked[] {
  const known = new Set(ranked.map(({ path }) => path));
  return [...ranked, ...others.filter(({ path }) => !known.has(path)).map(({ path }) => ({ path, score: 0 }))];
}

/** What each word of the index counts in a passage. */
function weightsOf(matches: readonly WordMatch[]): Map<string, number> {
  return new Map(matches.flatMap(({ forms }) => [...forms]));
}
