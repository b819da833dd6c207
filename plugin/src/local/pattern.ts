/**
 * Regular expressions in a time that is linear in the text, as RE2 has them: all ways to match are followed side by
 * side, and none is tried after another. Look-around, references and flags in the pattern are refused, as is a long one.
 */

import type { TextTest } from "./passages";

/** One step: takes a character, holds between two, or goes on at other steps. The last one has matched. */
type Step = { takes?: TextTest; holds?: (before: string, after: string) => boolean; to?: readonly number[] };
type Node = Step | { readonly all: readonly Node[] } | { readonly some: readonly Node[] } | { readonly part: Node; readonly least: number; readonly most: number };

const MOST_STEPS = 200;
const CLASS = /\[\^?(?:\\[^]|[^\]\\])+\]|\\[pP](?:\{\w+(?:=\w+)?\}|\w)|\\x[\da-f]{2}|\\[dDwWsStnrfv]/iy;
const TIMES = /(?:([*+?])|\{(\d{1,3})(?:(,)(\d{0,3}))?\})\??/y;
const OPENS = /\((?:\?(?::|P?<\w+>))?/y;

const isWord = (char: string): boolean => /^\w$/.test(char);
const isEnd = (char: string): boolean => char === "" || char === "\n";
const isBoundary = (before: string, after: string): boolean => isWord(before) !== isWord(after);
const ASSERTIONS = new Map<string, Step["holds"]>([
  ["^", isEnd],
  ["$", (_, after): boolean => isEnd(after)],
  ["\\b", isBoundary],
  ["\\B", (before, after): boolean => !isBoundary(before, after)],
  ["\\A", (before): boolean => before === ""],
  ["\\z", (_, after): boolean => after === ""],
]);

/** A test whether a text has a match; null where the pattern cannot be read. */
export function compiled(pattern: string, isCased: boolean): TextTest | null {
  try {
    const reader = new PatternReader(pattern, isCased);
    const steps: Step[] = [];
    emit(steps, reader.alternatives());
    return reader.isAtEnd ? (text): boolean => hasMatch(steps, text) : null;
  } catch {
    return null;
  }
}

class PatternReader {
  #at = 0;
  readonly #pattern: string;
  readonly #isCased: boolean;

  constructor(pattern: string, isCased: boolean) {
    this.#pattern = pattern;
    this.#isCased = isCased;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  alternatives(): Node {
    const some = [this.#sequence()];
    while (this.#next("|")) some.push(this.#sequence());
    return { some };
  }

  #sequence(): Node {
    const all: Node[] = [];
    while (!this.isAtEnd && !"|)".includes(this.#char)) all.push(this.#repeated());
    return { all };
  }

  #repeated(): Node {
    if (this.#match(TIMES)) throw new SyntaxError(this.#pattern);
    const part = this.#atom();
    const [found, sign, least, comma, most] = this.#match(TIMES) ?? [];
    if (found === undefined) return part;
    if (sign) return { part, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity };
    return { part, least: Number(least), most: Number((comma ? most : least) || Infinity) };
  }

  #atom(): Node {
    const found = this.#match(CLASS)?.[0];
    if (found) return this.#taking(new RegExp(`^${found}$`, this.#isCased ? "u" : "iu"));
    const open = this.#match(OPENS)?.[0];
    if (open) return this.#group(open);
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += char.length;
    if (char === "[") throw new SyntaxError(this.#pattern);
    if (char === ".") return { takes: (other) => other !== "\n" };
    if (char === "\\") return this.#escaped();
    const holds = ASSERTIONS.get(char);
    if (holds) return { holds };
    const wanted = this.#folded(char);
    return { takes: (other) => this.#folded(other) === wanted };
  }

  #group(open: string): Node {
    if (open === "(" && this.#char === "?") throw new SyntaxError(this.#pattern);
    const inner = this.alternatives();
    if (!this.#next(")")) throw new SyntaxError(this.#pattern);
    return inner;
  }

  #escaped(): Node {
    const char = this.#char;
    this.#at += 1;
    const holds = ASSERTIONS.get(`\\${char}`);
    if (holds) return { holds };
    if (/^[\w\s]?$/.test(char)) throw new SyntaxError(this.#pattern);
    return { takes: (other) => other === char };
  }

  #taking(one: RegExp): Step {
    const known = new Map<string, boolean>();
    const takes = (char: string): boolean => {
      const before = known.get(char);
      if (before !== undefined) return before;
      known.set(char, one.test(char));
      return one.test(char);
    };
    return { takes };
  }

  #folded(char: string): string {
    return this.#isCased ? char : char.toLowerCase();
  }

  get #char(): string {
    return this.#pattern.charAt(this.#at);
  }

  #next(char: string): boolean {
    const isNext = this.#char === char;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #match(expected: RegExp): RegExpExecArray | null {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.#pattern);
    if (found) this.#at = expected.lastIndex;
    return found;
  }
}

function emit(steps: Step[], node: Node): void {
  if (steps.length > MOST_STEPS) throw new RangeError(String(steps.length));
  if ("all" in node) for (const each of node.all) emit(steps, each);
  else if ("some" in node) emitSome(steps, node.some);
  else if ("part" in node) emitRepeated(steps, node.part, node.least, node.most);
  else steps.push(node);
}

function emitSome(steps: Step[], [first, ...others]: readonly Node[]): void {
  if (!first) return;
  if (others.length === 0) {
    emit(steps, first);
    return;
  }
  const [fork, leap]: [Step, Step] = [{}, {}];
  steps.push(fork);
  emit(steps, first);
  steps.push(leap);
  fork.to = [steps.indexOf(fork) + 1, steps.length];
  emitSome(steps, others);
  leap.to = [steps.length];
}

function emitRepeated(steps: Step[], part: Node, least: number, most: number): void {
  for (let n = 0; n < least; n += 1) {
    const before = steps.length;
    emit(steps, part);
    if (steps.length === before) break; // nothing, however often
  }
  if (most === Infinity) {
    const begin = steps.length;
    const fork: Step = {};
    steps.push(fork);
    emit(steps, part);
    steps.push({ to: [begin] });
    fork.to = [begin + 1, steps.length];
    return;
  }
  const forks: Step[] = [];
  for (let n = least; n < most; n += 1) {
    const fork: Step = { to: [steps.length + 1] };
    forks.push(fork);
    steps.push(fork);
    emit(steps, part);
  }
  for (const fork of forks) fork.to = [...(fork.to ?? []), steps.length];
}

/** Follows every way at once; a match may begin anywhere. */
function hasMatch(steps: readonly Step[], text: string): boolean {
  const seen = new Int32Array(steps.length + 1).fill(-1);
  const chars = [...text];
  let taking: number[] = [];
  const follow = (step: number, at: number): boolean => {
    if (seen[step] === at) return false;
    seen[step] = at;
    const found = steps[step];
    if (!found) return true;
    if (found.to) return found.to.some((next) => follow(next, at));
    if (found.holds) return found.holds(chars[at - 1] ?? "", chars[at] ?? "") && follow(step + 1, at);
    taking.push(step);
    return false;
  };
  for (let at = 0; at <= chars.length; at += 1) {
    const before = taking;
    taking = [];
    const char = chars[at - 1] ?? "";
    for (const step of before) if (steps[step]?.takes?.(char) && follow(step + 1, at)) return true;
    if (follow(0, at)) return true;
  }
  return false;
}
