/** Marks the words of a search in the text of a note, which itself stays as it is: by highlights of CSS. */

import type { Result } from "../../src/contract";
import { isSpaceless } from "../../src/local/words";
import { LONG } from "./marks"; // longer matches are sentences that were found by their meaning

const MOST_WORDS = 200;
const MOST_MARKED = 5_000; // in a note
const MARKED = "found"; // as the styles name it

/** Marks in `el` what the results have marked of their passages, and returns the places; none where the browser has no highlights. */
export function markFound(el: HTMLElement, results: readonly Result[]): readonly Range[] {
  if (!("highlights" in CSS)) return [];
  const pattern = patternOf(results);
  CSS.highlights.delete(MARKED);
  const body = el.querySelector<HTMLElement>(".prose") ?? el;
  const ranges = pattern ? rangesIn(body, pattern) : [];
  if (ranges.length > 0) CSS.highlights.set(MARKED, new Highlight(...ranges));
  return ranges;
}

/** Finds the marked words, each as a whole where its script has spaces. */
function patternOf(results: readonly Result[]): RegExp | null {
  const words = new Set<string>();
  for (const { snippet, highlights, passages } of results) {
    for (const passage of [{ snippet, highlights }, ...passages]) {
      for (const [start, end] of passage.highlights) {
        if (end - start <= LONG && words.size < MOST_WORDS) words.add(passage.snippet.slice(start, end).toLowerCase());
      }
    }
  }
  const parts = [...words].filter((word) => word.trim()).sort((one, other) => other.length - one.length).map(partOf);
  return parts.length > 0 ? new RegExp(parts.join("|"), "giu") : null;
}

function partOf(word: string): string {
  const written = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return isSpaceless(word) ? written : `(?<![\\p{L}\\p{N}])${written}(?![\\p{L}\\p{N}])`;
}

function rangesIn(el: HTMLElement, pattern: RegExp): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < MOST_MARKED) {
    const text = texts.currentNode;
    for (const { 0: found, index } of (text.textContent ?? "").matchAll(pattern)) {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + found.length);
      ranges.push(range);
    }
  }
  return ranges;
}
