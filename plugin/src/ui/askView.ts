/** Questions to a language model about the notes: the server's own page for them, in a frame. */

import { ItemView, type WorkspaceLeaf } from "obsidian";
import type { Session } from "../connection";
import type { ViewContext } from "./viewContext";
import { explain, HOW_TO_UPGRADE, message, UPGRADE, type Explanation } from "./explain";
import { messageArea } from "./message";
import { openPlace, paneFor } from "./open";

export const ASK_VIEW = "notewell-ask";
export const ASK = "Ask your notes";

const NO_PAGE = message("This server cannot be asked", `It is too old, or was built without web pages. ${HOW_TO_UPGRADE}`, [], UPGRADE);
const OPENING = message("Opening…", "Some systems refuse plain http here.");
/** It may run its own scripts and open web pages in the browser; it cannot lead this window away. */
const SANDBOX = "allow-scripts allow-same-origin allow-forms allow-popups";

export class AskView extends ItemView {
  override icon = "bot";
  readonly #context: ViewContext;
  #showMessage!: (news: Explanation | null) => void;
  #frameEl?: HTMLIFrameElement;
  #session?: Session;
  #isAnswering = false; // whether the page took the greeting

  constructor(leaf: WorkspaceLeaf, context: ViewContext) {
    super(leaf);
    this.#context = context;
  }

  override getViewType(): string {
    return ASK_VIEW;
  }

  override getDisplayText(): string {
    return ASK;
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.addClass("notewell-view");
    this.#showMessage = messageArea(this.contentEl, this.#context);
    this.register(this.#context.connection.subscribe(() => this.#update()));
    this.registerEvent(this.app.workspace.on("css-change", () => this.#greet()));
    this.#update();
  }

  /** The keys go to the page, which puts the cursor into its field. */
  goAbove(): void {
    this.#frameEl?.focus();
  }

  #update(): void {
    const { connection, waiting } = this.#context;
    const { session } = connection;
    const hasPage = connection.has("ask_view");
    if (session && hasPage && session !== this.#session) this.#openPage(session);
    const ofPage = this.#isAnswering ? null : OPENING;
    this.#showMessage(explain(connection.state, waiting()) ?? (hasPage ? ofPage : NO_PAGE));
  }

  /** Where the server was only away for a while its page stays, and the conversation with it. */
  #openPage(session: Session): void {
    this.#session = session;
    const src = `${session.client.endpoint.url}/embed/ask`;
    if (this.#isAnswering && this.#frameEl?.getAttr("src") === src) {
      this.#greet();
      return;
    }
    this.#frameEl?.remove();
    const attr = { src, title: ASK, sandbox: SANDBOX, allow: "clipboard-write" };
    this.#frameEl = this.contentEl.createEl("iframe", { attr });
    this.#frameEl.onload = (): void => this.#greet(); // again in each window that the view moves to
  }

  /**
   * Tells the page who asks and how it should look. The browser hands the token, and the port that
   * the page answers over, to a page of that server alone.
   */
  #greet(): void {
    if (!this.#session) return;
    const { client, vault } = this.#session;
    const { url, token } = client.endpoint;
    const greeting = {
      token,
      vault: vault.id,
      isDark: this.contentEl.doc.body.hasClass("theme-dark"),
    };
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }): void => this.#receive(data);
    this.#isAnswering = false;
    this.#frameEl?.contentWindow?.postMessage(greeting, new URL(url).origin, [port2]);
  }

  /** The page is there, or wants a note to be opened. */
  #receive(said: unknown): void {
    this.#isAnswering = true;
    this.#update();
    const { path, line } = (said ?? {}) as Record<string, unknown>;
    if (typeof path !== "string") return;
    const click = new MouseEvent("click", said as MouseEventInit);
    const pane = paneFor(click, this.#context.settings.chosen.openInNewTab);
    void openPlace(this.app, { path, passage: { line: Number(line) || 1 } }, pane);
  }
}
