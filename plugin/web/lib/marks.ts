/** A snippet with its matches marked. Offsets come from outside and are not trusted. */

import { h } from "./dom";

/** From here on a match is a sentence, not a word, and is marked more quietly. */
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
