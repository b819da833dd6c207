/** Snippets with their matches highlighted. The offsets come from the server and are not trusted. */

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Words are marked one by one; a stretch of several is what the server found near in meaning. */
const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;

type Range = readonly [start: number, end: number];

/** Cuts `text` to `limit` characters around its first match, and that into marked pieces. */
export function pieces(text: string, matches: readonly Range[], limit: number): Piece[] {
  const ranges = [...matches].sort((one, other) => one[0] - other[0]);
  const first = ranges.find(([from, to]) => from < to && from < text.length);
  const start = windowStart(text, first?.[0] ?? 0, limit);
  const end = Math.min(text.length, start + limit);
  const cut: Piece[] = [];
  let at = start;
  /** Adds the text up to `to`, limited to what remains. */
  const advance = (to: number, isMatch: boolean): void => {
    const from = at;
    at = Math.min(end, Math.max(at, Math.trunc(to)));
    if (at > from) cut.push({ text: text.slice(from, at), isMatch });
  };
  for (const [from, to] of ranges) {
    if (to <= from) continue;
    advance(from, false);
    advance(to, true);
  }
  advance(end, false);
  const gap = { text: "…", isMatch: false };
  if (start > 0) cut.unshift(gap);
  if (end < text.length) cut.push(gap);
  return cut;
}

/** Draws the snippet into `el`, its matches with the class that themes style them by. */
export function renderSnippet(
  el: HTMLElement,
  text: string,
  matches: readonly Range[],
  limit: number,
): void {
  for (const piece of pieces(text, matches, limit)) {
    if (!piece.isMatch) el.appendText(piece.text);
    else {
      const by = SENTENCE.test(piece.text) ? " is-by-meaning" : "";
      el.createSpan({ cls: `search-result-file-matched-text${by}`, text: piece.text });
    }
  }
}

/** Where the excerpt starts: 0, unless the first match would be cut off. */
function windowStart(text: string, first: number, limit: number): number {
  if (text.length <= limit || first < limit * 0.75) return 0;
  const start = Math.trunc(first - limit / 4);
  // Not inside a surrogate pair.
  const low = text.charCodeAt(start);
  return low >= 0xdc00 && low <= 0xdfff ? start + 1 : start;
}
