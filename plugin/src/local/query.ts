/**
 * Parses a query into the text to score and the conditions that must hold, by the same grammar as the
 * sidecar's `search/query/language.py`:
 *
 *   query  = terms ("OR" terms)*          OR binds weaker than a space, as in Obsidian
 *   terms  = ["-"] term ...
 *   term   = word | "phrase" | field:value | [property] | [property:value] | "(" query ")"
 *          | scope:word | scope:"phrase" | scope:"(" query ")" | /pattern/
 *
 * A scope is one of `SCOPES`: what it holds must be true of one line, block, section or task, or with regard to case.
 *
 * A word is scored but not required, except where only a requirement makes sense: negated, inside a
 * negated group, or as a whole branch of an OR whose other branch is a requirement. If every word of a
 * query with such an OR is required there or in a phrase, the words only order what is found.
 */

import { bounds } from "./dates";
import { lex, MAX_WARNINGS, type Lexeme } from "./lexer";
import { compiled } from "./pattern";
import { words } from "./words";
import { t } from "../texts";

export type Comparison = "=" | ">" | ">=" | "<" | "<=";
/** One comparison with a property's value; `operand` null stands for "no value". */
export interface ValueTest {
  readonly comparison: Comparison;
  readonly operand: string | null;
}

/** A condition on a note. */
export type Condition =
  | { readonly kind: "text"; readonly text: string; readonly isExact: boolean }
  | { readonly kind: "matches"; readonly pattern: string }
  | { readonly kind: "within"; readonly scope: string; readonly part: Condition }
  | { readonly kind: "path"; readonly field: "path" | "file"; readonly text: string }
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "property"; readonly name: string; readonly tests: readonly ValueTest[] }
  | { readonly kind: "date"; readonly field: "created" | "modified"; readonly start: number | null; readonly end: number | null }
  | { readonly kind: "not"; readonly part: Condition }
  | { readonly kind: "all"; readonly parts: readonly Condition[] }
  | { readonly kind: "either"; readonly parts: readonly Condition[] };

export interface ParsedQuery {
  readonly text: string;
  readonly condition: Condition | null;
  readonly phrases: readonly string[];
  readonly warnings: readonly string[];
  /** A note that meets the condition is found even if it has no word of the text. */
  readonly lists?: true;
}

const SIGNS: readonly Comparison[] = [">=", "<=", ">", "<"];

/** `now`: POSIX seconds that relative dates count from. `hasScopes`: the text of notes can be read. */
export function parse(query: string, now = Date.now() / 1000, hasScopes = true): ParsedQuery {
  const { lexemes, warnings } = lex(query, hasScopes);
  const parser = new Parser(lexemes, now, warnings);
  const terms = parser.alternatives(false);
  const isPlain = lexemes.every(({ kind, isNegated }) => kind === "word" && !isNegated);
  const text = isPlain && !query.includes("[[") ? query.trim() : parser.scored.join(" ");
  const lists = terms.chooses && !terms.isLoose;
  return { text, condition: all(terms.required), phrases: parser.phrases, warnings, ...(lists && { lists }) };
}

/** The condition in query syntax, as the sidecar writes it. */
export function describe(node: Condition | null): string {
  return node ? described(node) : "";
}

function described(node: Condition): string {
  switch (node.kind) {
    case "text":
      return node.isExact ? `"${node.text}"` : node.text;
    case "matches":
      return `/${node.pattern}/`;
    case "within":
      return `${node.scope}:${described(node.part).replace(/^[^(].*|^$/s, "($&)")}`;
    case "path":
      return `${node.field}:"${node.text}"`;
    case "tag":
      return `tag:${node.tag}`;
    case "property":
      return describeProperty(node);
    case "date":
      return `${node.field}:${[node.start, node.end].map((time) => time?.toFixed(0) ?? "").join("..")}`;
    case "not":
      return `-${described(node.part)}`;
    case "all":
      return `(${node.parts.map(described).join(" ")})`;
    case "either":
      return `(${node.parts.map(described).join(" OR ")})`;
  }
}

function describeProperty({ name, tests }: Extract<Condition, { kind: "property" }>): string {
  return `[${[name, tests.map(describeTest).join(" OR ")].filter(Boolean).join(":")}]`;
}

function describeTest({ comparison, operand }: ValueTest): string {
  if (operand === null) return "null";
  return comparison === "=" ? operand : comparison + operand;
}

/** Terms of one branch: words that are scored, and required conditions. */
interface Terms {
  /** Conditions for a branch that is required itself. */
  readonly words: Condition[];
  readonly required: Condition[];
  /** One of the words is not required. */
  isLoose?: boolean;
  /** One of the required conditions is an OR. */
  chooses?: true;
}

class Parser {
  readonly scored: string[] = [];
  readonly phrases: string[] = [];
  #at = 0;
  readonly #lexemes: readonly Lexeme[];
  readonly #now: number;
  readonly #warnings: string[];

  constructor(lexemes: readonly Lexeme[], now: number, warnings: string[]) {
    this.#lexemes = lexemes;
    this.#now = now;
    this.#warnings = warnings;
  }

  #warn(message: string): void {
    if (!this.#warnings.includes(message) && this.#warnings.length < MAX_WARNINGS) this.#warnings.push(message);
  }

  /** Reads up to the end of the group. `isStrict`: inside a negation, words are required. */
  alternatives(isStrict: boolean): Terms {
    const branches = [this.#terms(isStrict)];
    while (this.#lexemes[this.#at]?.kind === "or") {
      this.#at += 1;
      branches.push(this.#terms(isStrict));
    }
    const filled = branches.filter((branch) => branch.words.length + branch.required.length > 0);
    const found = either(filled);
    if (filled.length < branches.length && branches.length > 1) {
      this.#warn(t("An OR lacks something beside it; it was read as text."));
      if (!isStrict) this.scored.push("OR");
      found.isLoose = true;
    }
    return found;
  }

  /** Reads terms up to an OR or the end of the group. */
  #terms(isStrict: boolean): Terms {
    const found: Terms = { words: [], required: [] };
    for (;;) {
      const lexeme = this.#lexemes[this.#at];
      if (!lexeme || lexeme.kind === "or" || lexeme.kind === "close") return found;
      this.#at += 1;
      if (lexeme.kind === "open") this.#group(found, lexeme, isStrict);
      else if (lexeme.kind === "word" && !lexeme.isNegated && !isStrict) this.#word(found, lexeme.text);
      else this.#requirement(found, lexeme, isStrict);
    }
  }

  #group(found: Terms, lexeme: Lexeme, isStrict: boolean): void {
    const { isNegated, name } = lexeme;
    const inner = this.alternatives(isStrict || isNegated || name !== "");
    this.#at += 1; // skip the closing parenthesis; the lexer returns balanced groups
    if (name) this.#scope(found, lexeme, inner, !isStrict && !isNegated);
    else if (!isNegated) {
      found.words.push(...inner.words);
      found.required.push(...inner.required);
      if (inner.isLoose) found.isLoose = true;
      if (inner.chooses) found.chooses = true;
    } else if (inner.required.length > 0) {
      found.required.push({ kind: "not", part: requirement(inner) });
    }
  }

  /** Requires what a scope holds; its words are scored as well. */
  #scope(found: Terms, { name, isNegated }: Lexeme, inner: Terms, isScored: boolean): void {
    let part = requirement(inner);
    if (!isOfText(part)) this.#warn(t("{name}: takes words, phrases and /patterns/; it was left out.", { name }));
    else if (part.kind === "all" && part.parts.length === 0 && !name.startsWith("task")) return;
    else part = { kind: "within", scope: name, part };
    found.required.push(isNegated ? { kind: "not", part } : part);
    if (!isScored) return;
    for (const { text, isExact } of textsOf(part)) {
      this.scored.push(text);
      if (isExact) this.phrases.push(text);
    }
  }

  #word(found: Terms, text: string): void {
    found.words.push({ kind: "text", text, isExact: false });
    found.isLoose = true;
    this.scored.push(text);
  }

  #requirement(found: Terms, lexeme: Lexeme, isStrict: boolean): void {
    const { kind, name, text, isNegated } = lexeme;
    const node = this.#node(lexeme);
    if (!node) {
      const shown = kind === "pattern" ? `/${text}/` : text;
      this.#warn(t("{name} cannot be a condition; it was read as text.", { name: name ? `${name}:${text}` : shown }));
      if (!isStrict && !isNegated) this.#word(found, `${name} ${text}`.trim());
      return;
    }
    found.required.push(isNegated ? { kind: "not", part: node } : node);
    if (kind !== "phrase" || isNegated || isStrict) return;
    this.scored.push(text);
    this.phrases.push(text);
  }

  /** The condition of a lexeme; null if its value cannot be read. */
  #node({ kind, name, text }: Lexeme): Condition | null {
    if (kind === "property") return { kind, name: name.toLowerCase(), tests: valueTests(text) };
    if (kind !== "filter") return textNode(kind, text);
    if (name === "path" || name === "file") return { kind: "path", field: name, text: text.toLowerCase() };
    if (name === "type" || name === "status") return { kind: "property", name, tests: valueTests(text) };
    if (name === "created" || name === "modified") {
      const limits = bounds(text, this.#now);
      return limits && { kind: "date", field: name, start: limits[0], end: limits[1] };
    }
    const tag = text.replace(/^#+/, "").replace(/^\/+|\/+$/g, "").toLowerCase();
    return tag ? { kind: "tag", tag } : null;
  }
}

/** The condition of a word, a phrase or a pattern; null where there is nothing to search for. */
function textNode(kind: Lexeme["kind"], text: string): Condition | null {
  if (kind === "pattern") return compiled(text, false) && { kind: "matches", pattern: text };
  return words(text).length > 0 ? { kind: "text", text, isExact: kind === "phrase" } : null;
}

function isOfText(node: Condition): boolean {
  if (node.kind === "all" || node.kind === "either") return node.parts.every(isOfText);
  return node.kind === "text" || node.kind === "matches" || ((node.kind === "not" || node.kind === "within") && isOfText(node.part));
}

/** The texts of a condition that are not excluded. */
function textsOf(node: Condition): Extract<Condition, { kind: "text" }>[] {
  if (node.kind === "text") return [node];
  if (node.kind === "within") return textsOf(node.part);
  return node.kind === "all" || node.kind === "either" ? node.parts.flatMap(textsOf) : [];
}

/** The branches of an OR as one; words are required beside a branch that is a requirement. */
function either(branches: readonly Terms[]): Terms {
  const [only] = branches;
  if (branches.length < 2) return only ?? { words: [], required: [] };
  const node: Condition = { kind: "either", parts: branches.map(requirement) };
  if (!branches.some(({ required }) => required.length > 0)) return { words: [node], required: [], isLoose: true };
  const isLoose = branches.some((branch) => branch.isLoose && branch.required.length > 0);
  return { words: branches.flatMap((branch) => branch.words), required: [node], isLoose, chooses: true };
}

/** Terms as one condition; words are required only if nothing else is. */
function requirement({ words: only, required }: Terms): Condition {
  return all(required.length > 0 ? required : only) ?? { kind: "all", parts: [] };
}

function all(parts: readonly Condition[]): Condition | null {
  const unique = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];
  return unique.length > 1 ? { kind: "all", parts: unique } : (unique[0] ?? null);
}

/** Comparisons of `a OR >3 OR "quoted"`; an empty value has none. */
function valueTests(value: string): ValueTest[] {
  const parts = value.split(/\sOR\s/).map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    const sign = SIGNS.find((each) => part.startsWith(each) && part.slice(each.length).trim());
    if (sign) return { comparison: sign, operand: unquoted(part.slice(sign.length).trim()) };
    return { comparison: "=", operand: part.toLowerCase() === "null" ? null : unquoted(part) };
  });
}

function unquoted(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
