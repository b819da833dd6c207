/** The panel for questions to a language model: shows the server's web page for them in a frame. */

import { ItemView, type WorkspaceLeaf } from "obsidian";
import type { Session } from "../connection";
import type { ViewContext } from "./viewContext";
import { explain, HOW_TO_UPGRADE, message, UPGRADE, type Explanation } from "./explain";
import { messageArea } from "./message";
import { openPlace, paneFor } from "./open";

export const ASK_VIEW = "notewell-ask";
export const ASK = "Ask your notes";

const NO_PAGE = message("This server cannot answer questions", `It is too old, or was built without web pages. ${HOW_TO_UPGRADE}`, [], UPGRADE);
const OPENING = message("Opening…", "If nothing appears, this system may block plain http; use https.");
/** The page may run its scripts and open web pages in the browser, but not navigate this window. */
const SANDBOX = "allow-scripts allow-same-origin allow-forms allow-popups";

export class AskView extends ItemView {
  override icon = "bot";
  readonly #context: ViewContext;
  #showMessage!: (explanation: Explanation | null) => void;
  #frameEl?: HTMLIFrameElement;
  #session?: Session;
  #isPageReady = false; // whether the page has answered the greeting

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
    this.registerEvent(this.app.workspace.on("css-change", () => this.#sendGreeting()));
    this.#update();
  }

  /** Gives the keyboard focus to the page, which focuses its input. */
  focusPage(): void {
    this.#frameEl?.focus();
  }

  #update(): void {
    const { connection, waiting } = this.#context;
    const { session } = connection;
    const hasPage = connection.has("ask_view");
    if (session && hasPage && session !== this.#session) this.#openPage(session);
    const pageMessage = this.#isPageReady ? null : OPENING;
    this.#showMessage(explain(connection.state, waiting()) ?? (hasPage ? pageMessage : NO_PAGE));
  }

  /** Loads the page, unless it is loaded already: after an interruption its conversation stays. */
  #openPage(session: Session): void {
    this.#session = session;
    const src = `${session.client.endpoint.url}/embed/ask`;
    if (this.#isPageReady && this.#frameEl?.getAttr("src") === src) {
      this.#sendGreeting();
      return;
    }
    this.#frameEl?.remove();
    const attr = { src, title: ASK, sandbox: SANDBOX, allow: "clipboard-write" };
    this.#frameEl = this.contentEl.createEl("iframe", { attr });
    this.#frameEl.onload = (): void => this.#sendGreeting(); // called again in each window that the view moves to
  }

  /**
   * Sends the page the token, the vault, the colour scheme and a port to answer on. The target origin
   * makes sure that only a page of this server receives them.
   */
  #sendGreeting(): void {
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
    this.#isPageReady = false;
    this.#frameEl?.contentWindow?.postMessage(greeting, new URL(url).origin, [port2]);
  }

  /** Handles a message of the page: that it is ready, or a note to open. */
  #receive(data: unknown): void {
    this.#isPageReady = true;
    this.#update();
    const { path, line } = (data ?? {}) as Record<string, unknown>;
    if (typeof path !== "string") return;
    const click = new MouseEvent("click", data as MouseEventInit);
    const pane = paneFor(click, this.#context.settings.chosen.openInNewTab);
    void openPlace(this.app, { path, passage: { line: Number(line) || 1 } }, pane);
  }
}
