/** The panel for questions: a conversation with the language model about the notes. Nothing is sent before a question is. */

import { ItemView, Menu, Notice, type WorkspaceLeaf } from "obsidian";
import { asServerError } from "../client";
import type { Session } from "../connection";
import type { AskModelsReply, AskReply } from "../contract";
import { count } from "../format";
import { AskForm } from "./ask/form";
import { saveConversation } from "./ask/save";
import { isWebPage, type Source } from "./ask/sources";
import { destinationText } from "./ask/texts";
import { Turn } from "./ask/turn";
import { button, faint, title, toolbar, wordButton } from "./controls";
import { explain, howToUpgrade, message, UPGRADE, type Explanation } from "./explain";
import { addItem } from "./menu";
import { messageArea } from "./message";
import { openPage, openPlace, paneFor } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

export const ASK_VIEW = "notewell-ask";
export const ask = (): string => t("Ask your notes");

const tooOld = (): Explanation => message(t("This server cannot answer questions here"), t("It is too old. {how}", { how: howToUpgrade() }), [], UPGRADE);
const FEATURE = "ask_events";
const EARLIER_SHOWN = 12;

export class AskView extends ItemView {
  override icon = "bot";
  override navigation = false;
  readonly #context: ViewContext;
  #showMessage!: (explanation: Explanation | null) => void;
  #toolsEl!: HTMLElement;
  #setupEl!: HTMLElement;
  #turnsEl!: HTMLElement;
  #form!: AskForm;
  #session: Session | null = null;
  #turns: Turn[] = [];
  #running: Turn | null = null;
  #conversation: string | undefined;
  /** There is no language model: sentences of notes that answer are quoted. */
  #isQuoting = false;

  constructor(leaf: WorkspaceLeaf, context: ViewContext) {
    super(leaf);
    this.#context = context;
  }

  override getViewType(): string {
    return ASK_VIEW;
  }

  override getDisplayText(): string {
    return ask();
  }

  protected override async onOpen(): Promise<void> {
    const { contentEl } = this;
    contentEl.addClass("notewell-view", "notewell-ask");
    this.#toolsEl = toolbar(contentEl);
    this.#showMessage = messageArea(contentEl, this.#context);
    const scrolled = contentEl.createDiv("notewell-conversation");
    this.#setupEl = scrolled.createDiv("notewell-setup");
    this.#turnsEl = scrolled.createDiv({ attr: { role: "log", "aria-label": t("Conversation") } });
    this.#form = new AskForm(contentEl, { ask: (question) => void this.#ask(question), stop: () => this.#running?.stop() });
    this.register(this.#context.connection.subscribe(() => this.#update()));
    this.#begin();
    this.#update();
  }

  protected override async onClose(): Promise<void> {
    this.#running?.stop();
  }

  focusPage(): void {
    this.#form.focus();
  }

  /** The state of the connection changed: an interruption leaves the conversation as it is. */
  #update(): void {
    const { connection, waiting } = this.#context;
    const { session } = connection;
    const isAble = connection.has(FEATURE);
    this.#showMessage(explain(connection.state, waiting()) ?? (isAble ? null : tooOld()));
    const isOther = session !== null && session.vault.id !== this.#session?.vault.id;
    if (session && isAble && session !== this.#session) {
      this.#session = session;
      if (isOther) this.#begin();
      void this.#loadModels(session);
    }
    this.#draw();
  }

  /** A new conversation. */
  #begin(): void {
    this.#running?.stop();
    for (const turn of this.#turns) this.removeChild(turn);
    this.#turns = [];
    this.#running = null;
    this.#conversation = undefined;
    this.#draw();
  }

  /** Which models there are, and where they run; without one, what could be used. */
  async #loadModels(session: Session): Promise<void> {
    try {
      const models = await session.client.askModels();
      if (session === this.#session) this.#showModels(models);
    } catch (error) {
      const { status, message: problem } = asServerError(error);
      if (session !== this.#session) return;
      if (status !== 400) {
        this.#form.say(problem);
        return;
      }
      this.#isQuoting = this.#context.connection.has("evidence");
      this.#form.allow(this.#isQuoting);
      this.#form.showModels({ chosen: "", models: [] });
      this.#form.say("");
      this.#showSetup(session, problem);
    }
  }

  /** A model is chosen on the server's pages, as there is one for all its clients. */
  #showSetup(session: Session, problem: string): void {
    const el = this.#setupEl;
    el.empty();
    title(el, t("No language model is set up"));
    el.createEl("p", { text: t("A language model writes answers from your notes and cites them. It can run on the server's computer.") });
    const buttons = el.createDiv("notewell-buttons");
    if (session.features.includes("ask_setup")) wordButton(buttons, t("Choose one"), () => openPage(session, "manage/answers"));
    else faint(el, problem);
    wordButton(buttons, t("Look again"), () => this.#loadModels(session));
  }

  #showModels(models: AskModelsReply): void {
    this.#setupEl.empty();
    if (this.#turns.length === 0) faint(this.#setupEl, t("A language model answers from your notes, and cites them."));
    this.#isQuoting = false;
    this.#form.allow(true);
    this.#form.showModels(models);
    this.#form.say(destinationText(models));
  }

  async #ask(question: string): Promise<void> {
    const { session } = this.#context.connection;
    if (!session || this.#running) return;
    this.#setupEl.empty();
    const turn = this.#addTurn(question);
    this.#running = turn;
    this.#draw();
    turn.el.scrollIntoView({ block: "start" });
    if (this.#isQuoting) await turn.quote(session.client, question);
    else await turn.run(session.client, { question, conversation: this.#conversation ?? null, model: this.#form.model });
    if (this.#running !== turn) return; // another conversation began meanwhile
    this.#running = null;
    if (turn.isLost) this.#conversation = undefined;
    else if (turn.conversation) this.#conversation = turn.conversation;
    this.#draw();
  }

  #addTurn(question: string): Turn {
    const again = (): void => {
      if (this.#running) return;
      this.#turns = this.#turns.filter((one) => one !== turn);
      this.removeChild(turn);
      void this.#ask(question);
    };
    const { app } = this;
    const openSource = (source: Source, event: MouseEvent): void => this.#open(source, event);
    const turn = this.addChild(new Turn(this.#turnsEl, question, { app, openSource, again }));
    this.#turns.push(turn);
    return turn;
  }

  #open(source: Source, event: MouseEvent): void {
    if (isWebPage(source)) window.open(source.path);
    else {
      const passage = source.line ? { line: source.line } : null;
      void openPlace(this.app, { path: source.path, passage }, paneFor(event, this.#context.settings.chosen.openInNewTab));
    }
  }

  #draw(): void {
    const isBusy = this.#running !== null;
    const isEmpty = this.#turns.length === 0;
    this.#form.draw(isBusy, !isEmpty && !this.#isQuoting);
    const el = this.#toolsEl;
    el.empty();
    if (!this.#session) return;
    button(el, "history", t("Earlier conversations"), (event) => void this.#showEarlier(event));
    if (isBusy || isEmpty) return;
    button(el, "plus", t("New conversation"), () => {
      this.#begin();
      this.#form.focus();
    });
    if (this.#replies.length > 0) button(el, "file-plus", t("Save as note"), () => void this.#save());
    if (this.#conversation) button(el, "trash-2", t("Delete this conversation"), () => void this.#forget());
  }

  get #replies(): readonly AskReply[] {
    return this.#turns.flatMap(({ reply }) => reply ?? []);
  }

  async #save(): Promise<void> {
    const file = await saveConversation(this.app, this.#replies);
    new Notice(t("Saved as {path}", { path: file.path }));
    await this.app.workspace.getLeaf("tab").openFile(file);
  }

  async #forget(): Promise<void> {
    const conversation = this.#conversation;
    if (!conversation || !this.#session) return;
    try {
      await this.#session.client.forgetConversation(conversation);
      new Notice(t("Conversation deleted."));
      this.#begin();
    } catch (error) {
      new Notice(asServerError(error).message);
    }
  }

  async #showEarlier(event: MouseEvent): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const menu = new Menu();
    try {
      const earlier = await session.client.conversations();
      for (const { conversation, question, turns } of earlier.slice(0, EARLIER_SHOWN)) {
        addItem(menu, `${question.slice(0, 60)} (${count(turns, "question")})`, "message-square", () => this.#resume(session, conversation));
      }
      if (earlier.length === 0) menu.addItem((item) => item.setTitle(t("No earlier conversations")).setDisabled(true));
      menu.showAtMouseEvent(event);
    } catch (error) {
      new Notice(asServerError(error).message);
    }
  }

  async #resume({ client }: Session, conversation: string): Promise<void> {
    try {
      const { turns } = await client.conversation(conversation);
      this.#begin();
      this.#setupEl.empty();
      for (const reply of turns) this.#addTurn(reply.question).show(reply);
      this.#conversation = conversation;
      this.#draw();
    } catch (error) {
      new Notice(asServerError(error).message);
    }
  }
}
