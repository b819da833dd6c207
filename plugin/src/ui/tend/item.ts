/** One suggestion of a plan in the panel: the note, the reason, how sure it is, the change, and the decision. */

import type { SuggestionView } from "../../contract";
import type { Mark, Review } from "../../garden/review";
import { diffLines, isOpen, stateName, sure, type DiffLine } from "../../garden/words";
import { t } from "../../texts";
import { faint, link, setActive } from "../controls";

export interface ItemParts {
  readonly review: Review;
  /** Called after a mark was set here. */
  readonly marked: () => void;
  readonly takeBack: (id: string) => unknown;
  readonly open: (path: string, line: number, event: MouseEvent) => unknown;
}

/** Draws a suggestion; returns what shows the mark that it has now. */
export function drawItem(parent: HTMLElement, parts: ItemParts, one: SuggestionView): () => void {
  const el = parent.createDiv({ cls: "notewell-suggestion", attr: { "data-state": one.state, role: "listitem" } });
  el.createDiv({ cls: "notewell-title", text: one.title });
  const about = el.createDiv("notewell-about");
  const line = one.edit[0]?.text?.[0]?.line ?? 1;
  link(about, one.path, (event) => parts.open(one.path, line, event));
  faint(about, one.state === "open" ? sure(one.confidence) : `${sure(one.confidence)}, ${stateName(one.state)}`);
  el.createDiv({ text: one.evidence });
  if (one.why) el.createDiv({ cls: "notewell-refused", text: one.why });
  drawDiff(el, one.diff);
  if (one.state === "applied") {
    const back = el.createDiv("notewell-buttons").createEl("button", { text: t("Take back"), attr: { "aria-label": t("Take back: {title}", { title: one.title }) } });
    back.onclick = (): unknown => parts.takeBack(one.id);
  }
  return isOpen(one) ? drawChoices(el, parts, one) : (): void => undefined;
}

function drawChoices(el: HTMLElement, { review, marked }: ItemParts, { id, title }: SuggestionView): () => void {
  const buttons = el.createDiv("notewell-buttons");
  const choices: readonly [Mark, string, string][] = [
    ["accept", t("Accept"), t("Accept: {title}", { title })],
    ["reject", t("Reject"), t("Reject: {title}", { title })],
  ];
  const made = choices.map(([mark, text, label]): readonly [Mark, HTMLElement] => {
    const choice = buttons.createEl("button", { cls: `notewell-${mark}`, text, attr: { "aria-label": label } });
    choice.onclick = (): void => {
      review.toggle(id, mark);
      marked();
    };
    return [mark, choice];
  });
  return () => {
    const now = review.markOf(id);
    for (const [mark, choice] of made) setActive(choice, mark === now);
    el.toggleClass("is-accepted", now === "accept");
    el.toggleClass("is-rejected", now === "reject");
  };
}

/** What a suggestion changes, line by line; the notes are named where there are several. */
function drawDiff(parent: HTMLElement, diff: string): void {
  const lines = diffLines(diff);
  const isOfMany = lines.filter(([kind]) => kind === "file").length > 1;
  const el = parent.createDiv({ cls: "notewell-diff", attr: { role: "group", "aria-label": t("Change") } });
  for (const line of lines) if (line[0] !== "file" || isOfMany) drawLine(el, line);
}

function drawLine(el: HTMLElement, [kind, text]: DiffLine): void {
  const tag = ({ file: "div", place: "div", old: "del", new: "ins", same: "span" } as const)[kind];
  el.createEl(tag, { cls: `notewell-diff-${kind}`, text: text || " " });
}
