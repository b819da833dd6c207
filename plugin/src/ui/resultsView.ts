/** What the two panels that show results have in common: the list, and what is said above it. */

import { ItemView, type HoverPopover, type Menu, type WorkspaceLeaf } from "obsidian";
import { asServerError, type Client } from "../client";
import type { ConnectionState } from "../connection";
import type { Result, SearchReply } from "../contract";
import { Timer } from "../support";
import { toggle } from "./controls";
import type { ViewContext } from "./viewContext";
import { explain, message, remark, type Explanation } from "./explain";
import { LiveSearch, type Mode } from "./liveSearch";
import { messageArea } from "./message";
import { noteInUse, type Place } from "./open";
import { ResultList, type ListOwner } from "./resultList";

const REFRESH_AFTER_MS = 2_000;

export abstract class ResultsView<Question> extends ItemView implements ListOwner {
  hoverPopover: HoverPopover | null = null;
  override navigation = false;
  readonly context: ViewContext;
  protected infoEl!: HTMLElement;
  protected bodyEl!: HTMLElement;
  protected list!: ResultList;
  protected reply: SearchReply | null = null;
  protected failure: Explanation | null = null;
  protected readonly live: LiveSearch<Question>;
  #tell!: (news: Explanation | null) => void;
  readonly #refresh = new Timer();

  constructor(leaf: WorkspaceLeaf, context: ViewContext) {
    super(leaf);
    this.context = context;
    this.live = new LiveSearch({
      session: () => context.connection.session,
      request: (...asked) => this.request(...asked),
      ranksByMeaning: () => context.connection.lastStatus?.semantic !== "unavailable",
      show: (reply, isFinal) => {
        this.failure = null;
        this.show(reply, isFinal);
        this.showMessage();
      },
      fail: (error) => this.fail(error),
      busy: (isBusy) => this.list.el.setAttr("aria-busy", isBusy),
    });
  }

  protected abstract request(
    client: Client,
    asked: Question,
    mode: Mode,
    isTyped: boolean,
  ): Promise<SearchReply>;
  protected abstract show(reply: SearchReply, isFinal: boolean): void;
  /** Why there are no results, where the server was asked and there are none. */
  protected abstract absence(): Explanation | null;
  /** Asks once more for what is shown, after the index or the connection changed. */
  protected abstract askAgain(): void;
  protected abstract settingsChanged(): void;
  abstract goAbove(): void;

  badges(_result: Result): readonly string[] {
    return [];
  }

  addItems(_menu: Menu, _place: Place): void {
    // A view may have more to offer for a result than every view has.
  }

  /** A result is opened. */
  onChosen(): void {
    // Only a search has something to remember.
  }

  /** Makes the parts below the view's own header. */
  protected build(): void {
    const { contentEl, context } = this;
    contentEl.addClass("notewell-view");
    this.infoEl = contentEl.createDiv({ cls: "notewell-info", attr: { "aria-live": "polite" } });
    this.bodyEl = contentEl.createDiv("search-result-container mod-global-search");
    this.#tell = messageArea(this.bodyEl, context);
    this.list = new ResultList(this.bodyEl, this);
    this.register(context.connection.subscribe((state) => this.#news(state)));
    this.register(
      context.settings.subscribe(() => {
        this.settingsChanged();
        this.showMessage();
      }),
    );
    this.register(() => {
      this.#refresh.clear();
      this.live.cancel();
    });
    this.showMessage();
  }

  /** The app writes down how its panels are, this one among them. */
  protected keep(): void {
    void this.app.workspace.requestSaveLayout();
  }

  /** A button that unfolds every result. */
  protected unfoldToggle(buttons: HTMLElement): HTMLElement {
    return toggle(buttons, "list-tree", "Show all passages", (isOpen) => this.list.expandAll(isOpen));
  }

  protected showMessage(): void {
    const { connection, settings, waiting } = this.context;
    this.#tell(
      explain(connection.state, waiting()) ??
        this.failure ??
        this.absence() ??
        remark(connection.lastStatus, settings.chosen.guardDecided),
    );
  }

  /** A request failed: what is shown stays, with a word about it. */
  protected fail(error: unknown): void {
    this.context.connection.report(error);
    this.failure = message("No answer", asServerError(error).message);
    this.showMessage();
  }

  /** Back to the note that was used last. */
  leave(): void {
    const view = noteInUse(this.app);
    if (!view) return;
    this.app.workspace.setActiveLeaf(view.leaf, { focus: true });
    view.editor.focus();
  }

  #news(state: ConnectionState): void {
    this.showMessage();
    this.list.el.toggleClass("is-stale", !("status" in state));
    if (!("status" in state)) return;
    const shown = this.reply?.generation;
    if (shown === state.status.generation && !this.failure) return;
    if (this.#refresh.isSet) return; // a busy server's news must not put it off again and again
    this.#refresh.set(shown === undefined ? 0 : REFRESH_AFTER_MS, () => {
      // A search that takes longer than the index takes to change would never be answered.
      if (this.containerEl.isShown() && !this.live.isAsking) this.askAgain();
    });
  }
}
