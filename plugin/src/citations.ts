/** Turns citations in a rendered answer, such as `[2]`, into elements. For the plugin and the web pages. */

const CITATION = /\[(\d{1,3})\]/g;

/** Replaces citations within `root`, except in code, by what `draw` returns; where that is null they stay text. */
export function replaceCitations(root: ParentNode & Node, draw: (n: number) => Node | null): void {
  unlinkNumbers(root);
  for (const text of textNodes(root)) {
    const parts = split(text.data, draw);
    if (parts.length > 1) text.replaceWith(...parts);
  }
}

/** Replaces links that look like citations but lead elsewhere: `[1](…)`, `[1]: …`, `[[1]]`. */
function unlinkNumbers(root: ParentNode & Node): void {
  for (const link of Array.from(root.querySelectorAll("a, .nowhere"))) {
    const label = link.textContent.trim();
    if (/^\[?\d{1,3}\]?$/.test(label)) link.replaceWith(`[${label.replace(/\D/g, "")}]`);
  }
  root.normalize();
}

function textNodes(root: Node): Text[] {
  const walker = (root.ownerDocument ?? document).createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const text = walker.currentNode as Text; // the filter shows no other nodes
    if (!text.parentElement?.closest("code, pre, a")) found.push(text);
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
