/** What the two panels that show results have in common: the list, and what is said above it. */

import {
  ItemView,
  MarkdownView,
  type HoverParent,
  type HoverPopover,
  type WorkspaceLeaf,
} from "obsidian";
import { ServerError } from "../client";
import type { ConnectionState } from "../connection";
import type { Desk } from "./desk";
import { explain, type Explanation } from "./explain";
import { renderMessage } from "./message";
import { ResultList, type ListParts } from "./resultList";

const REFRESH_AFTER_MS = 2_000;

type OwnListParts = Pick<ListParts, "label" | "badges" | "addItems" | "onOpen"> & {
  readonly onAbove: () => void;
};

export abstract class ResultsView extends ItemView implements HoverParent {
  hoverPopover: HoverPopover | null = null;
  protected readonly desk: Desk;
  protected infoEl!: HTMLElement;
  protected bodyEl!: HTMLElement;
  protected list!: ResultList;
  protected failure: Explanation | null = null;
  #messageEl!: HTMLElement;
  #said = "";
  #refresh = 0;

  constructor(leaf: WorkspaceLeaf, desk: Desk) {
    super(leaf);
    this.desk = desk;
    this.navigation = false;
  }

  /** The generation of the index that the shown results come from; null: none are shown. */
  protected abstract generation(): number | null;
  /** What is to be said of the results or of their absence, once the server can be asked. */
  protected abstract ownMessage(): Explanation | null;
  /** Asks once more for what is shown, after the index or the connection changed. */
  protected abstract askAgain(): void;
  protected abstract settingsChanged(): void;

  /** Makes the parts below the view's own header. */
  protected build(own: OwnListParts): void {
    const { contentEl, desk } = this;
    contentEl.addClass("recollect-view");
    this.infoEl = contentEl.createDiv({ cls: "recollect-info", attr: { "aria-live": "polite" } });
    this.bodyEl = contentEl.createDiv({ cls: "search-result-container mod-global-search" });
    this.#messageEl = this.bodyEl.createDiv();
    this.list = this.addChild(
      new ResultList(this.bodyEl, {
        ...own,
        app: this.app,
        settings: desk.settings,
        leaf: this.leaf,
        hover: this,
        source: this.getViewType(),
        onLeave: (where) => (where === "above" ? own.onAbove() : this.leave()),
      }),
    );
    this.register(desk.connection.subscribe((state) => this.#news(state)));
    this.register(desk.settings.subscribe(() => this.settingsChanged()));
    this.register(() => window.clearTimeout(this.#refresh));
    this.say();
  }

  /** Says what is to be said, and only when it changed: a button under a pointer must not blink. */
  protected say(): void {
    const message =
      explain(this.desk.connection.state, this.desk.waiting()) ?? this.failure ?? this.ownMessage();
    const said = JSON.stringify(message);
    if (said === this.#said) return;
    this.#said = said;
    this.#messageEl.empty();
    if (message) renderMessage(this.#messageEl, message, this.desk.act);
  }

  /** A request failed: what is shown stays, with a word about it. */
  protected fail(error: unknown): void {
    this.desk.connection.report(error);
    if (!(error instanceof ServerError)) throw error;
    const title = error.kind === "timeout" ? "No answer yet" : "The server could not answer";
    this.failure = { title, text: error.message, actions: [] };
    this.say();
  }

  protected busy(isBusy: boolean): void {
    this.list.el.setAttr("aria-busy", String(isBusy));
  }

  /** Back to the note that was edited last. */
  protected leave(): void {
    const leaf = this.app.workspace.getMostRecentLeaf();
    if (!leaf) return;
    this.app.workspace.setActiveLeaf(leaf, { focus: true });
    if (leaf.view instanceof MarkdownView) leaf.view.editor.focus();
  }

  #news(state: ConnectionState): void {
    this.say();
    this.list.el.toggleClass("is-stale", explain(state, 0) !== null);
    if (!("status" in state)) return;
    const shown = this.generation();
    if (shown === state.status.generation && !this.failure) return;
    if (this.#refresh) return; // a busy server has news every second; that must not put it off
    const wait = shown === null ? 0 : REFRESH_AFTER_MS;
    this.#refresh = window.setTimeout(() => {
      this.#refresh = 0;
      if (this.containerEl.isShown()) this.askAgain();
    }, wait);
  }
}
