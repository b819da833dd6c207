/** The panel of the gardener: makes a plan of suggestions, and has it reviewed. No note is changed before. */

import { ItemView, Menu, Notice, type WorkspaceLeaf } from "obsidian";
import type { Session } from "../connection";
import type { GardenModelReply, PlanReply } from "../contract";
import { GardenClient } from "../garden/client";
import { Review } from "../garden/review";
import { countsText, modelText, planName } from "../garden/words";
import { locale, t } from "../texts";
import { button, faint, toolbar } from "./controls";
import { confirm, withNotice, type Question } from "./dialogs";
import { explain, howToUpgrade, message, UPGRADE, type Explanation } from "./explain";
import { addItem } from "./menu";
import { messageArea } from "./message";
import { openPlace, paneFor } from "./open";
import { PlanReview, planTitle } from "./tend/planView";
import type { ViewContext } from "./viewContext";

export const TEND_VIEW = "notewell-tend";
export const tend = (): string => t("Tend the vault");

const FEATURE = "garden_plans";
const PLANS_SHOWN = 12;
const askModel = (): string => t("Ask the language model too");
const tooOld = (): Explanation => message(t("This server makes no suggestions"), t("It is too old. {how}", { how: howToUpgrade() }), [], UPGRADE);
const modelQuestion = (would: GardenModelReply): Question => [
  askModel(),
  `${modelText(would)} ${t("Sent are {what}.", { what: would.sent })}`,
  t("Send and make a plan"),
];

export class TendView extends ItemView {
  override icon = "sprout";
  override navigation = false;
  readonly #context: ViewContext;
  #showMessage!: (explanation: Explanation | null) => void;
  #toolsEl!: HTMLElement;
  #statusEl!: HTMLElement;
  #bodyEl!: HTMLElement;
  #session: Session | null = null;
  #shown: string | null = null;
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
    this.#statusEl = contentEl.createDiv({ cls: "notewell-info", attr: { role: "status" } });
    this.#bodyEl = contentEl.createDiv({ cls: "notewell-tend-body", attr: { tabindex: -1 } });
    this.register(this.#context.connection.subscribe(() => this.#update()));
    this.#update();
  }

  #update(): void {
    const { connection, waiting } = this.#context;
    const { session } = connection;
    const isAble = connection.has(FEATURE);
    this.#showMessage(explain(connection.state, waiting()) ?? (isAble ? null : tooOld()));
    const isOther = session?.vault.id !== this.#session?.vault.id;
    if (!session || !isAble || session === this.#session) return;
    this.#session = session;
    this.#drawTools();
    if (isOther || !this.#shown) void this.#openNewest();
  }

  get #client(): GardenClient | null {
    return this.#session?.client.as(GardenClient) ?? null;
  }

  #drawTools(): void {
    const el = this.#toolsEl;
    el.empty();
    button(el, "plus", t("Make a plan"), () => this.#make());
    button(el, "sparkles", askModel(), () => this.#makeWithModel());
    button(el, "history", t("Plans"), (event) => this.#choose(event));
  }

  /** The newest plan with something open; without one, what this panel is for. */
  #openNewest(): Promise<unknown> {
    return this.#load(async (client) => {
      const { plans } = await client.plans();
      const newest = plans.find(({ counts }) => (counts.open ?? 0) > 0);
      return newest ? client.plan(newest.id) : null;
    });
  }

  #make(make = (client: GardenClient): Promise<PlanReply> => client.make()): Promise<unknown> {
    return this.#load(async (client) => {
      const plan = await make(client);
      if (plan.suggestions.length > 0) return plan;
      new Notice(t("Nothing was found that could be tended."));
      return null;
    }, t("Looking through the notes…"));
  }

  /** Says what the language model would be sent, and where, and asks it once a person agrees. */
  async #makeWithModel(): Promise<void> {
    const would = await this.#told((client) => client.model());
    if (!would) return;
    if (would.notes === 0) new Notice(t("The language model has seen every note that it may see now."));
    else if (await confirm(this.app, modelQuestion(would))) await this.#make((client) => client.makeWithModel(would.host));
  }

  /** Asks for a plan and draws it; of several requests the last one counts. A failure leaves what is shown. */
  async #load(ask: (client: GardenClient) => Promise<PlanReply | null>, meanwhile = ""): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const before = this.#statusEl.textContent;
    if (meanwhile) this.#statusEl.setText(meanwhile);
    const plan = await this.#told(ask);
    if (sequence !== this.#sequence) return;
    if (plan === undefined && this.#bodyEl.hasChildNodes()) this.#statusEl.setText(before);
    else this.#draw(plan ?? null);
  }

  /** What a request brings; undefined where it failed, which a notice tells. */
  async #told<T>(ask: (client: GardenClient) => Promise<T>): Promise<T | undefined> {
    const client = this.#client;
    let reply: T | undefined;
    if (client) await withNotice(ask(client).then((found) => (reply = found)));
    return reply;
  }

  #draw(plan: PlanReply | null): void {
    const hadFocus = this.#bodyEl.contains(this.#bodyEl.doc.activeElement);
    this.#shown = plan?.id ?? null;
    this.#statusEl.setText(plan ? planTitle(plan) : "");
    this.#bodyEl.empty();
    if (plan && this.#client) {
      new PlanReview(this.#bodyEl, new Review(this.#client, plan), {
        app: this.app,
        open: (path, line, event) => openPlace(this.app, { path, passage: { line } }, paneFor(event, this.#context.settings.chosen.openInNewTab)),
        gone: () => void this.#openNewest(),
      });
    } else this.#drawStart();
    if (hadFocus) this.#bodyEl.focus();
  }

  #drawStart(): void {
    const el = this.#bodyEl.createDiv("notewell-plan");
    faint(el, t("Looks for broken links, names without a link, tags in several spellings and more, and suggests edits. No note is changed before you have seen it and applied it."));
    const buttons = el.createDiv("notewell-buttons");
    buttons.createEl("button", { cls: "mod-cta", text: t("Make a plan") }).onclick = (): unknown => this.#make();
    buttons.createEl("button", { text: askModel() }).onclick = (): unknown => this.#makeWithModel();
  }

  async #choose(event: MouseEvent): Promise<void> {
    const found = await this.#told((client) => client.plans());
    if (!found) return;
    const menu = new Menu();
    for (const { id, created, counts } of found.plans.slice(0, PLANS_SHOWN)) {
      addItem(menu, `${planName(created, locale())}: ${countsText(counts)}`, "sprout", () => this.#load((client) => client.plan(id)));
    }
    if (found.plans.length === 0) menu.addItem((item) => item.setTitle(t("No plan yet")).setDisabled(true));
    menu.showAtMouseEvent(event);
  }
}
