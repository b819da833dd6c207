/** A plan in the panel, reviewed item by item or kind by kind; what is accepted is applied as one write to undo. */

import { Notice } from "obsidian";
import { asServerError } from "../../client";
import type { Review} from "../../garden/review";
import { type Mark } from "../../garden/review";
import { appliedText, checkName, groupsOf, isOpen, planName, sizeText, takenBackText, type Group } from "../../garden/words";
import { locale, t, tn } from "../../texts";
import { faint, setActive, title } from "../controls";
import { drawItem, type ItemParts } from "./item";

const NOTICE_MS = 15_000; // an undo needs time to be seen

export interface PlanParts {
  readonly open: ItemParts["open"];
  /** Called when nothing is left of the plan. */
  readonly gone: () => void;
}

export class PlanReview {
  readonly #review: Review;
  readonly #parts: PlanParts;
  readonly #listEl: HTMLElement;
  readonly #barEl: HTMLElement;
  #updates: (() => void)[] = [];
  #isBusy = false;

  constructor(parent: HTMLElement, review: Review, parts: PlanParts) {
    this.#review = review;
    this.#parts = parts;
    const scrolled = parent.createDiv("notewell-plan");
    title(scrolled, t("Plan of {when}", { when: planName(review.plan.created, locale()) }));
    faint(scrolled, sizeText(review.plan));
    this.#listEl = scrolled.createDiv();
    this.#barEl = parent.createDiv({ cls: "notewell-decision", attr: { role: "group", "aria-label": t("Decision") } });
    this.#draw();
  }

  #draw(): void {
    this.#updates = [];
    this.#listEl.empty();
    for (const group of groupsOf(this.#review.plan)) this.#drawGroup(group);
    this.#update();
  }

  #drawGroup({ check, suggestions }: Group): void {
    const head = this.#listEl.createDiv("notewell-kind");
    head.createEl("h4", { text: `${checkName(check)} (${suggestions.length})` });
    const open = suggestions.filter(isOpen).length;
    if (open > 1) this.#drawOfKind(head, check, open);
    const listEl = this.#listEl.createDiv({ attr: { role: "list", "aria-label": checkName(check) } });
    const parts: ItemParts = {
      review: this.#review,
      marked: () => this.#update(),
      takeBack: (id) => void this.#takeBack([id]),
      open: this.#parts.open,
    };
    for (const one of suggestions) this.#updates.push(drawItem(listEl, parts, one));
  }

  /** Buttons that mark all of a kind. */
  #drawOfKind(head: HTMLElement, check: string, n: number): void {
    const buttons = head.createDiv("notewell-buttons");
    const labels: readonly [Mark, string][] = [["accept", t("Accept all {n}", { n })], ["reject", t("Reject all {n}", { n })]];
    for (const [mark, text] of labels) {
      const el = buttons.createEl("button", { cls: `notewell-${mark}`, text, attr: { "aria-label": `${text}: ${checkName(check)}` } });
      el.onclick = (): void => {
        this.#review.toggleAll(check, mark);
        this.#update();
      };
      this.#updates.push(() => setActive(el, this.#review.hasAll(check, mark)));
    }
  }

  /** After a mark: the buttons, and what would be done. */
  #update(): void {
    for (const update of this.#updates) update();
    const [accepted, rejected] = [this.#review.marked("accept").length, this.#review.marked("reject").length];
    const hasFocus = this.#barEl.contains(this.#barEl.doc.activeElement);
    this.#barEl.empty();
    if (accepted + rejected > 0) {
      this.#button(decisionText(accepted, rejected), () => this.#commit()).addClass("mod-cta");
      if (rejected) faint(this.#barEl, t("What is rejected does not come again."));
    } else if (this.#review.plan.suggestions.some(isOpen)) {
      faint(this.#barEl, t("Accept or reject; nothing is done before you say so here."));
      this.#button(t("Reject the whole plan"), () => this.#rejectPlan());
    }
    if (hasFocus) this.#barEl.querySelector("button")?.focus();
  }

  #button(text: string, act: () => Promise<void>): HTMLButtonElement {
    const el = this.#barEl.createEl("button", { text });
    el.disabled = this.#isBusy;
    el.onclick = (): void => void act();
    return el;
  }

  #commit(): Promise<void> {
    return this.#do(async () => {
      const { applied, rejected, isGone } = await this.#review.commit();
      if (applied) this.#sayWithUndo(appliedText(applied), applied.applied);
      else new Notice(tn(rejected, "{n} suggestion is rejected.", "{n} suggestions are rejected."));
      return isGone;
    });
  }

  #takeBack(only: readonly string[]): Promise<void> {
    return this.#do(async () => {
      new Notice(takenBackText(await this.#review.undo(only)));
      return false;
    });
  }

  #rejectPlan(): Promise<void> {
    return this.#do(async () => {
      const { rejected, deleted } = await this.#review.rejectAll();
      new Notice(tn(rejected.length, "{n} suggestion is rejected.", "{n} suggestions are rejected."));
      return deleted;
    });
  }

  /** Does something with the plan; `work` returns whether nothing is left of it. A failure leaves it as it is. */
  async #do(work: () => Promise<boolean>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#update();
    let isGone = false;
    try {
      isGone = await work();
    } catch (error) {
      new Notice(asServerError(error).message);
    }
    this.#isBusy = false;
    if (isGone) this.#parts.gone();
    else this.#draw();
  }

  #sayWithUndo(text: string, ids: readonly string[]): void {
    const notice = new Notice(text, ids.length ? NOTICE_MS : undefined);
    if (ids.length === 0) return;
    const back = notice.messageEl.createDiv("notewell-buttons").createEl("button", { text: t("Undo") });
    back.onclick = (): void => void this.#takeBack(ids);
  }
}

function decisionText(accepted: number, rejected: number): string {
  if (!accepted) return tn(rejected, "Reject {n} suggestion", "Reject {n} suggestions");
  const apply = tn(accepted, "Apply {n} suggestion", "Apply {n} suggestions");
  return rejected ? `${apply}, ${t("reject {n}", { n: rejected })}` : apply;
}
