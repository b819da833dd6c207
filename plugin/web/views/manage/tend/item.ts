/** One suggestion of a plan: the note, the reason, how sure it is, the change, and the decision. */

import type { SuggestionView } from "../../../../src/contract";
import type { Mark, Review } from "./review";
import { diffLines, hasEdit, isOpen, stateName, sure, type DiffLine } from "./words";
import { t } from "../../../../src/texts";
import type { ViewContext } from "../../../app/viewContext";
import { button, h } from "../../../lib/dom";
import { noteAddress } from "../../../parts/resultRow";

export interface Item {
  readonly el: HTMLElement;
  /** Shows the mark that the suggestion has now. */
  readonly update: () => void;
}

export interface ItemParts {
  readonly context: ViewContext;
  readonly review: Review;
  /** Called after a mark was set here. */
  readonly marked: () => void;
  readonly takeBack: (id: string) => unknown;
}

export function itemView({ context, review, marked, takeBack }: ItemParts, one: SuggestionView): Item {
  const choices = new Map<Mark, HTMLButtonElement>();
  const choice = (mark: Mark, label: string, name: string): HTMLButtonElement => {
    const press = (): void => {
      review.toggle(one.id, mark);
      marked();
    };
    const made = button(label, press, { class: `quiet tend-${mark}`, "aria-label": name, "aria-pressed": "false" });
    choices.set(mark, made);
    return made;
  };
  const { title } = one;
  const mayDecide = context.mayWrite && isOpen(one);
  const back = (): HTMLElement => button(t("Take back"), () => takeBack(one.id), { class: "quiet", "aria-label": t("Take back: {title}", { title }) });
  const el = h(
    "li",
    { class: "tend-item", id: `suggestion-${one.id}`, "data-state": one.state },
    h("h3", { dir: "auto" }, title),
    h("p", { class: "meta" }, h("a", { href: noteAddress(context, one.path), dir: "auto" }, one.path), h("span", {}, sure(one.confidence)), one.state === "open" ? null : h("span", { class: one.state === "refused" ? "warning" : "tend-state" }, stateName(one.state))),
    h("p", { dir: "auto" }, one.evidence),
    one.why ? h("p", { class: "warning", dir: "auto" }, one.why) : null,
    diffView(one.diff),
    mayDecide
      ? h("div", { class: "buttons" }, hasEdit(one) ? choice("accept", t("Accept"), t("Accept: {title}", { title })) : null, choice("reject", t("Reject"), t("Reject: {title}", { title })))
      : one.state === "applied" && context.mayWrite
        ? h("div", { class: "buttons" }, back())
        : null,
  );
  const update = (): void => {
    const mark = review.markOf(one.id);
    for (const [name, choiceEl] of choices) choiceEl.setAttribute("aria-pressed", String(name === mark));
    el.classList.toggle("is-accepted", mark === "accept");
    el.classList.toggle("is-rejected", mark === "reject" || one.state === "rejected");
  };
  update();
  return { el, update };
}

/** The lines of a diff; the notes are named where there are several. */
function diffView(diff: string): HTMLElement {
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
