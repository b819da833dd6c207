/** A plan in the panel, reviewed item by item or kind by kind; what is accepted is applied as one write to undo. */

import { Notice, type App } from "obsidian";
import type { PlanReply } from "../../contract";
import type { Mark, Review } from "../../garden/review";
import { appliedText, checkName, groupsOf, isOpen, planName, sizeText, takenBackText, type Group } from "../../garden/words";
import { locale, t, tn } from "../../texts";
import { faint, setActive } from "../controls";
import { confirm, withNotice } from "../dialogs";
import { drawItem, type ItemParts } from "./item";

const NOTICE_MS = 15_000; // an undo needs time to be seen

export interface PlanParts {
  readonly app: App;
  readonly open: ItemParts["open"];
  /** Called when nothing is left of the plan. */
  readonly gone: () => void;
}

/** The plan's time, and how much is in it. */
export function planTitle(plan: PlanReply): string {
  return `${t("Plan of {when}", { when: planName(plan.created, locale()) })}: ${sizeText(plan)}`;
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
    this.#listEl = parent.createDiv({ cls: "notewell-plan", attr: { role: "group", "aria-label": planTitle(review.plan), tabindex: -1 } });
    this.#barEl = parent.createDiv({ cls: "notewell-decision", attr: { role: "group", "aria-label": t("Decision"), "aria-live": "polite" } });
    this.#draw();
  }

  #draw(): void {
    const { scrollTop } = this.#listEl;
    this.#updates = [];
    this.#listEl.empty();
    for (const group of groupsOf(this.#review.plan)) this.#drawGroup(group);
    this.#update();
    this.#listEl.scrollTop = scrollTop;
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
      takeBack: (id) => this.#takeBack([id]),
      open: this.#parts.open,
    };
    for (const one of suggestions) this.#updates.push(drawItem(listEl, parts, one));
  }

  /** Buttons that mark all of a kind. */
  #drawOfKind(head: HTMLElement, check: string, n: number): void {
    const buttons = head.createDiv("notewell-buttons");
    const labels: readonly [Mark, string][] = [
      ["accept", tn(n, "Accept all {n}", "Accept all {n}")],
      ["reject", tn(n, "Reject all {n}", "Reject all {n}")],
    ];
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
    const open = this.#review.plan.suggestions.filter(isOpen).length;
    this.#barEl.empty();
    if (accepted + rejected > 0) {
      this.#button(decisionText(accepted, rejected), () => this.#commit()).addClass("mod-cta");
      if (rejected) faint(this.#barEl, t("What is rejected does not come again."));
    } else if (open > 0) {
      faint(this.#barEl, t("Accept or reject; nothing is done before you say so here."));
      this.#button(t("Reject the whole plan…"), () => this.#rejectPlan(open));
    }
  }

  #button(text: string, act: () => unknown): HTMLButtonElement {
    const el = this.#barEl.createEl("button", { text });
    el.disabled = this.#isBusy;
    el.onclick = act;
    return el;
  }

  #commit(): Promise<void> {
    return this.#do(async () => {
      const { applied, rejected, isGone } = await this.#review.commit();
      if (applied) this.#sayWithUndo(appliedText(applied), applied.applied);
      else sayRejected(rejected);
      return isGone;
    });
  }

  #takeBack(only: readonly string[]): Promise<void> {
    return this.#do(async () => {
      new Notice(takenBackText(await this.#review.undo(only)));
      return false;
    });
  }

  async #rejectPlan(n: number): Promise<void> {
    const sure = tn(n, "Really reject {n} suggestion for good?", "Really reject {n} suggestions for good?");
    if (!(await confirm(this.#parts.app, [t("Reject the whole plan"), sure, t("Reject")]))) return;
    await this.#do(async () => {
      const { rejected, deleted } = await this.#review.rejectAll();
      sayRejected(rejected.length);
      return deleted;
    });
  }

  /** Does something with the plan; `work` returns whether nothing is left of it. A failure leaves it as it is. */
  async #do(work: () => Promise<boolean>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#update();
    let isGone = false;
    await withNotice(work().then((found) => (isGone = found)));
    this.#isBusy = false;
    if (isGone) this.#parts.gone();
    else this.#draw();
    this.#listEl.focus(); // the button that was pressed is not there any more
  }

  #sayWithUndo(text: string, ids: readonly string[]): void {
    const notice = new Notice(text, ids.length ? NOTICE_MS : undefined);
    if (ids.length === 0) return;
    const back = notice.messageEl.createDiv("notewell-buttons").createEl("button", { text: t("Undo") });
    back.onclick = (): unknown => this.#takeBack(ids);
  }
}

function sayRejected(n: number): void {
  new Notice(tn(n, "{n} suggestion is rejected.", "{n} suggestions are rejected."));
}

function decisionText(accepted: number, rejected: number): string {
  if (!accepted) return tn(rejected, "Reject {n} suggestion", "Reject {n} suggestions");
  const apply = tn(accepted, "Apply {n} suggestion", "Apply {n} suggestions");
  return rejected ? `${apply}, ${t("reject {n}", { n: rejected })}` : apply;
}
