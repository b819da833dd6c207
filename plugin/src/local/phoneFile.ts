/**
 * Reads the phone index, the file of vectors that the server writes into the vault (docs/phone.md has its
 * layout; `sidecar/notewell/phone/layout.py` writes it). Everything stays in the bytes that were read:
 * vectors are views of them, and a note is found among the sorted paths without a table of them.
 */

import { QueryTable } from "./queryTable";
import { t } from "../texts";

export const PHONE_INDEX = "notewell-phone-index.bin";

/** More is not held on a phone. */
export const MOST_BYTES = 20_000_000;

const MAGIC = "NOTEWELL";
const VERSION = 2; // of version 1 the table is missing, and nothing else is different
const HEAD = 88;
const CHECKED_FROM = 16;
const NOTE = 28;
const PASSAGE = 12;
const HASH = 16;
const ALIGNED = 8; // where the table begins
const CHECKED_AT_ONCE = 1 << 17;

/** Vectors as bytes; a number is a byte times its vector's scale. */
export interface Vectors {
  readonly count: number;
  at(place: number): Int8Array;
  scale(place: number): number;
}

/** How well a note matches: by the weighted sum of its cosines, at least 0 with the constant of a word. */
export interface MatchRule {
  readonly centered: number;
  readonly plain: number;
  readonly related: number;
  readonly strong: number;
}

export class PhoneFile {
  readonly dimensions: number;
  readonly model: string;
  /** When it was written, in milliseconds. */
  readonly made: number;
  /** `scale * cosine + shift` is the cosine of the model for which the constants were chosen. */
  readonly cosines: { readonly scale: number; readonly shift: number };
  readonly rule: MatchRule;
  readonly notes: Vectors;
  readonly passages: Vectors;
  /** What gives a typed text its vector; null where the server has none yet. */
  readonly table: QueryTable | null;
  readonly #view: DataView;
  readonly #passagesAt: number;
  readonly #pathsAt: number;

  /** Of bytes that `opened` has checked. */
  constructor(buffer: ArrayBuffer) {
    const view = new DataView(buffer);
    const count = (at: number): number => view.getUint32(at, true);
    const number = (at: number): number => view.getFloat32(at, true);
    const [notes, passages, dimensions, modelBytes] = [count(20), count(24), count(28), count(36)];
    const passagesAt = HEAD + NOTE * notes;
    const vectorsAt = passagesAt + PASSAGE * passages;
    const textAt = vectorsAt + dimensions * (notes + passages);
    const vectors = (first: number, length: number, scaleAt: (place: number) => number): Vectors => ({
      count: length,
      at: (place) => new Int8Array(buffer, vectorsAt + dimensions * (first + place), dimensions),
      scale: (place) => number(scaleAt(place)),
    });
    this.#view = view;
    this.#passagesAt = passagesAt;
    this.#pathsAt = textAt + modelBytes;
    this.dimensions = dimensions;
    this.model = decoded(buffer, textAt, modelBytes);
    this.made = view.getFloat64(48, true) * 1_000;
    this.cosines = { scale: number(56), shift: number(60) };
    this.rule = { centered: number(64), plain: number(68), related: number(72), strong: number(76) };
    this.notes = vectors(0, notes, (place) => HEAD + NOTE * place + 8);
    const tableBytes = count(44);
    this.table = tableBytes > 0 ? new QueryTable(buffer, buffer.byteLength - tableBytes, tableBytes) : null;
    if (this.table && (this.table.dimensions !== dimensions || this.table.model !== this.model)) throw new Error(t("it is damaged"));
    this.passages = vectors(notes, passages, (place) => passagesAt + PASSAGE * place);
  }

  get bytes(): number {
    return this.#view.byteLength;
  }

  pathOf(note: number): string {
    const from = this.#pathEnd(note - 1);
    return decoded(this.#view.buffer as ArrayBuffer, this.#pathsAt + from, this.#pathEnd(note) - from);
  }

  /** The place of the note at a path; -1 where it is not in the file. */
  find(path: string): number {
    const wanted = new TextEncoder().encode(path.normalize());
    let [low, high] = [0, this.notes.count - 1];
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Whether the note had this content when its vectors were made. */
  hasHash(note: number, hash: Uint8Array): boolean {
    const at = HEAD + NOTE * note + 12;
    return hash.length === HASH && hash.every((byte, n) => byte === this.#view.getUint8(at + n));
  }

  /** The passages of a note: from the first to before the second. */
  passagesOf(note: number): readonly [from: number, to: number] {
    return [note === 0 ? 0 : this.#passageEnd(note - 1), this.#passageEnd(note)];
  }

  /** The first and the last line of a passage, from 1. */
  linesOf(passage: number): readonly [first: number, last: number] {
    const at = this.#passagesAt + PASSAGE * passage;
    return [this.#view.getUint32(at + 4, true), this.#view.getUint32(at + 8, true)];
  }

  #pathEnd(note: number): number {
    return note < 0 ? 0 : this.#view.getUint32(HEAD + NOTE * note, true);
  }

  #passageEnd(note: number): number {
    return this.#view.getUint32(HEAD + NOTE * note + 4, true);
  }

  #compare(note: number, wanted: Uint8Array): number {
    const from = this.#pathEnd(note - 1);
    const length = this.#pathEnd(note) - from;
    for (let n = 0; n < Math.min(length, wanted.length); n += 1) {
      const difference = this.#view.getUint8(this.#pathsAt + from + n) - (wanted[n] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - wanted.length;
  }
}

/** Checks bytes and opens them, in steps. Throws an `Error` that says for people why they are not used. */
export function* opened(buffer: ArrayBuffer): Generator<void, PhoneFile> {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  if (decoded(buffer, 0, Math.min(MAGIC.length, bytes.length)) !== MAGIC) throw new Error(t("it is no phone index"));
  if (bytes.length < HEAD) throw new Error(t("it is not whole"));
  const version = view.getUint32(8, true);
  if (version < 1 || version > VERSION) throw new Error(t("it has version {version} of the format, and this plugin reads {ours}", { version, ours: VERSION }));
  const count = (at: number): number => view.getUint32(at, true);
  const [notes, passages] = [count(20), count(24)];
  const size = HEAD + NOTE * notes + PASSAGE * passages + count(28) * (notes + passages) + count(36) + count(40);
  const whole = count(44) > 0 ? ALIGNED * Math.ceil(size / ALIGNED) + count(44) : size;
  if (count(16) !== bytes.length || whole !== bytes.length) throw new Error(t("it is not whole"));
  if (bytes.length > MOST_BYTES) throw new Error(t("it is larger than 20 MB"));
  let sum = -1;
  for (let at = CHECKED_FROM; at < bytes.length; at += CHECKED_AT_ONCE) {
    sum = checksum(bytes.subarray(at, at + CHECKED_AT_ONCE), sum);
    yield;
  }
  if (~sum >>> 0 !== count(12)) throw new Error(t("it is damaged"));
  return new PhoneFile(buffer);
}

function decoded(buffer: ArrayBuffer, from: number, length: number): string {
  return new TextDecoder().decode(new Uint8Array(buffer, from, length));
}

/** The remainders of CRC-32, as zip files have it (ISO 3309). */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function checksum(bytes: Uint8Array, before: number): number {
  let sum = before;
  for (const byte of bytes) sum = (sum >>> 8) ^ (REMAINDERS[(sum ^ byte) & 255] ?? 0);
  return sum;
}
