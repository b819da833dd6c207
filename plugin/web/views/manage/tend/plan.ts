/** A plan, reviewed item by item or kind by kind; what is accepted is applied as one write to undo. */

import type { GardenClient } from "./client";
import type { PlanReply } from "../../../../src/contract";
import { Review } from "./review";
import { appliedText, checkName, groupsOf, hasEdit, isOpen, planName, sizeText, takenBackText, type Group } from "./words";
import { asServerError } from "../../../../src/client";
import { locale, t, tn } from "../../../../src/texts";
import type { ViewContext } from "../../../app/viewContext";
import { button, fill, h, type Child } from "../../../lib/dom";
import { noteAddress } from "../../../parts/resultRow";
import { refusalOf } from "../../../parts/refusals";
import { itemView, type Item } from "./item";

export function planView(context: ViewContext, client: GardenClient, plan: PlanReply): HTMLElement {
  return new PlanView(context, new Review(client, plan)).el;
}

class PlanView {
  readonly el = h("div", { class: "tend-plan" });
  readonly #context: ViewContext;
  readonly #review: Review;
  readonly #said = h("div", { class: "tend-said", role: "status" });
  readonly #groups = h("div", { class: "tend-groups" });
  readonly #bar = h("div", { class: "tend-bar", role: "group", "aria-label": t("Decision") });
  #updates: (() => void)[] = [];

  constructor(context: ViewContext, review: Review) {
    this.#context = context;
    this.#review = review;
    const { created, note } = review.plan;
    this.el.append(
      h("header", {}, h("h1", {}, t("Plan of {when}", { when: planName(created, locale()) })), h("p", { class: "faint" }, sizeText(review.plan), note ? ". " : null, note ? h("a", { href: noteAddress(context, note) }, t("Its note")) : null)),
      this.#said,
      this.#groups,
      this.#bar,
    );
    this.#draw();
  }

  #draw(): void {
    this.#updates = [];
    fill(this.#groups, ...groupsOf(this.#review.plan).map((group) => this.#group(group)));
    this.#update();
  }

  /** After a mark: the buttons of items and kinds, and what would be done. */
  #update(): void {
    for (const update of this.#updates) update();
    const [accepted, rejected] = [this.#review.marked("accept").length, this.#review.marked("reject").length];
    const open = this.#review.plan.suggestions.filter(isOpen).length;
    this.#bar.hidden = !this.#context.mayWrite || open === 0;
    const focused = this.#bar.contains(document.activeElement);
    fill(this.#bar, ...this.#decision(accepted, rejected, open));
    if (focused) this.#bar.querySelector("button")?.focus();
  }

  #decision(accepted: number, rejected: number, open: number): Child[] {
    if (accepted + rejected === 0) {
      return [h("span", { class: "faint" }, t("Accept or reject; nothing is done before you say so here.")), this.#rejectAll(open)];
    }
    const parts = [
      accepted ? tn(accepted, "Apply {n} suggestion", "Apply {n} suggestions") : "",
      rejected ? (accepted ? t("reject {n}", { n: rejected }) : tn(rejected, "Reject {n} suggestion", "Reject {n} suggestions")) : "",
    ];
    return [
      button(parts.filter(Boolean).join(", "), () => void this.#commit(), { class: "primary" }),
      rejected ? h("span", { class: "faint" }, t("What is rejected does not come again.")) : null,
    ];
  }

  /** Rejecting all asks once more. */
  #rejectAll(open: number): HTMLElement {
    const first = button(t("Reject the whole plan…"), () => first.replaceWith(sure), { class: "quiet" });
    const sure = button(tn(open, "Really reject {n} suggestion for good?", "Really reject {n} suggestions for good?"), () => void this.#rejectPlan(), { class: "quiet danger" });
    first.addEventListener("click", () => sure.focus());
    return first;
  }

  #group({ check, suggestions }: Group): HTMLElement {
    const parts = {
      context: this.#context,
      review: this.#review,
      marked: () => this.#update(),
      takeBack: (id: string) => void this.#takeBack([id]),
    };
    const items = suggestions.map((one): Item => itemView(parts, one));
    this.#updates.push(...items.map(({ update }) => update));
    const open = suggestions.filter(isOpen).length;
    const name = checkName(check);
    const isAsking = this.#context.mayWrite && open > 1;
    return h(
      "section",
      { "aria-label": name },
      h("div", { class: "tend-kind" }, h("h2", {}, name, " ", h("span", { class: "faint" }, suggestions.length.toLocaleString(locale()))), isAsking ? this.#ofKind(check, open) : null),
      h("ol", { class: "tend-items" }, ...items.map(({ el }) => el)),
    );
  }

  /** Buttons that mark all of a kind. */
  #ofKind(check: string, open: number): HTMLElement {
    const labels = { accept: tn(open, "Accept all {n}", "Accept all {n}"), reject: tn(open, "Reject all {n}", "Reject all {n}") };
    const marks = this.#review.plan.suggestions.some((one) => one.check === check && hasEdit(one)) ? (["accept", "reject"] as const) : (["reject"] as const);
    const made = marks.map((mark) => {
      const press = (): void => {
        this.#review.toggleAll(check, mark);
        this.#update();
      };
      const el = button(labels[mark], press, { class: `quiet tend-${mark}`, "aria-label": `${labels[mark]}: ${checkName(check)}` });
      this.#updates.push(() => el.setAttribute("aria-pressed", String(this.#review.hasAll(check, mark))));
      return el;
    });
    return h("div", { class: "buttons" }, ...made);
  }

  #commit(): Promise<void> {
    return this.#do(async () => {
      const { applied, rejected, isGone } = await this.#review.commit();
      if (isGone) {
        this.#leave(tn(rejected, "{n} suggestion is rejected; the plan is deleted", "{n} suggestions are rejected; the plan is deleted"));
        return;
      }
      const refusal = rejected ? ` ${tn(rejected, "{n} is rejected.", "{n} are rejected.")}` : "";
      const text = `${applied ? appliedText(applied) : ""}${refusal}`.trim();
      const back = applied?.applied.length ? button(t("Undo"), () => void this.#takeBack([...applied.applied]), { class: "quiet" }) : null;
      fill(this.#said, h("p", {}, text), back);
    });
  }

  #takeBack(only: readonly string[]): Promise<void> {
    return this.#do(async () => {
      const done = await this.#review.undo(only);
      fill(this.#said, h("p", {}, takenBackText(done)));
    });
  }

  #rejectPlan(): Promise<void> {
    return this.#do(async () => {
      const { rejected, deleted } = await this.#review.rejectAll();
      const text = tn(rejected.length, "{n} suggestion is rejected", "{n} suggestions are rejected");
      if (deleted) this.#leave(text);
      else fill(this.#said, h("p", {}, text));
    });
  }

  /** Does something with the plan, and draws what it is afterwards; a failure leaves it as it is. */
  async #do(work: () => Promise<void>): Promise<void> {
    this.el.setAttribute("aria-busy", "true");
    for (const one of this.#bar.querySelectorAll("button")) one.disabled = true;
    try {
      await work();
      this.#draw();
      if (!this.#said.contains(document.activeElement)) this.#said.scrollIntoView({ block: "nearest" });
    } catch (error) {
      fill(this.#said, h("p", { class: "warning" }, refusalOf(asServerError(error))));
      this.#update();
    } finally {
      this.el.removeAttribute("aria-busy");
    }
  }

  #leave(text: string): void {
    this.#context.showNotice(text);
    this.#context.go("manage", {}, "tend");
  }
}
