/** Snippets with their matches highlighted. The offsets come from the server and are not trusted. */

import { pieces, type Range } from "../format";

/** Words are marked one by one; a stretch of several is what the server found near in meaning. */
const SENTENCE = /\S\s+\S+\s+\S+\s+\S/;

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
