/**
 * The words of a text, for the index in the plugin. A short form of the sidecar's analyser
 * (`index/analyze.py`): case and diacritics are folded; compounds give their parts and the whole; scripts
 * without spaces give overlapping pairs and single characters; English plurals lose their `s` (Harman
 * 1991, "How effective is suffixing?").
 */

export interface Span {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const SPACELESS = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\u30fc\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}々〇";
const IS_SPACELESS = new RegExp(`[${SPACELESS}]`, "u");
/** A run of a script without spaces, a compound of letters and digits, or a sign that is a word. */
const RUN = new RegExp(
  `[A-Za-z](?:\\+\\+|#)(?![\\p{L}\\p{N}_+#])|(?:[${SPACELESS}]\\p{M}*)+|` +
    `(?:(?![${SPACELESS}])[\\p{L}\\p{N}])(?:(?![${SPACELESS}])[\\p{L}\\p{N}\\p{M}]|[-_.'’](?=(?![${SPACELESS}])[\\p{L}\\p{N}]))*|` +
    "\\p{Extended_Pictographic}",
  "gu",
);
const ASCII_RUN = /[A-Za-z](?:\+\+|#)(?![\w+#])|[A-Za-z0-9]+(?:[-_.'][A-Za-z0-9]+)*/g;
const PART = /[^-_.'’]+/g;
const CAMEL = /[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+|[A-Z]/g;
const IS_ASCII = /^[\u0000-\u007f]*$/; // eslint-disable-line no-control-regex -- all of ASCII is meant
const LONE = /[\p{sc=Han}\p{sc=Hang}]/u;
/** Marks that people leave out when they type: on Latin, Greek, Hebrew and Arabic letters. */
const DROPPED_MARKS = /([\p{sc=Latn}\p{sc=Grek}\p{sc=Hebr}\p{sc=Arab}])\p{M}+/gu;
const LETTERS: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ß: "ss", ı: "i", ё: "е" };
const MAX_WORD = 64;
const MAX_PARTS = 8; // a longer compound is a path or noise, which nobody searches as a whole

/** The words of `text` in order, as they are indexed. */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.matchAll(pattern(text))) found.push(...(cached(run)));
  return found;
}

/** The words of `text` with their places, in code units. */
export function spans(text: string): Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(pattern(text))) {
    for (const { word, start, end } of wordsOf(match[0])) found.push({ word, start: match.index + start, end: match.index + end });
  }
  return found;
}

/** `text` without case, diacritics and doubled spaces, to compare names and phrases. */
export function fold(text: string): string {
  const plain = text.replace(/[*_~=`\\\u00ad\u200b]/g, "").replace(/[‘’‛ʼ]/g, "'").replace(/[“”„«»]/g, '"').replace(/[‐-―−]/g, "-");
  return foldWord(plain).replace(/\s+/g, " ").trim();
}

export function isSpaceless(text: string): boolean {
  return IS_SPACELESS.test(text);
}

function pattern(text: string): RegExp {
  return IS_ASCII.test(text) ? ASCII_RUN : RUN;
}

// Natural text repeats itself: this serves most runs.
let memory = new Map<string, readonly string[]>();
const MEMORY = 20_000;

function cached(run: string): readonly string[] {
  let found = memory.get(run);
  if (!found) {
    found = wordsOf(run).map(({ word }) => word);
    if (memory.size > MEMORY) memory = new Map();
    if (run.length <= 40) memory.set(run, found);
  }
  return found;
}

function wordsOf(run: string): Span[] {
  if (/^[a-z0-9]+$/.test(run)) return [{ word: stem(run).slice(0, MAX_WORD), start: 0, end: run.length }];
  if (IS_SPACELESS.test(run)) return pairs(run);
  if (/[+#]$/.test(run)) return [{ word: run.toLowerCase(), start: 0, end: run.length }];
  return compound(run);
}

/** The parts of `well-known`, `getUserName`, `don't`, and then the whole without its joints. */
function compound(run: string): Span[] {
  const found: Span[] = [];
  const parts = [...run.matchAll(PART)];
  const last = parts.at(-1);
  if (last && parts.length > 1 && /^s$/i.test(last[0]) && /['’]/.test(run.charAt(last.index - 1))) parts.pop();
  for (const part of parts) {
    for (const camel of part[0].matchAll(CAMEL)) {
      const start = part.index + camel.index;
      found.push({ word: stem(foldWord(camel[0])).slice(0, MAX_WORD), start, end: start + camel[0].length });
    }
  }
  if (found.length < 2 || found.length > MAX_PARTS) return found;
  const isNumber = found.every(({ word }) => /^\d+$/.test(word));
  const whole = isNumber ? run : parts.map(([part]) => foldWord(part)).join("");
  if (whole.length <= MAX_WORD) found.push({ word: stem(whole), start: 0, end: run.length });
  return found;
}

function pairs(run: string): Span[] {
  const units = [...run.matchAll(/.\p{M}*/gsu)].map((match) => ({ word: match[0].normalize("NFKC"), start: match.index, end: match.index + match[0].length }));
  if (units.length === 1) return units;
  const found = units.slice(1).map((right, at): Span => {
    const left = units[at] ?? right;
    return { word: left.word + right.word, start: left.start, end: right.end };
  });
  return [...found, ...units.filter(({ word }) => LONE.test(word))];
}

function foldWord(word: string): string {
  if (IS_ASCII.test(word)) return word.toLowerCase();
  const lower = word.normalize("NFKC").toLowerCase().replace(/[øłđðþæœßıё]/g, (letter) => LETTERS[letter] ?? letter);
  return lower.normalize("NFD").replace(DROPPED_MARKS, "$1").normalize("NFKC");
}

/** An English word without the `s` of its plural; other words as they are. */
function stem(word: string): string {
  if (word.length < 4 || !word.endsWith("s") || !/^[a-z]+$/.test(word)) return word;
  if (/(us|ss|is)$/.test(word)) return word;
  if (/[^ae]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /(?:ch|sh|x|ss|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
