/** markdown-it rules for blocks: footnotes, tables that are too large to draw, and HTML as the text in it. */

import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { t } from "../../src/texts";

/** What a note's text defines beside its blocks. */
export interface Extras {
  /** Texts of footnotes by their names. */
  readonly footnotes: Map<string, string>;
}

/** A browser lays out larger tables for seconds or minutes; they are shown as the text that they are. */
const MOST_COLUMNS = 100;
const MOST_CELLS = 10_000;
/** Of such a text, what is shown. */
const MOST_SHOWN = 20_000;

/** Adds the rules. Tokens of their own: `footnote` (content: its name); a large table is a `code_block`. */
export function addBlocks(md: MarkdownIt): void {
  md.block.ruler.before("table", "large_table", largeTable, { alt: ["paragraph", "reference"] });
  md.block.ruler.before("reference", "footnote", footnote, { alt: ["paragraph", "reference"] });
  md.inline.ruler.before("link", "footnote_mark", footnoteMark);
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0);
}

function largeTable(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (start + 1 >= end || !/^[\s:|-]*-[\s:|-]*$/.test(lineOf(state, start + 1).slice(0, 500))) return false;
  if (!lineOf(state, start).includes("|")) return false;
  let [line, cells] = [start, 0];
  for (; line < end && !state.isEmpty(line); line += 1) cells += pipes(lineOf(state, line));
  if (pipes(lineOf(state, start)) <= MOST_COLUMNS && cells <= MOST_CELLS) return false;
  if (silent) return true;
  const text = state.getLines(start, line, state.blkIndent, false);
  const token = state.push("code_block", "code", 0);
  token.content = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…\n(${t("the rest of this table is in the note itself")})` : text;
  token.map = [start, line];
  state.line = line;
  return true;
}

function pipes(text: string): number {
  let count = 0;
  for (let at = text.indexOf("|"); at >= 0; at = text.indexOf("|", at + 1)) count += 1;
  return count;
}

/** `[^name]: text`, going on in indented lines. */
function footnote(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const found = /^\[\^([^\]\s]{1,100})\]:[ \t]*(.*)$/s.exec(lineOf(state, start));
  if (!found) return false;
  if (silent) return true;
  let line = start + 1;
  while (line < end && !state.isEmpty(line) && (state.sCount[line] ?? 0) - state.blkIndent >= 2) line += 1;
  const rest = line > start + 1 ? `\n${state.getLines(start + 1, line, 4 + state.blkIndent, false)}` : "";
  (state.env as Partial<Extras>).footnotes?.set(found[1] ?? "", `${found[2] ?? ""}${rest}`);
  state.line = line;
  return true;
}

const MARK = /\[\^([^\]\s]{1,100})\]/y;

function footnoteMark(state: StateInline, silent: boolean): boolean {
  MARK.lastIndex = state.pos;
  const name = MARK.exec(state.src)?.[1];
  if (name === undefined || !(state.env as Partial<Extras>).footnotes?.has(name)) return false;
  if (!silent) state.push("footnote", "", 0).content = name;
  state.pos += name.length + 3;
  return true;
}

const HIDDEN = /<(script|style|template|iframe|object|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;

/** The text in HTML, which is all that is shown of it. */
export function withoutTags(html: string): string {
  return html.replace(/<!--[\s\S]*?(?:-->|$)/g, "").replace(HIDDEN, "").replace(/<\/?[a-z!?][^<>]*>?/gi, "");
}
