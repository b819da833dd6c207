/** Turns citations in a rendered answer into buttons: `[2]` leads to source 2. */

import { button, h } from "./dom";

export interface NumberedSource {
  readonly n: number;
  readonly title: string;
}

const CITATION = /\[(\d{1,3})\]/g;

/**
 * Replaces citations within `root`, except in code, by buttons. Numbers without a source stay text, and
 * without `choose`, before the sources are known, citations are not buttons.
 */
export function drawCitations(root: ParentNode & Node, sources: readonly NumberedSource[], choose: ((n: number) => void) | null): void {
  const byNumber = new Map(sources.map((source) => [source.n, source]));
  unlinkNumbers(root);
  for (const text of textNodes(root)) {
    const parts = split(text.data, (n) => citation(n, byNumber.get(n), choose));
    if (parts.length > 1) text.replaceWith(...parts);
  }
}

/** Replaces links that look like citations but lead elsewhere: `[1](…)`, `[1]: …`, `[[1]]`. */
function unlinkNumbers(root: ParentNode & Node): void {
  for (const link of root.querySelectorAll("a, .nowhere")) {
    const label = link.textContent.trim();
    if (/^\[?\d{1,3}\]?$/.test(label)) link.replaceWith(`[${label.replace(/\D/g, "")}]`);
  }
  root.normalize();
}

function textNodes(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const { currentNode } = walker;
    if (currentNode instanceof Text && !currentNode.parentElement?.closest("code, pre, a")) found.push(currentNode);
  }
  return found;
}

function split(text: string, draw: (n: number) => Node | null): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(CITATION)) {
    const drawn = draw(Number(found[1]));
    if (!drawn) continue;
    if (found.index > at) parts.push(text.slice(at, found.index).replace(/ $/, "\u00a0"));
    parts.push(drawn);
    at = found.index + found[0].length;
  }
  if (parts.length === 0) return [text];
  // An empty text at the end keeps a lone citation from passing for unchanged text.
  return [...parts, text.slice(at)];
}

function citation(n: number, source: NumberedSource | undefined, choose: ((n: number) => void) | null): Node | null {
  if (!choose) return h("span", { class: "cite" }, String(n));
  if (!source) return null;
  const label = `Source ${n}: ${source.title}`;
  return button(String(n), () => choose(n), { class: "cite", "aria-label": label, title: source.title });
}
