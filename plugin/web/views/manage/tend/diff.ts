/** What a suggestion changes, line by line. */

import { diffLines, type DiffLine } from "../../../../src/garden/words";
import { t } from "../../../../src/texts";
import { h } from "../../../lib/dom";

/** The lines of a diff; the notes are named where there are several. */
export function diffView(diff: string): HTMLElement {
  const lines = diffLines(diff);
  const isOfMany = lines.filter(([kind]) => kind === "file").length > 1;
  const shown = lines.filter(([kind]) => kind !== "file" || isOfMany);
  return h("div", { class: "diff", role: "group", "aria-label": t("Change") }, ...shown.map(lineView));
}

function lineView([kind, text]: DiffLine): HTMLElement {
  if (kind === "file") return h("p", { class: "diff-file", dir: "auto" }, text);
  if (kind === "place") return h("p", { class: "diff-place" }, text);
  const tag = ({ old: "del", new: "ins", same: "span" } as const)[kind];
  return h(tag, { class: "diff-line", dir: "auto" }, text || " ");
}
