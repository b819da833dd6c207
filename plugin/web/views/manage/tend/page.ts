/** The gardener: plans of suggestions to make and review, what is looked for, and what was rejected. */

import { asServerError } from "../../../../src/client";
import type { CheckView, GardenModelReply, PlanReply, PlansReply, PlanSummary, RejectionsReply, RejectionView, SettingView } from "../../../../src/contract";
import { GardenClient } from "./client";
import { checkHelp, checkName, countsText, modelText, planName } from "./words";
import { locale, t } from "../../../../src/texts";
import { managing } from "../../../app/manageClient";
import type { ViewContext } from "../../../app/viewContext";
import type { Address } from "../../../lib/address";
import { button, fill, h } from "../../../lib/dom";
import { day } from "../../../lib/format";
import { refusalOf } from "../../../parts/refusals";
import { noteAddress } from "../../../parts/resultRow";
import { about, Loader, nothing, type Panel, runAction } from "../panel";
import { Settings } from "../settings";
import { planView } from "./plan";

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

const KEY = "garden.checks";

function checkList(context: ViewContext, checks: readonly CheckView[]): HTMLElement {
  const boxes = new Map<string, HTMLInputElement>();
  const rows = checks.map(({ name, finds, usual }) => {
    const box = h("input", { type: "checkbox", checked: usual, disabled: true });
    boxes.set(name, box);
    return h("li", {}, h("label", { class: "tend-check" }, box, h("span", {}, h("strong", {}, checkName(name)), h("span", { class: "faint" }, checkHelp(name, finds)))));
  });
  const said = h("p", { class: "faint" }, t("Only an administrator changes this."));
  const chosen = (): string[] => [...boxes].filter(([, box]) => box.checked).map(([name]) => name);
  const save = async (box: HTMLInputElement): Promise<void> => {
    const names = chosen();
    if (names.length === 0) {
      box.checked = true; // an empty list would mean the usual ones
      context.showNotice(t("At least one has to be looked for"));
      return;
    }
    const isSaved = await runAction(context, t("Saved; the next plan looks for this"), () => managing(context).configure({ [KEY]: names }));
    if (!isSaved) box.checked = !box.checked;
  };
  for (const box of boxes.values()) box.addEventListener("change", () => void save(box));
  if (context.mayAdminister) void unlock(context, [...boxes.values()], said);
  return h("div", { class: "tend-checks" }, said, h("ul", {}, ...rows));
}

/** The boxes can be used where the setting can be changed here. */
async function unlock(context: ViewContext, boxes: readonly HTMLInputElement[], said: HTMLElement): Promise<void> {
  const setting = await settingOf(context);
  if (setting?.writable) {
    for (const box of boxes) box.disabled = false;
    said.textContent = t("What is not ticked was not right often enough on public vaults, or you switched it off.");
  } else said.textContent = setting?.reason ?? t("This is set on the server’s computer.");
}

async function settingOf(context: ViewContext): Promise<SettingView | undefined> {
  try {
    return (await managing(context).config()).settings.find(({ key }) => key === KEY);
  } catch (error) {
    asServerError(error); // then the boxes stay locked, and show what holds
    return undefined;
  }
}

/** The list; it is asked for when `details` is opened. */
function rejectionList(context: ViewContext, client: GardenClient, details: HTMLDetailsElement): HTMLElement {
  const el = h("div", { class: "tend-rejections" });
  const loader = new Loader(el);
  details.addEventListener("toggle", () => {
    if (details.open) void loader.load(() => client.rejections(), draw);
  });
  return el;

  function draw({ rejections, total }: RejectionsReply): Node[] {
    if (total === 0) return [h("p", { class: "faint" }, t("Nothing was rejected."))];
    const about = total > rejections.length ? t("The newest {shown} of {total}. They do not come again.", { shown: rejections.length, total }) : t("These suggestions do not come again.");
    return [h("p", { class: "faint" }, about), h("ul", {}, ...rejections.map(row))];
  }

  function row({ id, check, path, title, at }: RejectionView): HTMLElement {
    const again = async (): Promise<void> => {
      const ask = async (): Promise<void> => fill(el, ...draw(await client.forget([id])));
      await runAction(context, t("It can come again"), ask);
    };
    return h(
      "li",
      {},
      h("span", { dir: "auto" }, title),
      h("span", { class: "faint" }, `${checkName(check)}, ${day(at)}, `, h("a", { href: noteAddress(context, path), dir: "auto" }, path)),
      context.mayWrite ? button(t("Let it come again"), () => void again(), { class: "quiet", "aria-label": t("Let it come again: {title}", { title }) }) : null,
    );
  }
}
