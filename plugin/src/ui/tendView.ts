/** The panel of the gardener: makes a plan of suggestions, and has it reviewed. No note is changed before. */

import { ItemView, Menu, Notice, type WorkspaceLeaf } from "obsidian";
import { asServerError } from "../client";
import type { Session } from "../connection";
import { GardenClient } from "../garden/client";
import { Review } from "../garden/review";
import { countsText, planName } from "../garden/words";
import { locale, t } from "../texts";
import { button, faint, toolbar } from "./controls";
import { explain, howToUpgrade, message, UPGRADE, type Explanation } from "./explain";
import { addItem } from "./menu";
import { messageArea } from "./message";
import { openPlace, paneFor } from "./open";
import { PlanReview } from "./tend/planView";
import type { ViewContext } from "./viewContext";

export const TEND_VIEW = "notewell-tend";
export const tend = (): string => t("Tend the vault");

const FEATURE = "garden_plans";
const PLANS_SHOWN = 12;
const tooOld = (): Explanation => message(t("This server makes no suggestions"), t("It is too old. {how}", { how: howToUpgrade() }), [], UPGRADE);

export class TendView extends ItemView {
  override icon = "sprout";
  override navigation = false;
  readonly #context: ViewContext;
  #showMessage!: (explanation: Explanation | null) => void;
  #toolsEl!: HTMLElement;
  #bodyEl!: HTMLElement;
  #session: Session | null = null;
  #shown: string | null = null;
  /** A plan that a link named before the server was there. */
  #wanted: string | null = null;
  #sequence = 0;

  constructor(leaf: WorkspaceLeaf, context: ViewContext) {
    super(leaf);
    this.#context = context;
  }

  override getViewType(): string {
    return TEND_VIEW;
  }

  override getDisplayText(): string {
    return tend();
  }

  protected override async onOpen(): Promise<void> {
    const { contentEl } = this;
    contentEl.addClass("notewell-view", "notewell-tend");
    this.#toolsEl = toolbar(contentEl);
    this.#showMessage = messageArea(contentEl, this.#context);
    this.#bodyEl = contentEl.createDiv({ cls: "notewell-tend-body", attr: { "aria-live": "polite" } });
    this.register(this.#context.connection.subscribe(() => this.#update()));
    this.#update();
  }

  /** Shows a plan, as soon as there is a server. */
  showPlan(id: string): void {
    this.#wanted = id;
    if (this.#session) void this.#openPlan(id);
  }

  #update(): void {
    const { connection, waiting } = this.#context;
    const { session } = connection;
    const isAble = connection.has(FEATURE);
    this.#showMessage(explain(connection.state, waiting()) ?? (isAble ? null : tooOld()));
    const isOther = session?.vault.id !== this.#session?.vault.id;
    if (!session || !isAble || (session === this.#session && !isOther)) return;
    this.#session = session;
    this.#drawTools();
    if (this.#wanted) void this.#openPlan(this.#wanted);
    else if (isOther || !this.#shown) void this.#openNewest();
  }

  get #client(): GardenClient | null {
    return this.#session?.client.as(GardenClient) ?? null;
  }

  #drawTools(): void {
    const el = this.#toolsEl;
    el.empty();
    button(el, "plus", t("Make a plan"), () => void this.#make());
    button(el, "history", t("Plans"), (event) => void this.#choose(event));
  }

  /** The newest plan with something open; without one, what this panel is for. */
  #openNewest(): Promise<void> {
    return this.#load(async (client) => {
      const { plans } = await client.plans();
      const newest = plans.find(({ counts }) => (counts.open ?? 0) > 0);
      return newest ? new Review(client, await client.plan(newest.id)) : null;
    });
  }

  #openPlan(id: string): Promise<void> {
    this.#wanted = null;
    return this.#load(async (client) => new Review(client, await client.plan(id)));
  }

  #make(): Promise<void> {
    return this.#load(async (client) => {
      const plan = await client.make();
      if (plan.suggestions.length > 0) return new Review(client, plan);
      new Notice(t("Nothing was found that could be tended."));
      return null;
    }, t("Looking through the notes…"));
  }

  /** Asks for a plan and draws it; of several requests the last one counts. */
  async #load(ask: (client: GardenClient) => Promise<Review | null>, meanwhile = ""): Promise<void> {
    const client = this.#client;
    if (!client) return;
    this.#sequence += 1;
    const sequence = this.#sequence;
    if (meanwhile) {
      this.#bodyEl.empty();
      faint(this.#bodyEl, meanwhile);
    }
    try {
      const review = await ask(client);
      if (sequence === this.#sequence) this.#draw(review);
    } catch (error) {
      const { message: problem } = asServerError(error);
      if (sequence !== this.#sequence) return;
      this.#drawStart();
      new Notice(problem);
    }
  }

  #draw(review: Review | null): void {
    this.#shown = review?.plan.id ?? null;
    if (!review) {
      this.#drawStart();
      return;
    }
    this.#bodyEl.empty();
    new PlanReview(this.#bodyEl, review, {
      open: (path, line, event) => void openPlace(this.app, { path, passage: { line } }, paneFor(event, this.#context.settings.chosen.openInNewTab)),
      gone: () => void this.#openNewest(),
    });
  }

  #drawStart(): void {
    this.#shown = null;
    this.#bodyEl.empty();
    const el = this.#bodyEl.createDiv("notewell-plan");
    faint(el, t("Looks for broken links, names without a link, tags in several spellings and more, and suggests edits. No note is changed before you have seen it and applied it."));
    const start = el.createDiv("notewell-buttons").createEl("button", { cls: "mod-cta", text: t("Make a plan") });
    start.onclick = (): void => void this.#make();
  }

  async #choose(event: MouseEvent): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const menu = new Menu();
    try {
      const { plans } = await client.plans();
      for (const { id, created, counts } of plans.slice(0, PLANS_SHOWN)) {
        addItem(menu, `${planName(created, locale())}: ${countsText(counts)}`, "sprout", () => this.#openPlan(id));
      }
      if (plans.length === 0) menu.addItem((item) => item.setTitle(t("No plan yet")).setDisabled(true));
      menu.showAtMouseEvent(event);
    } catch (error) {
      new Notice(asServerError(error).message);
    }
  }
}
