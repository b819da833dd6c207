/** The base of the two panels that show results: the list, and the message above it. */

import { ItemView, type HoverPopover, type Menu, type WorkspaceLeaf } from "obsidian";
import { asServerError, type Client } from "../client";
import type { ConnectionState } from "../connection";
import type { Result, SearchReply } from "../contract";
import { isLocal } from "../local/reply";
import { Timer } from "../support";
import { toggle } from "./controls";
import type { ViewContext } from "./viewContext";
import { explain, message, indexNotice, type Explanation } from "./explain";
import { count } from "../format";
import { LiveSearch } from "./liveSearch";
import { messageArea } from "./message";
import { noteInUse, type Place } from "./open";
import { ResultList, type ListOwner } from "./resultList";
import { t } from "../texts";

const REFRESH_AFTER_MS = 2_000;

export abstract class ResultsView<Query> extends ItemView implements ListOwner {
  hoverPopover: HoverPopover | null = null;
  override navigation = false;
  readonly context: ViewContext;
  protected infoEl!: HTMLElement;
  protected bodyEl!: HTMLElement;
  protected list!: ResultList;
  protected reply: SearchReply | null = null;
  protected failure: Explanation | null = null;
  protected readonly live: LiveSearch<Query>;
  #setMessage!: (explanation: Explanation | null) => void;
  readonly #refreshTimer = new Timer();

  constructor(leaf: WorkspaceLeaf, context: ViewContext) {
    super(leaf);
    this.context = context;
    this.live = new LiveSearch({
      session: () => context.connection.session,
      request: (...parameters) => this.request(...parameters),
      local: (...parameters) => this.answer(...parameters),
      show: (reply, isFinal) => {
        this.failure = null;
        this.show(reply, isFinal);
        this.showMessage();
      },
      fail: (error) => this.fail(error),
      busy: (isBusy) => this.list.el.setAttr("aria-busy", isBusy),
    });
  }

  protected abstract request(client: Client, query: Query, isTyping: boolean): Promise<SearchReply>;
  /** The answer of the plugin's own word index; null where it is not wanted. */
  protected abstract answer(query: Query, isTyping: boolean): Promise<SearchReply> | null;
  protected abstract show(reply: SearchReply, isFinal: boolean): void;
  /** The message for an empty list, after the server has replied. */
  protected abstract emptyMessage(): Explanation | null;
  /** Repeats the request, after the index or the connection changed. */
  protected abstract refresh(): void;
  protected abstract settingsChanged(): void;
  abstract focusTop(): void;

  badges(_result: Result): readonly string[] {
    return [];
  }

  addItems(_menu: Menu, _place: Place): void {
    // Views add items of their own.
  }

  pointerLeft(): void {
    this.showMessage();
  }

  /** A result is opened. */
  onChosen(): void {
    // The search view adds the query to its history.
  }

  /** Creates the parts below the view's header. */
  protected build(): void {
    const { contentEl, context } = this;
    contentEl.addClass("notewell-view");
    this.infoEl = contentEl.createDiv({ cls: "notewell-info", attr: { "aria-live": "polite" } });
    this.bodyEl = contentEl.createDiv("search-result-container mod-global-search");
    this.#setMessage = messageArea(this.bodyEl, context);
    this.list = new ResultList(this.bodyEl, this);
    this.register(context.connection.subscribe((state) => this.#connectionChanged(state)));
    this.register(context.local.reader.subscribe(() => this.#notesRead()));
    this.register(
      context.settings.subscribe(() => {
        this.settingsChanged();
        this.showMessage();
      }),
    );
    this.register(() => {
      this.#refreshTimer.clear();
      this.live.cancel();
    });
    this.showMessage();
  }

  /** Saves this view's state with the app's workspace layout. */
  protected saveLayout(): void {
    void this.app.workspace.requestSaveLayout();
  }

  /** A button that expands every result. */
  protected expandAllToggle(buttons: HTMLElement): HTMLElement {
    return toggle(buttons, "list-tree", t("Show all passages"), (isOpen) => this.list.expandAll(isOpen));
  }

  /** How far the word index is while it answers alone; empty once it has every note. */
  protected get readingText(): string {
    const { left, index, isComplete } = this.context.local.reader;
    if (isComplete) return "";
    return t("read {read} of {notes} so far", { read: index.size - left, notes: count(index.size, "note") });
  }

  /** `isTold`: the state of the connection is told elsewhere, or need not be. */
  protected showMessage(isTold = false): void {
    const { connection, settings, waiting } = this.context;
    const isStale = !connection.session && this.reply !== null && !isLocal(this.reply);
    this.list.el.toggleClass("is-stale", isStale);
    if (this.list.isPointedAt) return; // a message more or less would move the row under the pointer
    this.#setMessage(
      (isTold ? null : explain(connection.state, waiting())) ??
        this.failure ??
        this.emptyMessage() ??
        (isTold ? null : indexNotice(connection.lastStatus, settings.chosen.guardDecided)),
    );
  }

  /** A request failed: the results stay, with a message above them. */
  protected fail(error: unknown): void {
    this.context.connection.report(error);
    this.failure = message(t("The request failed"), asServerError(error).message);
    this.showMessage();
  }

  /** Moves the focus to the editor that was used last. */
  focusEditor(): void {
    const view = noteInUse(this.app);
    if (!view) return;
    this.app.workspace.setActiveLeaf(view.leaf, { focus: true });
    view.editor.focus();
  }

  #connectionChanged(state: ConnectionState): void {
    this.showMessage();
    if (!("status" in state)) return;
    if (this.reply?.generation === state.status.generation && !this.failure) return;
    this.#refreshSoon(this.reply && !isLocal(this.reply) ? REFRESH_AFTER_MS : 0);
  }

  /** The word index has read more notes: what it answered alone may have more results now. */
  #notesRead(): void {
    if (!this.context.connection.session) this.#refreshSoon(REFRESH_AFTER_MS);
  }

  #refreshSoon(ms: number): void {
    if (this.#refreshTimer.isSet) return; // frequent changes must not postpone it for ever
    this.#refreshTimer.set(ms, () => {
      // Replacing a pending request at every change of the index could go on without end.
      if (this.containerEl.isShown() && !this.live.isPending) this.refresh();
    });
  }
}
