/** Callouts: `> [!tip]- Title` as a box with an icon, folded where the note says so. */

import { h, s } from "./dom";

/** Kinds with the other names that they go by. */
const KINDS: readonly [kind: string, names: string, path: string][] = [
  ["note", "", "M4 20l4-1L20 7l-3-3L5 16zM14 6l4 4"],
  ["abstract", "summary tldr", "M6 4h12v16H6zM9 9h6M9 13h6"],
  ["info", "", "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M12 11v5M12 8v.1"],
  ["todo", "", "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M8 12l3 3l5-6"],
  ["tip", "hint important", "M12 3c1 4 5 5 5 10a5 5 0 0 1-10 0c0-2 1-3 2-4c0 2 1 3 2 3c2-2 0-6 1-9"],
  ["success", "check done", "M5 13l4 4L19 7"],
  ["question", "help faq", "M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2.1M12 17.4v.2M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18"],
  ["warning", "caution attention", "M12 4l9 16H3zM12 10v4M12 17v.1"],
  ["failure", "fail missing", "M6 6l12 12M18 6L6 18"],
  ["danger", "error", "M13 3L5 14h6l-1 7l8-11h-6z"],
  ["bug", "", "M8 9h8v6a4 4 0 0 1-8 0zM9 9a3 3 0 0 1 6 0M4 11h4M16 11h4M4 17h4M16 17h4"],
  ["example", "", "M9 6h11M9 12h11M9 18h11M5 6v.1M5 12v.1M5 18v.1"],
  ["quote", "cite", "M5 7h5v5c0 3-2 5-5 5M14 7h5v5c0 3-2 5-5 5"],
];

/** Turns a quote that begins as a callout into one; returns the quote itself where it does not. */
export function callout(quote: HTMLElement): HTMLElement {
  const paragraph = quote.firstElementChild;
  const first = paragraph?.firstChild;
  if (!(paragraph instanceof HTMLParagraphElement) || !(first instanceof Text)) return quote;
  const found = /^\[!([\w-]+)\]([+-]?)[ \t]*(.*)$/.exec(first.data);
  if (!found) return quote;
  const [, name = "note", fold, text = ""] = found;
  const title = titleOf(paragraph, first, text, name);
  const [kind, , path] = kindOf(name);
  const sign = s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path }));
  const shared = { class: `callout is-${kind}`, dir: quote.dir || "auto", "data-line": quote.dataset["line"] ?? null };
  if (!paragraph.hasChildNodes()) paragraph.remove();
  const head = h(fold ? "summary" : "p", { class: "callout-title", dir: "auto" }, sign, h("span", {}, ...title));
  const box = fold ? h("details", { ...shared, open: fold === "+" }, head) : h("blockquote", shared, head);
  box.append(...quote.childNodes);
  quote.replaceWith(box);
  return box;
}

/** The nodes of the first line, taken out of the paragraph. */
function titleOf(paragraph: HTMLElement, first: Text, text: string, name: string): Node[] {
  first.data = text;
  const title: Node[] = [];
  for (let node = paragraph.firstChild; node; node = paragraph.firstChild) {
    node.remove();
    if (node.nodeName === "BR") break;
    title.push(node);
  }
  const isEmpty = title.every(({ textContent }) => !textContent?.trim());
  return isEmpty ? [new Text(name.charAt(0).toUpperCase() + name.slice(1))] : title;
}

function kindOf(name: string): readonly [kind: string, names: string, path: string] {
  const small = name.toLowerCase();
  const known = KINDS.find(([kind, names]) => kind === small || names.split(" ").includes(small));
  return known ?? KINDS[0] ?? ["note", "", ""];
}
