/** The gardener: plans of suggestions to make and review, its checks, and what was rejected. */

import { GardenClient } from "../../../../src/garden/client";
import type { GardenModelReply, PlanReply, PlansReply, PlanSummary } from "../../../../src/contract";
import { countsText, modelText, planName } from "../../../../src/garden/words";
import { asServerError } from "../../../../src/client";
import { locale, t } from "../../../../src/texts";
import type { ViewContext } from "../../../app/viewContext";
import type { Address } from "../../../lib/address";
import { button, fill, h } from "../../../lib/dom";
import { refusalOf } from "../../../parts/refusals";
import { about, Loader, nothing, type Panel } from "../panel";
import { Settings } from "../settings";
import { checkList } from "./checks";
import { planView } from "./plan";
import { rejectionList } from "./rejections";

export class TendPanel implements Panel {
  readonly el = h("div", { class: "tend" });
  readonly #context: ViewContext;
  readonly #loader = new Loader(this.el);
  readonly #settings: Settings;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#settings = new Settings(context, ["schedule.plan", "garden.folder", "garden.ignore"]);
  }

  show({ query }: Address): void {
    const id = query["plan"];
    const client = this.#context.vaultClient.as(GardenClient);
    if (id) void this.#loader.load(() => client.plan(id), (plan) => this.#review(client, plan));
    else {
      this.#settings.show();
      void this.#loader.load(() => client.plans(), (found) => this.#home(client, found));
    }
  }

  #review(client: GardenClient, plan: PlanReply): Node[] {
    const back = h("p", {}, h("a", { href: this.#context.to("manage", {}, "tend") }, t("All plans")));
    return [back, planView(this.#context, client, plan)];
  }

  #home(client: GardenClient, { plans, checks }: PlansReply): (Node | null)[] {
    const rejections = h("details", {}, h("summary", {}, t("What you rejected")));
    rejections.append(rejectionList(this.#context, client, rejections));
    return [
      about(t("Looks for what could be tended in these notes, and suggests edits. Nothing is changed before you have seen it and applied it.")),
      this.#context.mayWrite ? this.#maker(client) : null,
      h("section", {}, h("h3", {}, t("Plans")), plans.length ? h("ol", { class: "tend-plans" }, ...plans.map((plan) => this.#planRow(plan))) : nothingYet()),
      h("details", {}, h("summary", {}, t("What is looked for")), checkList(this.#context, checks)),
      rejections,
      h("details", {}, h("summary", {}, t("When and where")), this.#settings.el),
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
  return nothing(t("No plan yet"), t("A plan is kept for seven days. “Plan suggestions”, below, has one made every week."));
}

/** The button, and what it tells; `make` gets the host that the person agreed to. */
function modelMaker(client: GardenClient, make: (host: string) => Promise<void>): readonly [button: HTMLElement, told: HTMLElement] {
  const told = h("div", { class: "tend-model", role: "status" });
  const offer = (would: GardenModelReply): void => {
    if (would.notes === 0) {
      fill(told, h("p", { class: "faint" }, t("The language model has seen every note that it may see now.")));
      return;
    }
    const send = button(t("Send and make a plan"), () => {
      fill(told);
      void make(would.host);
    });
    const text = h("p", {}, `${modelText(would)} ${t("Sent are {what}.", { what: would.sent })}`);
    fill(told, text, h("div", { class: "buttons" }, send, button(t("Cancel"), () => fill(told))));
  };
  const ask = async (): Promise<void> => {
    start.disabled = true;
    try {
      offer(await client.model());
    } catch (error) {
      fill(told, refusalOf(asServerError(error)));
    } finally {
      start.disabled = false;
    }
  };
  const start = button(t("Ask the language model too"), () => void ask());
  return [start, told];
}
