/** The help dialog: keys, and the query syntax. */

import { withPageKey } from "../app/pageKey";
import { button, h } from "../lib/dom";
import { t } from "../../src/texts";

const keys = (): readonly [keys: string, does: string][] => [
  ["/", t("go to the search field")],
  [t("Ctrl K"), t("find anything, from everywhere")],
  ["↓ ↑", t("move through results")],
  ["Enter", t("read the note")],
  ["o", t("open it in Obsidian")],
  ["t", t("why a result was found")],
  [t("n or p"), t("next match in the note, and the one before")],
  ["Esc", t("back to the list, or stop an answer")],
  ["?", t("this help")],
];

const query = (): readonly [typed: string, means: string][] => [
  ["sourdough in winter", t("by words and by meaning")],
  ["\"left-hand thread\"", t("this exact phrase")],
  ["-draft", t("without the word")],
  ["tag:garden path:2026", t("with the tag, in that folder")],
  ["modified:7d created:2026-01..2026-03", t("from that period")],
  ["[rating:>3]", t("a property above a value")],
  ["tag:a OR tag:b", t("either of them")],
];

export function helpDialog(version: string): HTMLDialogElement {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" });
  dialog.append(
    h("h2", { id: "help-title", tabindex: "-1", autofocus: true }, t("Keys and queries")),
    h("div", { class: "help-columns" }, table(t("Keys"), keys(), "kbd"), table(t("Queries"), query(), "code")),
    h("p", { class: "faint" }, t("Notewell {version}. ", { version }), h("a", { href: withPageKey("/api/docs") }, t("HTTP API"))),
    button(t("Close"), () => dialog.close(), { class: "quiet" }),
  );
  return dialog;
}

function table(title: string, rows: readonly [string, string][], tag: "kbd" | "code"): HTMLElement {
  const body = rows.map(([left, right]) =>
    h("tr", {}, h("th", { scope: "row" }, h(tag, {}, left)), h("td", {}, right)),
  );
  return h("table", {}, h("caption", {}, title), h("tbody", {}, ...body));
}
