/** A snippet with its matches marked. The offsets come from the server and are not trusted. */

import { h } from "./dom";

/** Matches longer than this many characters are styled less prominently. */
const LONG = 40;

type Range = readonly [start: number, end: number];

export function marked(text: string, ranges: readonly Range[]): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const [start, end] of [...ranges].sort((one, other) => one[0] - other[0])) {
    const from = Math.max(at, Math.trunc(start));
    const to = Math.min(text.length, Math.trunc(end));
    if (to <= from) continue;
    if (from > at) parts.push(text.slice(at, from));
    parts.push(h("mark", { class: to - from > LONG ? "is-long" : null }, text.slice(from, to)));
    at = to;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
