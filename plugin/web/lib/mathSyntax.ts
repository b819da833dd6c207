/** markdown-it rules for formulas: `$…$` in a line, `$$…$$` for one set apart, as Obsidian reads them. */

import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

/** Adds the rules. Tokens of their own: `math`, with the formula as content and `meta.isApart`. */
export function addMath(md: MarkdownIt): void {
  md.block.ruler.before("fence", "math_block", mathBlock, { alt: ["paragraph", "reference", "blockquote", "list"] });
  md.inline.ruler.before("escape", "math", mathInLine);
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0);
}

/** `$$` at the beginning of a line, up to the next `$$` that ends one. */
function mathBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (!lineOf(state, start).startsWith("$$")) return false;
  const lines: string[] = [];
  for (let line = start; line < end; line += 1) {
    const text = line === start ? lineOf(state, line).slice(2) : lineOf(state, line);
    const close = text.indexOf("$$");
    if (close >= 0 && text.slice(close + 2).trim()) return false; // goes on as a line of text
    lines.push(close >= 0 ? text.slice(0, close) : text);
    if (close < 0) continue;
    if (silent) return true;
    const token = state.push("math", "", 0);
    token.content = lines.join("\n").trim();
    token.meta = { isApart: true };
    token.map = [start, line + 1];
    state.line = line + 1;
    return true;
  }
  return false;
}

/** A dollar sign that stands at a word, up to one that ends a word and is not part of an amount of money. */
const IN_LINE = /\$(?![\s$])((?:\\[\s\S]|[^\\$])*?[^\s\\$]|(?:\\[\s\S]|[^\\$])*?\\[^\s])\$(?!\d)/y;
const APART = /\$\$((?:\\[\s\S]|[^\\$])+)\$\$/y;

function mathInLine(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== "$") return false;
  const isApart = state.src[state.pos + 1] === "$";
  const found = matchAt(isApart ? APART : IN_LINE, state);
  if (!found) return false;
  if (!silent) {
    const token = state.push("math", "", 0);
    token.content = found[1]?.trim() ?? "";
    token.meta = { isApart };
  }
  state.pos += found[0].length;
  return true;
}

/** The longest formula: a lone dollar sign does not make the rest of a long note be looked through. */
const MOST_LENGTH = 4_000;

function matchAt(pattern: RegExp, { src, pos, posMax }: StateInline): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(src.slice(pos, Math.min(posMax, pos + MOST_LENGTH)));
}
