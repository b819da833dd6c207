/** The search panel: a field, what it finds, and what there is to say about it. */

import { Notice, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import type { SearchReply } from "../contract";
import { QuerySuggest } from "./completion";
import type { Desk } from "./desk";
import { message, remark, type Explanation } from "./explain";
import { count } from "./format";
import { LiveSearch } from "./liveSearch";
import { copyText } from "./menu";
import { linkTo } from "./open";
import { sorted, type SortOrder } from "./ranking";
import { ResultsView } from "./resultsView";
import { ORDERS, SearchHeader } from "./searchHeader";
import { renderStart } from "./searchStart";

export const SEARCH_VIEW = "recollect-search";

const WEAK = 0.2; // confidence below which the best match is probably no answer

const NOTHING_FOUND = message("No notes found", "Quotes, exclusions and filters are strict.");

export class SearchView extends ResultsView {
  #query = "";
  #reply: SearchReply | null = null;
  #header!: SearchHeader;
  #startEl!: HTMLElement;
  readonly #live: LiveSearch;

  constructor(leaf: WorkspaceLeaf, desk: Desk) {
    super(leaf, desk);
    this.icon = "search";
    this.#live = new LiveSearch({
      session: () => desk.connection.session,
      limit: () => desk.settings.vault.resultLimit,
      ranksByMeaning: () => desk.connection.status?.semantic !== "unavailable",
      show: (reply, isFinal) => this.#show(reply, isFinal),
      fail: (error) => this.fail(error),
      busy: (isBusy) => this.busy(isBusy),
    });
  }

  override getViewType(): string {
    return SEARCH_VIEW;
  }

  override getDisplayText(): string {
    return "Recollect search";
  }

  override getState(): Record<string, unknown> {
    const kept = { query: this.#query, sort: this.#header.sort, more: this.list.moreContext };
    return { ...super.getState(), ...kept };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const kept = (state ?? {}) as { query?: unknown; sort?: unknown; more?: unknown };
    const sort = String(kept.sort) in ORDERS ? (kept.sort as SortOrder) : "relevance";
    this.list.moreContext = kept.more === true;
    this.#header.restore(sort, this.list.moreContext);
    if (typeof kept.query === "string") this.search(kept.query);
  }

  protected override async onOpen(): Promise<void> {
    this.contentEl.empty();
    this.#header = this.#makeHeader();
    new QuerySuggest(this.app, this.#header.field.inputEl, (query) => this.search(query));
    this.build({
      label: "Search results",
      onOpen: () => this.#remember(),
      onAbove: () => this.focusField(),
    });
    this.#startEl = this.bodyEl.createDiv();
    this.register(() => this.#live.cancel());
    this.#drawStart();
  }

  /** Puts `query` into the field and asks. */
  search(query: string): void {
    this.#header.field.setValue(query);
    this.#query = query;
    this.askAgain();
    this.#drawStart();
  }

  focusField(): void {
    this.#header.field.inputEl.focus();
    this.#header.field.inputEl.select();
  }

  protected override generation(): number | null {
    return this.#reply?.generation ?? null;
  }

  protected override askAgain(): void {
    void this.#live.now(this.#query);
  }

  protected override settingsChanged(): void {
    if (this.#query.trim()) this.list.redraw();
    else this.#drawStart();
  }

  protected override ownMessage(): Explanation | null {
    const { status } = this.desk.connection;
    const isEmpty = this.#reply?.results.length === 0;
    return (status && remark(status)) ?? (isEmpty ? NOTHING_FOUND : null);
  }

  #makeHeader(): SearchHeader {
    const keep = (): unknown => this.app.workspace.requestSaveLayout();
    return new SearchHeader(this.contentEl, {
      onType: (query) => {
        this.#query = query;
        this.#live.type(query);
        this.#drawStart();
        keep();
      },
      onEnter: () => {
        this.#remember();
        this.askAgain();
      },
      onDown: () => this.list.focusFirst(),
      onEscape: () => this.leave(),
      onSort: () => {
        this.list.replace(sorted(this.#reply?.results ?? [], this.#header.sort));
        keep();
      },
      onContext: (more) => {
        this.list.moreContext = more;
        this.list.redraw();
        keep();
      },
      onExpand: (open) => this.list.expandAll(open),
      onCopy: () => void this.#copyLinks(),
      onSave: () => void this.#save(),
    });
  }

  #show(reply: SearchReply, isFinal: boolean): void {
    const isSameQuery = this.#reply?.query === reply.query;
    this.#reply = reply;
    this.failure = null;
    const results = sorted(reply.results, this.#header.sort);
    if (isSameQuery && this.#header.sort === "relevance") {
      this.list.merge(results);
    } else {
      this.#header.fold();
      this.list.replace(results);
    }
    this.#drawInfo(reply, isFinal);
    this.say();
  }

  #drawInfo(reply: SearchReply, isFinal: boolean): void {
    const { results, total, confidence, warnings } = reply;
    const all = count(total, "note", "notes");
    const shown = results.length < total ? `${results.length} of ${all}` : all;
    const isWeak = isFinal && confidence !== null && confidence < WEAK && total > 0;
    this.infoEl.empty();
    const text = isFinal ? shown : `${shown}…`;
    this.infoEl.createSpan({ cls: "search-results-result-count", text });
    if (isWeak) this.infoEl.createDiv({ text: "None of these is a clear match." });
    for (const warning of warnings) this.infoEl.createDiv({ text: warning });
  }

  /** The empty field shows what was searched before. */
  #drawStart(): void {
    this.#startEl.empty();
    const isEmpty = !this.#query.trim();
    this.list.el.toggle(!isEmpty);
    if (!isEmpty) return;
    this.#live.cancel();
    this.#reply = null;
    this.failure = null;
    this.list.replace([]);
    this.infoEl.empty();
    renderStart(this.#startEl, this.desk.settings, (query) => {
      this.search(query);
      this.#header.field.inputEl.focus();
    });
    this.say();
  }

  #remember(): void {
    const query = this.#query.trim();
    if (query) this.desk.settings.remember(query);
  }

  async #save(): Promise<void> {
    const query = this.#query.trim();
    const { savedSearches } = this.desk.settings.vault;
    if (!query) return;
    if (!savedSearches.includes(query)) {
      await this.desk.settings.setVault("savedSearches", [query, ...savedSearches]);
    }
    new Notice("Search saved. It is listed while the field is empty.");
  }

  async #copyLinks(): Promise<void> {
    const links = this.list.shown.flatMap((result) => {
      const isThere = this.app.vault.getFileByPath(result.path) !== null;
      const link = isThere ? linkTo(this.app, { path: result.path, passage: null }, "") : null;
      return link ? [`- ${link}`] : [];
    });
    await copyText(links.join("\n"), `${count(links.length, "link", "links")} copied.`);
  }
}
