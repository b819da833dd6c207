/** What of a note is prose, in which names of notes may be meant. */

const HIDDEN = new RegExp(
  [
    "^ {0,3}(`{3,}|~{3,})[^\\n]*\\n[\\s\\S]*?(?:\\n {0,3}\\1[^\\n]*|$(?![\\s\\S]))", // fenced code
    "^#{1,6}\\s[^\\n]*", // headings
    "!?\\[\\[[^\\]\\n]*\\]\\]", // links, written in three ways
    "!?\\[[^\\]\\n]*\\](?:\\([^)\\n]*\\)|\\[[^\\]\\n]*\\])",
    "<[^>\\n]*>",
    "`[^`\\n]+`",
    "%%[\\s\\S]*?%%", // comments
    "\\$\\$[\\s\\S]*?\\$\\$|\\$[^$\\n]+\\$", // formulas
    "\\b[a-z][a-z+.-]*:\\/\\/\\S+",
    "(?:^|\\s)#[^\\s#]+", // tags
  ].join("|"),
  "gm",
);
const FRONTMATTER = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * `text` with everything blank that is not prose: links, code, formulas, headings, tags. `before` is what
 * precedes it in the note, which tells whether it begins in code or in the properties.
 */
export function prose(text: string, before = ""): string {
  const head = FRONTMATTER.exec(before + text)?.[0].length ?? 0;
  const inHead = Math.max(0, head - before.length);
  const fence = openFence(before.slice(head));
  const end = fence ? closing(text, fence) : 0;
  const start = Math.min(text.length, Math.max(inHead, end));
  return " ".repeat(start) + text.slice(start).replace(HIDDEN, (part) => part.replace(/[^\n]/g, " "));
}

/** The fence of the block of code that is open at the end of `text`; empty where none is. */
function openFence(text: string): string {
  let open = "";
  for (const [, fence = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})/gm)) {
    if (!open) open = fence;
    else if (fence.startsWith(open)) open = "";
  }
  return open;
}

function closing(text: string, fence: string): number {
  const found = new RegExp(`^ {0,3}${fence}[^\\n]*$`, "m").exec(text);
  return found ? found.index + found[0].length : text.length;
}
