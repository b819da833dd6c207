/**
 * A part of the index that no longer changes: notes, and for each word which of them have it and how
 * often. Typed arrays hold it, so that it takes little memory and is kept in IndexedDB as it is: reading
 * it back needs no work for each word. Postings are delta-coded with a varint each (Elias 1975; here 7
 * bits a byte), the frequency beside the note.
 */

/** What identifies the content of a note: path, time of the last change (ms) and size (bytes). */
export interface Stamp {
  readonly path: string;
  readonly mtime: number;
  readonly size: number;
}

/** Notes and their words; notes are numbered from 0 in the order they were added. */
export interface Postings {
  readonly stamps: readonly Stamp[];
  /** Weighted words of each note. */
  readonly lengths: { readonly [note: number]: number };
  visit(word: string, each: (note: number, frequency: number) => void): void;
  withPrefix(prefix: string): readonly string[];
  allWords(): Iterable<string>;
}

/** A segment as it is stored. */
export interface StoredSegment {
  readonly format: number;
  readonly stamps: readonly Stamp[];
  /** Weighted words of each note. */
  readonly lengths: Uint32Array;
  /** The words in order, a line feed between them. */
  readonly words: string;
  /** Where each word's postings end. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
  readonly sum: number;
}

const FORMAT = 1;
const WORDS_AT_ONCE = 500;
const SUMMED_AT_ONCE = 3_800; // bytes

export class Segment implements Postings {
  readonly stamps: readonly Stamp[];
  readonly lengths: Uint32Array;
  readonly #words: readonly string[];
  readonly #ends: Uint32Array;
  readonly #bytes: Uint8Array;

  constructor(stored: StoredSegment) {
    this.stamps = stored.stamps;
    this.lengths = stored.lengths;
    this.#words = stored.words.split("\n");
    this.#ends = stored.ends;
    this.#bytes = stored.bytes;
  }

  /** Whether its words and their postings belong together. */
  get agrees(): boolean {
    return this.#words.length === this.#ends.length && this.#ends.at(-1) === this.#bytes.length;
  }

  visit(word: string, each: (note: number, frequency: number) => void): void {
    const at = firstAt(this.#words, word);
    if (this.#words[at] !== word) return;
    const end = this.#ends[at] ?? 0;
    let from = at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
    let note = 0;
    const next = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = this.#bytes[from++] ?? 0;
        value |= (byte & 127) << shift;
        if (byte < 128) return value;
      }
    };
    while (from < end) {
      note += next();
      each(note, next());
    }
  }

  withPrefix(prefix: string): readonly string[] {
    const from = firstAt(this.#words, prefix);
    let to = from;
    while (this.#words[to]?.startsWith(prefix)) to += 1;
    return this.#words.slice(from, to);
  }

  allWords(): Iterable<string> {
    return this.#words;
  }
}

/** The first place in sorted `words` whose word is not before `word`. */
function firstAt(words: readonly string[], word: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Encodes notes and their postings, in steps that are short enough for an idle moment. */
export function* encode(
  stamps: readonly Stamp[],
  lengths: readonly number[],
  postings: ReadonlyMap<string, readonly number[]>,
): Generator<void, StoredSegment> {
  const words = [...postings.keys()].filter(Boolean).sort();
  yield;
  const ends = new Uint32Array(words.length);
  const writer = new Writer();
  for (const [at, word] of words.entries()) {
    const pairs = postings.get(word) ?? [];
    let before = 0;
    for (let n = 0; n < pairs.length; n += 2) {
      const note = pairs[n] ?? 0;
      writer.add(note - before);
      writer.add(pairs[n + 1] ?? 0);
      before = note;
    }
    ends[at] = writer.length;
    if (at % WORDS_AT_ONCE === WORDS_AT_ONCE - 1) yield;
  }
  yield;
  const bytes = writer.bytes();
  const sum = checksum(bytes);
  yield;
  return { format: FORMAT, stamps, lengths: Uint32Array.from(lengths), words: words.join("\n"), ends, bytes, sum };
}

/** The segment in a stored value; null where the value is damaged or of another version. */
export function opened(value: unknown): Segment | null {
  const stored = (value ?? {}) as Partial<StoredSegment>;
  const { format, stamps, lengths, words, ends, bytes, sum } = stored;
  if (format !== FORMAT || !Array.isArray(stamps) || typeof words !== "string") return null;
  if (!(lengths instanceof Uint32Array && ends instanceof Uint32Array && bytes instanceof Uint8Array)) return null;
  const isWhole = lengths.length === stamps.length && sum === checksum(bytes);
  const segment = isWhole ? new Segment(stored as StoredSegment) : null;
  return segment?.agrees ? segment : null;
}

/** Adler's checksum (RFC 1950). The remainders are taken before the sums outgrow the integers of 31 bits, not at every byte. */
function checksum(bytes: Uint8Array): number {
  let one = 1;
  let two = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SUMMED_AT_ONCE);
    for (; at < end; at += 1) {
      one += bytes[at] ?? 0;
      two += one;
    }
    one %= 65_521;
    two %= 65_521;
  }
  return two * 65_536 + one;
}

/** Bytes that grow. */
class Writer {
  length = 0;
  #bytes = new Uint8Array(1 << 16);

  add(value: number): void {
    if (this.length + 5 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.length);
  }
}
