/** What the two panels that show results have in common: the list, and what is said above it. */

import {
  ItemView,
  type HoverParent,
  type HoverPopover,
  type WorkspaceLeaf,
} from "obsidian";
import { asServerError } from "../client";
import type { ConnectionState } from "../connection";
import type { Desk } from "./desk";
import { Timer } from "../timer";
import { explain, message, type Explanation } from "./explain";
import { renderMessage } from "./message";
import { noteInUse } from "./open";
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
  readonly #refresh = new Timer();

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
    this.list = new ResultList(this.bodyEl, {
      ...own,
      app: this.app,
      settings: desk.settings,
      leaf: this.leaf,
      hover: this,
      source: this.getViewType(),
      onLeave: (where) => (where === "above" ? own.onAbove() : this.leave()),
    });
    this.register(desk.connection.subscribe((state) => this.#news(state)));
    this.register(desk.settings.subscribe(() => this.settingsChanged()));
    this.register(() => this.#refresh.clear());
    this.say();
  }

  /** Says what is to be said, and only when it changed: a button under a pointer must not blink. */
  protected say(): void {
    const { connection, waiting, act } = this.desk;
    const news = explain(connection.state, waiting()) ?? this.failure ?? this.ownMessage();
    const said = JSON.stringify(news);
    if (said === this.#said) return;
    this.#said = said;
    this.#messageEl.empty();
    if (news) renderMessage(this.#messageEl, news, act);
  }

  /** A request failed: what is shown stays, with a word about it. */
  protected fail(error: unknown): void {
    this.desk.connection.report(error);
    this.failure = message("No answer", asServerError(error).message);
    this.say();
  }

  protected busy(isBusy: boolean): void {
    this.list.el.setAttr("aria-busy", String(isBusy));
  }

  /** Back to the note that was edited last. */
  protected leave(): void {
    const view = noteInUse(this.app);
    if (!view) return;
    this.app.workspace.setActiveLeaf(view.leaf, { focus: true });
    view.editor.focus();
  }

  #news(state: ConnectionState): void {
    this.say();
    this.list.el.toggleClass("is-stale", explain(state, 0) !== null);
    if (!("status" in state)) return;
    const shown = this.generation();
    if (shown === state.status.generation && !this.failure) return;
    if (this.#refresh.isSet) return; // a busy server's news must not put it off again and again
    this.#refresh.set(shown === null ? 0 : REFRESH_AFTER_MS, () => {
      if (this.containerEl.isShown()) this.askAgain();
    });
  }
}
