/** A snippet with its matches marked. Offsets come from outside and are not trusted. */

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

type Range = readonly [start: number, end: number];

/** Cuts `text` to `limit` characters around its first match, and that into marked pieces. */
export function pieces(text: string, matches: readonly Range[], limit: number): Piece[] {
  const ranges = tidy(matches, text.length);
  const start = windowStart(text, ranges, limit);
  const end = Math.min(text.length, start + limit);
  const cut: Piece[] = [];
  const add = (from: number, to: number, isMatch: boolean): void => {
    if (to > from) cut.push({ text: text.slice(from, to), isMatch });
  };
  if (start > 0) cut.push({ text: "…", isMatch: false });
  let at = start;
  for (const [from, to] of ranges) {
    if (from >= end) break;
    add(at, Math.max(at, from), false);
    add(Math.max(at, from), Math.min(to, end), true);
    at = Math.max(at, Math.min(to, end));
  }
  add(at, end, false);
  if (end < text.length) cut.push({ text: "…", isMatch: false });
  return cut;
}

/** Draws the pieces into `el` with the class that themes style matches by. */
export function renderPieces(el: HTMLElement, parts: readonly Piece[]): void {
  for (const part of parts) {
    if (part.isMatch) el.createSpan({ cls: "search-result-file-matched-text", text: part.text });
    else el.appendText(part.text);
  }
}

/** Whole numbers inside the text, in order, none empty or overlapping. */
function tidy(matches: readonly Range[], length: number): Range[] {
  const inside = matches
    .map(([from, to]): Range => [clamp(from, length), clamp(to, length)])
    .filter(([from, to]) => to > from)
    .sort((one, other) => one[0] - other[0]);
  const kept: Range[] = [];
  for (const [from, to] of inside) {
    const start = Math.max(from, kept.at(-1)?.[1] ?? 0);
    if (to > start) kept.push([start, to]);
  }
  return kept;
}

function clamp(offset: number, length: number): number {
  return Math.min(length, Math.max(0, Math.trunc(offset)));
}

/** The beginning, unless the first match would then be cut off. */
function windowStart(text: string, ranges: readonly Range[], limit: number): number {
  const first = ranges[0]?.[0] ?? 0;
  if (text.length <= limit || first < limit * 0.75) return 0;
  const start = Math.max(0, first - Math.floor(limit / 4));
  // Not inside a surrogate pair.
  const low = text.charCodeAt(start);
  return low >= 0xdc00 && low <= 0xdfff ? start + 1 : start;
}
