/** Finds the names of notes in a text, so that links to them can be offered. */

import { Idle } from "./idle";
import type { Facts } from "./facts";
import { isSpaceless, spans, type Span } from "./words";

/** A note's name in a text, by offsets in code units. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

interface Name {
  readonly first: string;
  readonly words: readonly string[];
  readonly path: string;
}

/** The notes whose names are looked for. */
export interface NamedNotes {
  readonly paths: () => Iterable<string>;
  readonly facts: (path: string) => Pick<Facts, "title" | "aliases"> | null;
  /** Whether so many notes have a word that as a name it says nothing. */
  readonly isCommon: (word: string) => boolean;
}

const LEAST_LETTERS = 4; // a shorter name of one word is mostly an everyday word
const NOTES_AT_ONCE = 25;

export class Mentions {
  readonly #notes: NamedNotes;
  readonly #byFirst = new Map<string, Name[]>();
  readonly #byPath = new Map<string, readonly Name[]>();
  #ready: Promise<void> | null = null;

  constructor(notes: NamedNotes) {
    this.#notes = notes;
  }

  /** Resolves when every name is known; the first call reads them, in idle moments. */
  ready(): Promise<void> {
    this.#ready ??= new Idle().run(this.#readAll());
    return this.#ready;
  }

  /** A note was made, changed, renamed or removed. */
  changed(path: string): void {
    if (this.#ready) this.#read(path);
  }

  /** The names in `text`, in its order; of those that overlap the longer. `isWanted`: whether a link to a note is. */
  find(text: string, isWanted: (path: string) => boolean): Mention[] {
    const sequence = inOrder(spans(text));
    const found: Mention[] = [];
    for (let at = 0; at < sequence.length; at += 1) {
      const name = this.#longestAt(sequence, at, isWanted);
      if (!name) continue;
      const start = sequence[at]?.start ?? 0;
      at += name.words.length - 1;
      found.push({ start, end: sequence[at]?.end ?? start, path: name.path });
    }
    return found;
  }

  #longestAt(sequence: readonly Span[], at: number, isWanted: (path: string) => boolean): Name | undefined {
    const isHere = ({ words }: Name): boolean => words.every((word, n) => sequence[at + n]?.word === word);
    const isUsual = ({ words: [first = "", ...more] }: Name): boolean => more.length === 0 && this.#notes.isCommon(first);
    const here = this.#byFirst.get(sequence[at]?.word ?? "")?.filter((name) => isHere(name) && !isUsual(name) && isWanted(name.path));
    return here?.reduce((one, other) => (other.words.length > one.words.length ? other : one), here[0] as Name);
  }

  *#readAll(): Generator<void, void> {
    let count = 0;
    for (const path of this.#notes.paths()) {
      this.#read(path);
      if (++count % NOTES_AT_ONCE === 0) yield;
    }
  }

  #read(path: string): void {
    for (const { first } of this.#byPath.get(path) ?? []) {
      const others = this.#byFirst.get(first)?.filter((name) => name.path !== path) ?? [];
      if (others.length > 0) this.#byFirst.set(first, others);
      else this.#byFirst.delete(first);
    }
    const facts = this.#notes.facts(path);
    const names = facts ? [facts.title, ...facts.aliases].flatMap((name) => nameOf(name, path) ?? []) : [];
    this.#byPath.set(path, names);
    for (const name of names) this.#byFirst.set(name.first, [...(this.#byFirst.get(name.first) ?? []), name]);
  }
}

/** A name to look for; null for numbers and words that are too short to be meant. */
function nameOf(name: string, path: string): Name | null {
  if (!/\p{L}/u.test(name)) return null;
  const isShort = !isSpaceless(name) && name.replace(/[^\p{L}\p{N}]/gu, "").length < LEAST_LETTERS;
  const words = isShort ? [] : inOrder(spans(name)).map(({ word }) => word);
  const [first] = words;
  return first === undefined ? null : { first, words, path };
}

/** Words one after the other: without the whole of a compound, and the single characters of pairs. */
function inOrder(all: readonly Span[]): Span[] {
  let last: Span | null = null;
  return all.filter((span) => {
    const isNext = !last || (span.start > last.start && span.end > last.end);
    if (isNext) last = span;
    return isNext;
  });
}
