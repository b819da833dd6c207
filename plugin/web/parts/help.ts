/** The help dialog: keys, and the query syntax. */

import { withPageKey } from "../app/pageKey";
import { button, h } from "../lib/dom";

const KEYS: readonly [keys: string, does: string][] = [
  ["/", "go to the search field"],
  ["↓ ↑", "move through results"],
  ["Enter", "read the note"],
  ["o", "open it in Obsidian"],
  ["t", "list or explorer"],
  ["Esc", "back to the list, or stop an answer"],
  ["?", "this help"],
];

const QUERY: readonly [typed: string, means: string][] = [
  ["sourdough in winter", "by words and by meaning"],
  ["\"left-hand thread\"", "this exact phrase"],
  ["-draft", "without the word"],
  ["tag:garden path:2026", "with the tag, in that folder"],
  ["modified:7d created:2026-01..2026-03", "from that period"],
  ["[rating:>3]", "a property above a value"],
  ["tag:a OR tag:b", "either of them"],
];

export function helpDialog(version: string): HTMLDialogElement {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" });
  dialog.append(
    h("h2", { id: "help-title" }, "Keys and queries"),
    h("div", { class: "help-columns" }, table("Keys", KEYS, "kbd"), table("Queries", QUERY, "code")),
    h("p", { class: "faint" }, `Notewell ${version}. `, h("a", { href: withPageKey("/api/docs") }, "HTTP API")),
    button("Close", () => dialog.close(), { class: "quiet" }),
  );
  return dialog;
}

function table(title: string, rows: readonly [string, string][], tag: "kbd" | "code"): HTMLElement {
  const body = rows.map(([left, right]) =>
    h("tr", {}, h("th", { scope: "row" }, h(tag, {}, left)), h("td", {}, right)),
  );
  return h("table", {}, h("caption", {}, title), h("tbody", {}, ...body));
}
