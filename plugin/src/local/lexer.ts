/**
 * Splits a query into lexemes in linear time, by the same rules as the sidecar's `search/query/language.py`;
 * tests/contract/queries.json holds the cases that both must agree on. Text that looks like syntax but
 * is not valid becomes a word, with a warning.
 */

import { t } from "../texts";

export const FIELDS: readonly string[] = ["path", "file", "tag", "type", "status", "created", "modified"];
const SCOPES = "line,block,section,task,task-todo,task-done,content,match-case,ignore-case";
export const MAX_WARNINGS = 8;
const MAX_DEPTH = 32; // of nested groups; deeper ones are read as text

type Kind = "word" | "phrase" | "pattern" | "filter" | "property" | "or" | "open" | "close";

/** A piece of a query: `text` is the value, unquoted; `name` the field of a filter, or the scope of a group. */
export interface Lexeme {
  readonly kind: Kind;
  readonly text: string;
  readonly isNegated: boolean;
  readonly name: string;
}

const QUOTES = '"“”„';
const QUOTED = new RegExp(`[${QUOTES}]((?:[^\\\\${QUOTES}]|\\\\.)*)[${QUOTES}]`, "suy");
const FIELD = /([A-Za-z][A-Za-z_-]*):/y;
const NEGATES = /-(?=[^\s\-=>)\]:,.;!?])/y;
const SPACE = /\s+/y;
const LINK = /!?\[\[[^[\]\n]*\]\]\S*/y;
const PROPERTY = /\[([^[\]\n]*)\](?!\()/y;
const OR = /OR(?=[\s()]|$)/y;
const PATTERN = /\/((?:[^/\\\n]|\\.)+)\/(?=[\s)]|$)/y;

class Lexer {
  at = 0;
  readonly out: Lexeme[] = [];
  readonly warnings: string[] = [];
  readonly #opened: number[] = []; // positions in `out` of groups still open
  #isUnclosed = false; // an unclosed quote was found, so no later quote is closed either
  readonly #source: string;
  readonly #hasScopes: boolean;

  constructor(source: string, hasScopes: boolean) {
    this.#source = source;
    this.#hasScopes = hasScopes;
  }

  run(): void {
    while (this.at < this.#source.length) {
      const space = this.#match(SPACE, this.at);
      if (space) this.at += space[0].length;
      else this.#term();
    }
    for (const position of this.#opened.reverse()) {
      this.#warn(t("An opening parenthesis is never closed; it was read as text."));
      this.out.splice(position, 1);
    }
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#source);
  }

  #warn(message: string): void {
    if (!this.warnings.includes(message) && this.warnings.length < MAX_WARNINGS) this.warnings.push(message);
  }

  #emit(kind: Kind, text: string, isNegated = false, name = ""): void {
    this.out.push({ kind, text, isNegated, name });
  }

  /** Reads one term at `at`: a parenthesis, a phrase, a filter or a word. */
  #term(): void {
    const source = this.#source;
    const isNegated = this.#match(NEGATES, this.at) !== null;
    const start = this.at + Number(isNegated);
    const first = source[start] ?? "";
    const or = isNegated ? null : this.#match(OR, start);
    if (first === ")" && this.#opened.length > 0) {
      this.#opened.pop();
      this.#emit("close", ")");
      this.at = start + 1;
    } else if (first === "(") {
      this.#group(start, isNegated);
    } else if (QUOTES.includes(first)) {
      this.#phrase(start, isNegated);
    } else if (this.#pattern(start, isNegated) || this.#bracket(start, isNegated)) {
      return;
    } else if (or) {
      this.#emit("or", "OR");
      this.at = start + 2;
    } else if (!this.#filter(start, isNegated)) {
      this.at = this.#wordEnd(start);
      this.#emit("word", source.slice(start, this.at), isNegated);
    }
  }

  #pattern(start: number, isNegated: boolean): boolean {
    const found = this.#hasScopes && this.#match(PATTERN, start);
    if (!found) return false;
    this.#emit("pattern", found[1] ?? "", isNegated);
    this.at = start + found[0].length;
    return true;
  }

  /** Reads what a scope holds: a group, or one term as a group of its own. */
  #scope(name: string, start: number, isNegated: boolean): boolean {
    const first = this.#source.charAt(start);
    if (!first.trim() || first === ")") return false;
    if (first === "(") {
      this.#group(start, isNegated, name);
      return true;
    }
    this.#emit("open", "(", isNegated, name);
    this.at = start;
    if (QUOTES.includes(first)) this.#phrase(start, false);
    else if (!this.#pattern(start, false)) {
      this.at = this.#wordEnd(start);
      this.#emit("word", this.#source.slice(start, this.at));
    }
    this.#emit("close", ")");
    return true;
  }

  #group(start: number, isNegated: boolean, name = ""): void {
    this.at = start + 1;
    if (this.#opened.length >= MAX_DEPTH) {
      this.#warn(t("Groups nested deeper than {maxDepth} levels were read as text.", { maxDepth: MAX_DEPTH }));
      return;
    }
    this.#opened.push(this.out.length);
    this.#emit("open", "(", isNegated, name);
  }

  /** Reads a quoted phrase, or skips a quote that is never closed. */
  #phrase(start: number, isNegated: boolean): void {
    const found = this.#quoted(start);
    if (!found) {
      this.#warn(t("A quotation mark is never closed; it was read as text."));
      this.at = start + 1;
      return;
    }
    this.at = found.end;
    const text = found.text.split(/\s+/).filter(Boolean).join(" ");
    if (text) this.#emit("phrase", text, isNegated);
  }

  /** Value and end of the quoted text that starts at `start`; `\"` stands for a quote. */
  #quoted(start: number): { readonly text: string; readonly end: number } | null {
    const found = this.#isUnclosed ? null : this.#match(QUOTED, start);
    if (!found) {
      this.#isUnclosed = true;
      return null;
    }
    return { text: (found[1] ?? "").replace(/\\(.)/gu, "$1"), end: start + found[0].length };
  }

  /** Reads `[[a link]]` as a word and `[property:value]` as a filter. */
  #bracket(start: number, isNegated: boolean): boolean {
    const link = this.#match(LINK, start);
    if (link) {
      this.#emit("word", link[0].replace(/!?\[\[|\]\]|[|#^]/g, " ").trim(), isNegated);
      this.at = start + link[0].length;
      return true;
    }
    const found = this.#match(PROPERTY, start);
    if (!found) return false;
    const inner = found[1] ?? "";
    const colon = inner.indexOf(":");
    const name = (colon < 0 ? inner : inner.slice(0, colon)).trim().replace(/^"+|"+$/g, "");
    const value = colon < 0 ? "" : inner.slice(colon + 1).trim();
    if (!name || (colon >= 0 && !value)) {
      this.#warn(t("{found} names no property or value; it was read as text.", { found: found[0] }));
      return false;
    }
    this.#emit("property", value, isNegated, name);
    this.at = start + found[0].length;
    return true;
  }

  /** Reads `field:value`; returns false if it is an ordinary word. */
  #filter(start: number, isNegated: boolean): boolean {
    const found = this.#match(FIELD, start);
    if (!found) return false;
    const name = (found[1] ?? "").toLowerCase();
    const from = start + found[0].length;
    const rest = this.#source.slice(from, from + 2);
    const next = rest.slice(0, 1);
    if (this.#hasScopes && SCOPES.split(",").includes(name) && this.#scope(name, from, isNegated)) return true;
    if (!FIELDS.includes(name)) {
      const known = FIELDS.map((field) => `${field}:`).join(", ");
      if (next.trim() && rest !== "//") this.#warn(t("{name}: is no filter ({known}); it was read as text.", { name, known }));
      return false;
    }
    const value = this.#value(from, next);
    if (!value?.text.trim() || next === "(") {
      this.#warn(t("{name}: has no value that can be read; it was read as text.", { name }));
      this.at = from;
      this.#emit("word", this.#source.slice(start, from - 1));
      return true;
    }
    this.#emit("filter", value.text.trim(), isNegated, name);
    this.at = value.end;
    return true;
  }

  #value(from: number, next: string): { readonly text: string; readonly end: number } | null {
    if (next && QUOTES.includes(next)) return this.#quoted(from);
    const end = this.#wordEnd(from);
    return { text: this.#source.slice(from, end), end };
  }

  /** End of the word at `start`: a space, a quote, or a `)` that closes a group. */
  #wordEnd(start: number): number {
    const source = this.#source;
    let depth = 0;
    for (let at = start; at < source.length; at += 1) {
      const char = source.charAt(at);
      if (/\s/.test(char) || (at > start && QUOTES.includes(char))) return at;
      if (char === "(") depth += 1;
      else if (char === ")") {
        if (depth === 0 && this.#opened.length > 0) return at;
        depth = Math.max(0, depth - 1);
      }
    }
    return source.length;
  }
}

/** Lexemes of `text`, and warnings. Groups in the lexemes are balanced. */
export function lex(text: string, hasScopes: boolean): { readonly lexemes: readonly Lexeme[]; readonly warnings: string[] } {
  const lexer = new Lexer(text, hasScopes);
  lexer.run();
  return { lexemes: lexer.out, warnings: lexer.warnings };
}
