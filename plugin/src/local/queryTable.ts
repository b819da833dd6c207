/**
 * The query table of the phone index: a vector for every token of the vault, by which a typed text gets a vector
 * without a model (docs/phone.md has the layout; `sidecar/notewell/models/query_table.py` writes it). Texts are cut
 * as the model's own tokenizers cut them: BERT's WordPiece (Wu et al. 2016, "Google's Neural Machine Translation
 * System", section 4.1) and SentencePiece's Unigram (Kudo 2018, "Subword Regularization").
 */

import { t } from "../texts";

const MAGIC = "NOTETABL";
const VERSION = 1;
const HEAD = 128;
const UNIGRAM = 2;
const [CLEAN, CHINESE, ACCENTS, LOWER, COMPATIBLE] = [1, 2, 4, 8, 16] as const;
export const UNKNOWN = -1;

const IDEOGRAPH = /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const WORD = /[$+<=>^`|~\p{P}]|[^$+<=>^`|~\p{P}\p{White_Space}]+/gu; // signs of ASCII that are no punctuation elsewhere count as such
/* eslint-disable no-control-regex -- the tokenizers name these characters */
const DROPPED = /[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]/g;
const SPACES = /[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g;
const UNSEEN = /[\0\ufffd\p{Cc}\p{Cf}\p{Co}]/gu;
/* eslint-enable no-control-regex -- see above */

/** A text's vector, of length 1, and how near it is likely to be to the model's own: the cosine of the two. */
export interface TextVector {
  readonly vector: Float32Array;
  readonly agreement: number;
}

/** A way to cut the beginning of a word. */
interface Cut {
  readonly score: number;
  readonly tokens: readonly number[];
}

export class QueryTable {
  readonly dimensions: number;
  readonly model: string;
  readonly #view: DataView;
  readonly #places = new Map<string, number>();
  readonly #longest: number;
  readonly #rows: number;
  readonly #scoresAt: number;
  readonly #biasAt: number;

  /** Of the bytes of a phone index from `start` on. Throws where they are no whole table. */
  constructor(buffer: ArrayBuffer, start: number, bytes: number) {
    const text = (from: number, length: number): string => new TextDecoder().decode(new Uint8Array(buffer, start + from, length));
    const view = new DataView(buffer, start, bytes);
    if (bytes < HEAD || text(0, MAGIC.length) !== MAGIC || view.getUint32(8, true) !== VERSION) throw new Error(t("it is not whole"));
    const count = (at: number): number => view.getUint32(at, true);
    const [tokens, rows, textBytes, modelBytes] = [count(28), count(32), count(44), count(48)];
    this.#view = view;
    this.#rows = rows;
    this.dimensions = count(36);
    this.#scoresAt = HEAD + 4 * rows;
    this.#biasAt = this.#scoresAt + (this.#isUnigram ? 4 * tokens : 0);
    const lengthsAt = this.#rowAt(rows);
    const textAt = lengthsAt + tokens;
    if (rows > tokens || textAt + textBytes + modelBytes !== bytes) throw new Error(t("it is not whole"));
    this.model = text(textAt + textBytes, modelBytes);
    for (let token = 0, at = textAt; token < tokens; token += 1) {
      const length = view.getUint8(lengthsAt + token);
      this.#places.set(text(at, length), token);
      at += length;
    }
    this.#longest = [...this.#places.keys()].reduce((most, { length }) => Math.max(most, length), 1);
  }

  /** The tokens of a text, as many as count: places in the table, or `UNKNOWN` where they have no vector. */
  tokens(text: string): number[] {
    const cut = this.#isUnigram ? this.#unigram(text) : this.#wordPiece(text);
    return cut.slice(0, this.#view.getUint32(56, true)).map((token) => (token < this.#rows ? token : UNKNOWN));
  }

  /** The vector of a text; null where the table knows too little of it to say anything. */
  vector(text: string): TextVector | null {
    const tokens = this.tokens(text);
    const known = tokens.filter((token) => token !== UNKNOWN);
    const number = (at: number): number => this.#view.getFloat32(at, true);
    const root = Math.sqrt(tokens.length);
    const sum = Float32Array.from({ length: this.dimensions }, (_, n) => number(this.#biasAt + 4 * n) * root);
    for (const token of known) this.#add(sum, token);
    const length = Math.hypot(...sum);
    const weak = known.reduce((total, token) => total + this.#view.getUint8(this.#weaknessAt + token), 0) / 255 / Math.max(1, known.length);
    const agreement = number(80) + (number(84) * length) / root + number(88) * (1 - known.length / tokens.length) + number(92) * weak;
    return known.length > 0 && length > 0 && agreement >= number(76) ? { vector: sum.map((each) => each / length), agreement } : null;
  }

  get #isUnigram(): boolean {
    return this.#view.getUint32(20, true) === UNIGRAM;
  }

  get #weaknessAt(): number {
    return this.#biasAt + 4 * this.dimensions;
  }

  #rowAt(row: number): number {
    return this.#weaknessAt + this.#rows + row * Math.ceil(this.dimensions / 2);
  }

  #add(sum: Float32Array, row: number): void {
    const scale = this.#view.getFloat32(HEAD + 4 * row, true);
    const from = this.#rowAt(row);
    for (let n = 0; n < sum.length; n += 1) {
      const byte = this.#view.getUint8(from + (n >> 1));
      sum[n] = (sum[n] ?? 0) + ((n & 1 ? byte >> 4 : byte & 15) - 8) * scale;
    }
  }

  #has(flag: number): boolean {
    return (this.#view.getUint32(24, true) & flag) !== 0;
  }

  #wordPiece(text: string): number[] {
    let plain = text;
    if (this.#has(CLEAN)) plain = plain.replace(/\p{Cs}/gu, "?").replace(/[\t\n\r]/g, " ").replace(UNSEEN, "").replace(/\p{White_Space}/gu, " ");
    if (this.#has(CHINESE)) plain = plain.replace(IDEOGRAPH, " $& ");
    if (this.#has(ACCENTS)) plain = plain.normalize("NFD").replace(/\p{Mn}/gu, "");
    if (this.#has(LOWER)) plain = [...plain].map((letter) => letter.toLowerCase()).join("");
    return (plain.match(WORD) ?? []).flatMap((word) => this.#pieces([...word]));
  }

  /** The longest pieces of a word from its beginning; one unknown token where they do not make up the whole. */
  #pieces(letters: readonly string[]): number[] {
    const found: number[] = [];
    if (letters.length > this.#view.getUint32(52, true)) return [UNKNOWN];
    for (let from = 0; from < letters.length; ) {
      let to = letters.length + 1;
      let token: number | undefined;
      while (token === undefined && --to > from) token = this.#places.get((from > 0 ? "##" : "") + letters.slice(from, to).join(""));
      if (token === undefined) return [UNKNOWN];
      found.push(token);
      from = to;
    }
    return found;
  }

  #unigram(text: string): number[] {
    const plain = text.replace(DROPPED, "").replace(SPACES, " ");
    const words = (this.#has(COMPATIBLE) ? plain.normalize("NFKC") : plain).split(/\p{White_Space}+/u).filter(Boolean);
    return words.flatMap((word) => this.#likeliest([..."\u2581", ...word]));
  }

  /** The cut of a word with the greatest sum of scores (Viterbi). Unknown letters in a row are one token. */
  #likeliest(letters: readonly string[]): number[] {
    const cuts: Cut[] = [{ score: 0, tokens: [] }];
    letters.forEach((_, from) => {
      const { score, tokens } = cuts[from] as Cut; // every letter can be reached, by unknown ones at least
      for (const { to, token, own } of this.#candidates(letters, from)) {
        const isSame = token === UNKNOWN && tokens.at(-1) === UNKNOWN;
        if (score + own > (cuts[to]?.score ?? -Infinity)) cuts[to] = { score: score + own, tokens: isSame ? tokens : [...tokens, token] };
      }
    });
    return [...(cuts[letters.length] as Cut).tokens];
  }

  /** The tokens that begin at a letter, and the letter itself as unknown where it is none. */
  *#candidates(letters: readonly string[], from: number): Generator<{ to: number; token: number; own: number }> {
    let written = "";
    for (let to = from + 1; to <= letters.length && written.length < this.#longest; to += 1) {
      written += letters[to - 1];
      const token = this.#places.get(written);
      if (token !== undefined) yield { to, token, own: this.#view.getFloat32(this.#scoresAt + 4 * token, true) };
      else if (to === from + 1) yield { to, token: UNKNOWN, own: this.#view.getFloat32(96, true) };
    }
  }
}
