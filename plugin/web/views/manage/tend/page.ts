/** The gardener: plans of suggestions to make and review, its checks, and what was rejected. */

import { GardenClient } from "../../../../src/garden/client";
import type { PlanReply, PlansReply, PlanSummary } from "../../../../src/contract";
import { countsText, planName } from "../../../../src/garden/words";
import { asServerError } from "../../../../src/client";
import { locale, t } from "../../../../src/texts";
import type { ViewContext } from "../../../app/viewContext";
import type { Address } from "../../../lib/address";
import { button, fill, h } from "../../../lib/dom";
import { emptyBox } from "../../../parts/errors";
import { refusalOf } from "../../../parts/refusals";
import { heading, Loader } from "../panel";
import { checkList } from "./checks";
import { modelMaker } from "./model";
import { planView } from "./plan";
import { rejectionList } from "./rejections";

export class TendPage {
  readonly el = h("div", { class: "tend" });
  readonly #context: ViewContext;
  readonly #loader = new Loader(this.el);

  constructor(context: ViewContext) {
    this.#context = context;
  }

  show({ query }: Address): void {
    const id = query["plan"];
    const client = this.#context.vaultClient.as(GardenClient);
    if (id) void this.#loader.load(() => client.plan(id), (plan) => this.#review(client, plan));
    else void this.#loader.load(() => client.plans(), (found) => this.#home(client, found));
  }

  #review(client: GardenClient, plan: PlanReply): Node[] {
    const back = h("p", {}, h("a", { href: this.#context.to("manage", {}, "tend") }, t("All plans")));
    return [back, planView(this.#context, client, plan)];
  }

  #home(client: GardenClient, { plans, checks }: PlansReply): (Node | null)[] {
    const rejections = h("details", {}, h("summary", {}, t("What you rejected")));
    rejections.append(rejectionList(this.#context, client, rejections));
    return [
      heading(t("Tend"), t("Looks for what could be tended in these notes, and suggests edits. Nothing is changed before you have seen it and applied it.")),
      this.#context.mayWrite ? this.#maker(client) : null,
      h("section", {}, h("h2", {}, t("Plans")), plans.length ? h("ol", { class: "tend-plans" }, ...plans.map((plan) => this.#planRow(plan))) : nothingYet()),
      h("details", {}, h("summary", {}, t("What is looked for")), checkList(this.#context, checks)),
      rejections,
    ];
  }

  #planRow({ id, created, counts }: PlanSummary): HTMLElement {
    return h(
      "li",
      {},
      h("a", { href: this.#context.to("manage", { plan: id }, "tend") }, planName(created, locale())),
      h("span", {}, countsText(counts)),
    );
  }

  /** The button that makes a plan, and what is said meanwhile. */
  #maker(client: GardenClient): HTMLElement {
    const said = h("p", { class: "faint", role: "status" });
    const make = async (host?: string): Promise<void> => {
      start.disabled = true;
      fill(said, t("Looking through the notes. In a large vault this takes some seconds."));
      try {
        const plan = await (host === undefined ? client.make() : client.makeWithModel(host));
        if (plan.suggestions.length) this.#context.change({ plan: plan.id });
        else fill(said, t("Nothing was found that could be tended."));
      } catch (error) {
        fill(said, refusalOf(asServerError(error)));
      } finally {
        start.disabled = false;
      }
    };
    const start = button(t("Make a plan"), () => void make(), { class: "primary" });
    const [ask, told] = modelMaker(client, make);
    return h("div", {}, h("div", { class: "buttons" }, start, ask, said), told);
  }
}

function nothingYet(): HTMLElement {
  return emptyBox(t("No plan yet"), t("A plan is kept for seven days. “Plan suggestions” in the settings has one made every week."));
}
