/** markdown-it rules for Obsidian's extensions of CommonMark: wikilinks, highlights, tags, comments. */

import type { MarkdownIt, StateInline } from "markdown-it";

type Rule = (state: StateInline, silent: boolean) => boolean;

/** Adds the rules. Tokens of their own: `wikilink` (content `!` before embeds), `tag`. */
export function addSyntax(md: MarkdownIt): void {
  md.inline.ruler.before("link", "wikilink", wikilink);
  md.inline.ruler.before("emphasis", "highlight", between("==", "mark"));
  md.inline.ruler.before("emphasis", "comment", comment);
  md.inline.ruler.push("tag", tag);
}

/** The text of a note without its front matter, and the number of lines that were removed. */
export function body(content: string): { readonly text: string; readonly lines: number } {
  const found = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(content);
  if (!found) return { text: content, lines: 0 };
  return { text: content.slice(found[0].length), lines: found[0].split("\n").length - 1 };
}

const wikilink: Rule = (state, silent) => {
  const { src, pos } = state;
  const isEmbed = src[pos] === "!";
  const open = isEmbed ? pos + 1 : pos;
  if (!src.startsWith("[[", open)) return false;
  const close = src.indexOf("]]", open + 2);
  if (close < 0 || close >= state.posMax) return false;
  const inner = src.slice(open + 2, close);
  if (!inner.trim() || /[\n[\]]/.test(inner)) return false;
  if (!silent) {
    const token = state.push("wikilink", "", 0);
    token.content = inner;
    token.meta = { isEmbed };
  }
  state.pos = close + 2;
  return true;
};

/** Text between two equal signs becomes an element. */
function between(sign: string, element: string): Rule {
  return (state, silent) => {
    const { src, pos } = state;
    if (!src.startsWith(sign, pos) || /\s|=/.test(src[pos + sign.length] ?? " ")) return false;
    const close = src.indexOf(sign, pos + sign.length);
    if (close < 0 || close + sign.length > state.posMax) return false;
    if (!silent) {
      const { posMax } = state;
      state.push("mark_open", element, 1);
      state.pos = pos + sign.length;
      state.posMax = close;
      state.md.inline.tokenize(state);
      state.posMax = posMax;
      state.push("mark_close", element, -1);
    }
    state.pos = close + sign.length;
    return true;
  };
}

/** `%%…%%` is a comment and is not shown. */
const comment: Rule = (state) => {
  const { src, pos } = state;
  if (!src.startsWith("%%", pos)) return false;
  const close = src.indexOf("%%", pos + 2);
  if (close < 0 || close + 2 > state.posMax) return false;
  state.pos = close + 2;
  return true;
};

const TAG = /#[\p{L}\p{N}_/\-\p{Extended_Pictographic}]+/uy;

const tag: Rule = (state, silent) => {
  const { src, pos } = state;
  if (src[pos] !== "#" || (pos > 0 && /\S/.test(src[pos - 1] ?? ""))) return false;
  TAG.lastIndex = pos;
  const found = TAG.exec(src.slice(0, state.posMax))?.[0];
  if (!found || /^#\d+$/.test(found)) return false;
  if (!silent) state.push("tag", "", 0).content = found;
  state.pos = pos + found.length;
  return true;
};
