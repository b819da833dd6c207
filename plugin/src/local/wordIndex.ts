/**
 * The keyword index: which notes have which words, ranked by BM25 (Robertson and Zaragoza 2009, "The
 * Probabilistic Relevance Framework"). Its parts are segments, a table of notes read lately, and a table
 * of notes of which only names, headings, tags and properties are known.
 */

import { distanceWithin } from "./distance";
import { encode, Segment, type Postings, type Stamp, type StoredSegment } from "./segment";
import { Table } from "./table";

/** A word of a query, and the words of the index that stand for it, by weight. */
export interface WordMatch {
  readonly word: string;
  readonly forms: ReadonlyMap<string, number>;
}

export interface Scored {
  readonly path: string;
  readonly score: number;
  /** The share of the query's words that the note has, by their rarity. */
  readonly coverage: number;
  /** Words of the note. */
  readonly length: number;
}

interface Part {
  readonly postings: Postings;
  /** For each note whether this part is the one that knows it. */
  readonly isLive: boolean[];
  live: number;
  /** The number under which a segment is stored; null where it is not. */
  readonly key: number | null;
}

const K1 = 1.2;
const B = 0.75;
const MAX_WORDS = 30; // of a query; a set of them fits into one integer
const MAX_PREFIXED = 60;
const PREFIX_WEIGHT = 0.6;
export const TYPO_WEIGHT = 0.5; // and less: a form of a higher weight is no correction
const MAX_TYPOS = 3;
const TYPO_LETTERS = 4; // shorter words have too many neighbours
const TWO_TYPOS_LETTERS = 8;
const WORN = 4; // a segment of which only one note in so many is true takes more room than it is worth

export class WordIndex {
  readonly #places = new Map<string, { readonly part: Part; readonly note: number }>();
  #parts: Part[] = [];
  #text = newPart(new Table());
  #names = newPart(new Table());
  #segmentKey = 0;

  constructor() {
    this.#parts = [this.#text, this.#names];
  }

  /** Notes that are known, by name alone or with their text. */
  get size(): number {
    return this.#places.size;
  }

  /** The stamp of the text that is known of a note; null where none is. */
  textStamp(path: string): Stamp | null {
    const place = this.#places.get(path);
    return place && place.part !== this.#names ? (place.part.postings.stamps[place.note] ?? null) : null;
  }

  paths(): Iterable<string> {
    return this.#places.keys();
  }

  /** Adds a note, replacing what was known of it. `hasText`: whether its text is among the words. */
  add(stamp: Stamp, counts: ReadonlyMap<string, number>, characters: number, hasText: boolean): void {
    this.remove(stamp.path);
    const part = hasText ? this.#text : this.#names;
    const note = (part.postings as Table).add(stamp, counts, characters);
    this.#place(stamp.path, part, note);
  }

  remove(path: string): void {
    const place = this.#places.get(path);
    if (!place) return;
    place.part.isLive[place.note] = false;
    place.part.live -= 1;
    this.#places.delete(path);
  }

  /** Takes in a stored segment, except the notes that `isCurrent` rejects. */
  load(segment: Segment, key: number, isCurrent: (stamp: Stamp) => boolean): void {
    this.#segmentKey = Math.max(this.#segmentKey, key);
    const part = newPart(segment, key);
    this.#parts.push(part);
    for (const [note, stamp] of segment.stamps.entries()) {
      if (!isCurrent(stamp)) continue;
      this.remove(stamp.path);
      this.#place(stamp.path, part, note);
    }
  }

  /** Characters of text in the table of notes read lately. */
  get unsaved(): number {
    return (this.#text.postings as Table).size;
  }

  /** Encodes the notes read lately as a segment, in steps; gives what to store, under its key. */
  *freeze(): Generator<void, { readonly key: number; readonly stored: StoredSegment } | null> {
    const frozen = this.#text;
    const table = frozen.postings as Table;
    if (frozen.live === 0) return null;
    this.#text = newPart(new Table());
    this.#parts.push(this.#text); // the old part answers until the segment is made
    const stored = yield* encode(table.stamps, table.lengths, table.postings);
    const postings = new Segment(stored);
    yield;
    const key = ++this.#segmentKey;
    const part = { ...frozen, postings, key };
    for (const [note, { path }] of table.stamps.entries()) {
      const place = this.#places.get(path);
      if (place?.part === frozen && place.note === note) this.#places.set(path, { part, note });
    }
    part.live = frozen.live;
    this.#parts = this.#parts.map((each) => (each === frozen ? part : each));
    return { key, stored };
  }

  /** Drops segments whose notes are nearly all out of date, and gives their keys and the notes they still had. */
  dropWorn(): { readonly keys: number[]; readonly paths: string[] } {
    const isWorn = ({ key, live, postings }: Part): boolean => key !== null && live * WORN <= postings.stamps.length;
    const worn = new Set(this.#parts.filter(isWorn));
    const paths = [...this.#places].filter(([, { part }]) => worn.has(part)).map(([path]) => path);
    for (const path of paths) this.remove(path);
    this.#parts = this.#parts.filter((part) => !worn.has(part));
    return { keys: [...worn].flatMap(({ key }) => key ?? []), paths };
  }

  /** The notes that have a word, exactly as written in the index. */
  notesWith(word: string): Set<string> {
    const found = new Set<string>();
    this.#visit(word, (part, note) => found.add(part.postings.stamps[note]?.path ?? ""));
    return found;
  }

  /** How many notes have a word. */
  frequency(word: string): number {
    let count = 0;
    this.#visit(word, () => (count += 1));
    return count;
  }

  /** The words of the index that `words` stand for. `isTyping`: the last one may be unfinished. */
  match(words: readonly string[], isTyping: boolean): WordMatch[] {
    const unique = [...new Set(words)].slice(0, MAX_WORDS);
    return unique.map((word, at) => {
      const forms = new Map<string, number>();
      if (isTyping && at === unique.length - 1 && word.length > 1) this.#addPrefixed(word, forms);
      if (this.frequency(word) > 0) forms.set(word, 1);
      if (forms.size === 0) this.#addTypos(word, forms);
      return { word, forms };
    });
  }

  /** How much it says that a note has the word: its inverse frequency, or that of the commonest word that it stands for. */
  rarity({ forms }: WordMatch): number {
    const most = Math.max(0, ...[...forms.keys()].map((form) => this.frequency(form)));
    return Math.log(1 + (Math.max(1, this.size) - most + 0.5) / (most + 0.5));
  }

  /** The notes that have at least one of the words, best first. */
  search(matches: readonly WordMatch[]): Scored[] {
    const averages = this.#averageLength();
    const scores = new Map<Part, Float64Array>(this.#parts.map((part) => [part, new Float64Array(part.postings.stamps.length)]));
    const masks = new Map<Part, Uint32Array>(this.#parts.map((part) => [part, new Uint32Array(part.postings.stamps.length)]));
    const rarities = matches.map((match, bit) => {
      const { forms } = match;
      const rarity = this.rarity(match);
      for (const [form, weight] of forms) {
        this.#visit(form, (part, note, frequency) => {
          const length = part.postings.lengths[note] ?? 0;
          const score = weight * rarity * ((frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averages)));
          const sums = scores.get(part);
          const bits = masks.get(part);
          if (!sums || !bits) return;
          sums[note] = (sums[note] ?? 0) + score;
          bits[note] = (bits[note] ?? 0) | (1 << bit);
        });
      }
      return rarity;
    });
    return this.#ranked(scores, masks, rarities);
  }

  #ranked(scores: Map<Part, Float64Array>, masks: Map<Part, Uint32Array>, rarities: readonly number[]): Scored[] {
    const all = rarities.reduce((sum, each) => sum + each, 0);
    const found: Scored[] = [];
    for (const [part, sums] of scores) {
      const bits = masks.get(part);
      sums.forEach((sum, note) => {
        if (sum === 0) return;
        const mask = bits?.[note] ?? 0;
        const had = rarities.reduce((total, rarity, bit) => (mask & (1 << bit) ? total + rarity : total), 0);
        const coverage = had / all;
        found.push({ path: part.postings.stamps[note]?.path ?? "", score: sum * coverage, coverage, length: part.postings.lengths[note] ?? 0 });
      });
    }
    return found.sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
  }

  #visit(word: string, each: (part: Part, note: number, frequency: number) => void): void {
    for (const part of this.#parts) {
      part.postings.visit(word, (note, frequency) => {
        if (part.isLive[note]) each(part, note, frequency);
      });
    }
  }

  #addPrefixed(prefix: string, forms: Map<string, number>): void {
    const found = new Set<string>();
    for (const { postings } of this.#parts) {
      for (const word of postings.withPrefix(prefix)) found.add(word);
    }
    // The shortest continuations are the likeliest.
    const nearest = [...found].sort((one, other) => one.length - other.length || (one < other ? -1 : 1));
    for (const word of nearest.slice(0, MAX_PREFIXED)) if (word !== prefix) forms.set(word, PREFIX_WEIGHT);
  }

  /** The commonest words at the smallest distance; the first letter is nearly always right. */
  #addTypos(word: string, forms: Map<string, number>): void {
    if (word.length < TYPO_LETTERS) return;
    const found = new Set<string>();
    for (const edits of word.length >= TWO_TYPOS_LETTERS ? [1, 2] : [1]) {
      for (const { postings } of this.#parts) {
        for (const each of postings.allWords()) {
          if (each.charCodeAt(0) === word.charCodeAt(0) && distanceWithin(word, each, edits)) found.add(each);
        }
      }
      const counted = [...found].map((each) => [each, this.frequency(each)] as const).filter(([, count]) => count > 0);
      counted.sort((one, other) => other[1] - one[1]);
      for (const [each] of counted.slice(0, MAX_TYPOS)) forms.set(each, TYPO_WEIGHT / edits);
      if (forms.size > 0) return;
    }
  }

  #averageLength(): number {
    let [sum, count] = [0, 0];
    for (const { postings, isLive } of this.#parts) {
      isLive.forEach((is, note) => {
        if (!is) return;
        sum += postings.lengths[note] ?? 0;
        count += 1;
      });
    }
    return Math.max(1, sum / Math.max(1, count));
  }

  #place(path: string, part: Part, note: number): void {
    part.isLive[note] = true;
    part.live += 1;
    this.#places.set(path, { part, note });
  }
}

function newPart(postings: Postings, key: number | null = null): Part {
  return { postings, key, live: 0, isLive: postings.stamps.map(() => false) };
}
