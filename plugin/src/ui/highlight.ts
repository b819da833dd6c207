/** Snippets with their matches highlighted. The offsets come from the server and are not trusted. */

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Words are marked one by one; a stretch of several is what the server found near in meaning. */
const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;

type Range = readonly [start: number, end: number];

/** Cuts `text` to about `limit` characters around its first match, at sentences or words, and that into marked pieces. */
export function pieces(text: string, matches: readonly Range[], limit: number): Piece[] {
  const ranges = [...matches].sort((one, other) => one[0] - other[0]);
  const first = ranges.find(([from, to]) => from < to && from < text.length) ?? [0, 0];
  const [start, end] = windowOf(text, first, limit);
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
  if (start > 0 && !/(?:[.!?…。！？]| ·)\s*$/.test(text.slice(0, start))) cut.unshift(gap);
  if (end < text.length && !/[.!?…。！？]['"”’)]*$/.test(text.slice(0, end))) cut.push(gap);
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

/** The part around a match that is shown; the server cuts in the same way (`search/show/snippets.py`). */
function windowOf(text: string, [first, last]: Range, limit: number): Range {
  const slack = limit / 6;
  /** Where sentences begin, or else words, between two places. */
  const edges = (from: number, to: number, words = 0): number[] => {
    const found = (between: RegExp): number[] => [...text.matchAll(between)].map(({ 0: gap, index }) => index + gap.length).filter((at) => at >= from && at <= to);
    const sentences = found(/(?:[.!?…]\s|[。！？]| · )\s*/g);
    return sentences.length ? sentences : found(/\s+/g).filter((at) => at >= words);
  };
  const wanted = Math.min(first - Math.max(0, limit - (last - first)) / 3, text.length - limit);
  const start = wanted <= slack && last <= limit ? 0 : (edges(wanted - slack, first, wanted)[0] ?? first);
  const most = start + limit;
  if (most + slack >= text.length) return [start, text.length];
  const end = edges(start + limit * 0.6, most, most - slack).at(-1) ?? most;
  return [start, start + text.slice(start, end).replace(/(?: ·)?\s*$/, "").length];
}
