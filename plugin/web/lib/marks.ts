/** A snippet with its matches marked. The offsets come from the server and are not trusted. */

import { pieces, type Range } from "../../src/format";
import { h } from "./dom";

/** Matches longer than this many characters are styled less prominently. */
export const LONG = 40;

/** The text, cut at sentences or words to about `limit` characters. */
export function marked(text: string, ranges: readonly Range[], limit = Infinity): (Node | string)[] {
  return pieces(text, ranges, limit).map(({ text: part, isMatch }) => (isMatch ? h("mark", { class: part.length > LONG ? "is-long" : null }, part) : part));
}
