/** The search panel: the field, the results, and notices about them. */

import { Menu, SearchComponent, type ViewStateResult } from "obsidian";
import { hasOthers, searchChosen } from "../allVaults";
import type { Client } from "../client";
import type { Result, SearchReply } from "../contract";
import { QuerySuggest } from "./completion";
import { button, handleKey, setActive, toggle, toolbar } from "./controls";
import { nothingFound, type Explanation } from "./explain";
import { count } from "../format";
import { foundBy, isLocal } from "../local/reply";
import { copyText } from "./menu";
import { isElsewhere, linkList, noteAt } from "./open";
import { grouped, sorted, steady, type SortOrder } from "./ranking";
import { ResultsView } from "./resultsView";
import { isAtLeast } from "./scores";
import { renderStart, saveSearch } from "./searchStart";
import { WeakMatches } from "./weakMatches";
import { isFirstState, SetupCard } from "./setup";
import { ICON } from "./icon";
import { t, tn } from "../texts";

export const SEARCH_VIEW = "notewell-search";
export const placeholder = (): string => t("Search by meaning and words…");

const BEGUN = 4; // letters; longer queries that follow none were pasted
const LOW_CONFIDENCE = 0.2; // below this confidence the best match is probably not relevant
const orders = (): Readonly<Record<SortOrder, string>> => ({
  relevance: t("Relevance"),
  modified: t("Modified time, new to old"),
  name: t("Name, a to z"),
});

export class SearchView extends ResultsView<string> {
  override icon = ICON;
  #query = "";
  #sort: SortOrder = "relevance";
  #field!: SearchComponent;
  #contextEl!: HTMLElement;
  #expandAllEl!: HTMLElement;
  #allEl!: HTMLElement;
  #startEl!: HTMLElement;
  #weak!: WeakMatches;
  #isTyped = false; // letter by letter, and not pasted
  #least = ""; // the least match that is shown
  #isAll = false; // whether all vaults are searched
  #setup: SetupCard | null = null;

  override getViewType(): string {
    return SEARCH_VIEW;
  }

  override getDisplayText(): string {
    return t("Notewell search");
  }

  override getState(): Record<string, unknown> {
    const own = { query: this.#query, sort: this.#sort, folders: this.list.byFolder, more: this.list.moreContext };
    return { ...super.getState(), ...own };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const saved = (state ?? {}) as { query?: unknown; sort?: unknown; folders?: unknown; more?: unknown };
    this.#sort = String(saved.sort) in orders() ? (saved.sort as SortOrder) : "relevance";
    this.list.byFolder = saved.folders === true;
    this.list.moreContext = saved.more === true;
    setActive(this.#contextEl, this.list.moreContext);
    if (typeof saved.query === "string") this.search(saved.query);
  }

  protected override async onOpen(): Promise<void> {
    this.#drawToolbar();
    this.#drawField();
    this.build();
    this.#weak = new WeakMatches(this.bodyEl, () => {
      if (this.reply) this.show(this.reply, true);
    });
    this.#setup = new SetupCard(this.bodyEl, this.context);
    this.registerInterval(this.#setup.watch());
    this.#startEl = this.bodyEl.createDiv();
    this.#update();
  }

  /** Before the helper is set up, a card says so while the field is empty. */
  protected override showMessage(): void {
    const { connection, settings } = this.context;
    this.#allEl.toggle(hasOthers(this.context));
    const isFirst = isFirstState(connection.state);
    this.#setup?.show(isFirst && settings.chosen.offersHelper && !this.#query.trim());
    super.showMessage(isFirst);
  }

  /** Puts `query` into the field and searches. */
  search(query: string): void {
    this.#field.setValue(query);
    this.#query = query;
    this.#update();
  }

  override focusTop(): void {
    this.#field.inputEl.focus();
    this.#field.inputEl.select();
  }

  override onChosen(): void {
    this.context.settings.remember(this.#query);
  }

  protected override request(client: Client, q: string, typing: boolean): Promise<SearchReply> {
    const limit = this.context.settings.chosen.resultLimit;
    return searchChosen(this.context, client, q, { limit, mode: "hybrid", typing, weak: true });
  }

  protected override answer(query: string, isTyping: boolean): Promise<SearchReply> | null {
    const { local, settings, connection } = this.context;
    if (isTyping && connection.session && /\s\w$/.test(query)) return null; // one letter begins too many words
    return local.search(query, { limit: settings.chosen.resultLimit, isTyping, isWidened: !connection.session });
  }

  protected override refresh(): void {
    if (this.#query.trim()) this.live.again(this.#query);
  }

  protected override settingsChanged(): void {
    const { leastMatch, allVaults } = this.context.settings.chosen;
    const isOther = leastMatch !== this.#least;
    const isElse = allVaults !== this.#isAll;
    this.#least = leastMatch;
    this.#isAll = allVaults;
    setActive(this.#allEl, allVaults);
    if (isElse) this.#update();
    else if (isOther && this.reply && !this.live.isPending) this.show(this.reply, true);
    else if (this.#query.trim()) this.list.redraw();
    else this.#drawStart();
  }

  protected override emptyMessage(): Explanation | null {
    return this.reply?.results.length === 0 ? nothingFound(this.#query, isLocal(this.reply)) : null;
  }

  #drawToolbar(): void {
    const buttons = toolbar(this.contentEl);
    this.#contextEl = toggle(buttons, "move-vertical", t("Show more context"), (more) => {
      this.list.moreContext = more;
      this.list.redraw();
      this.saveLayout();
    });
    this.#expandAllEl = this.expandAllToggle(buttons);
    const { settings } = this.context;
    this.#allEl = toggle(buttons, "vault", t("Search all vaults of the server"), (all) => settings.set("allVaults", all));
    this.#isAll = settings.chosen.allVaults;
    setActive(this.#allEl, this.#isAll);
    button(buttons, "arrow-up-narrow-wide", t("Change sort order"), (event) => this.#chooseOrder(event));
    button(buttons, "copy", t("Copy results as links"), () => this.#copyLinks());
    button(buttons, "star", t("Save this search"), () => saveSearch(this.context, this.#query.trim()));
  }

  #drawField(): void {
    this.#field = new SearchComponent(this.contentEl.createDiv("search-row"))
      .setPlaceholder(placeholder())
      .onChange((query) => {
        this.#query = query;
        this.#update(true);
        this.saveLayout();
      });
    const { inputEl } = this.#field;
    inputEl.setAttrs({ "aria-label": t("Search notes"), enterkeyhint: "search", maxlength: 4096 });
    inputEl.addEventListener("keydown", (event) => this.#key(event));
    new QuerySuggest(this.app, inputEl, (query) => this.search(query));
  }

  #key(event: KeyboardEvent): void {
    handleKey(event, {
      Enter: () => {
        this.onChosen();
        if (this.#query.trim()) this.live.again(this.#query, false);
      },
      ArrowDown: () => this.list.focusFirst(),
      Escape: () => this.focusEditor(),
    });
  }

  #chooseOrder(event: MouseEvent): void {
    const menu = new Menu();
    const add = (title: string, isChosen: boolean, choose: () => unknown): void => {
      const chosen = (): void => {
        choose();
        this.list.replace(this.#arranged(this.reply));
        this.saveLayout();
      };
      menu.addItem((item) => item.setTitle(title).setChecked(isChosen).onClick(chosen));
    };
    for (const [order, title] of Object.entries(orders()) as [SortOrder, string][]) {
      add(title, order === this.#sort, () => (this.#sort = order));
    }
    menu.addSeparator();
    add(t("Group by folder"), this.list.byFolder, () => (this.list.byFolder = !this.list.byFolder));
    menu.showAtMouseEvent(event);
  }

  /** The results that are shown, in the order that was chosen. */
  #arranged(reply: SearchReply | null): readonly Result[] {
    const results = sorted(reply ? this.#shownOf(reply) : [], this.#sort);
    this.list.byMatch = this.#sort === "relevance";
    return this.list.byFolder ? grouped(results, this.#sort) : results;
  }

  /** Searches for the query in the field; where it is empty, shows saved and recent searches. */
  #update(isTyping = false): void {
    const isEmpty = (isTyping ? /^\w?$/ : /^$/).test(this.#query.trim()); // as above
    this.list.el.toggle(!isEmpty);
    this.#startEl.empty();
    if (isEmpty) this.#drawStart();
    else if (isTyping) this.live.type(this.#query);
    else this.live.now(this.#query);
  }

  #drawStart(): void {
    this.live.cancel();
    this.reply = null;
    this.failure = null;
    this.list.replace([]);
    this.#weak.draw(null, "weak");
    this.infoEl.empty();
    this.#startEl.empty();
    renderStart(this.#startEl, this.context, (query) => {
      this.search(query);
      this.#field.inputEl.focus();
    });
    this.showMessage();
  }

  protected override show(reply: SearchReply, isFinal: boolean): void {
    const before = this.reply?.query ?? "";
    const isSameQuery = before === reply.query;
    this.reply = reply;
    if (!isSameQuery) this.#weak.fold();
    if (!isSameQuery) this.#isTyped = before ? reply.query.startsWith(before) : reply.query.length <= BEGUN;
    const isSteady = this.#isTyped && this.live.isTyping && this.#sort === "relevance";
    const results = steady(this.#arranged(reply), isSteady ? this.list.shown[0] : undefined, reply.query);
    if (isSameQuery && this.#sort === "relevance") {
      this.list.merge(results);
    } else {
      setActive(this.#expandAllEl, false); // a new list starts collapsed
      this.list.replace(results);
    }
    this.#drawInfo(reply, isFinal);
    this.#weak.draw(reply, this.context.settings.chosen.leastMatch);
  }

  /** The results that match; weak ones as well once they are unfolded. */
  #shownOf({ results }: SearchReply): readonly Result[] {
    const { leastMatch } = this.context.settings.chosen;
    return this.#weak.isOpen ? results : results.filter((result) => isAtLeast(result, leastMatch));
  }

  #drawInfo(reply: SearchReply, isFinal: boolean): void {
    const { length } = this.#shownOf(reply);
    this.infoEl.empty();
    // That there is none is said below.
    if (length > 0) this.infoEl.createSpan({ cls: "search-results-result-count", text: countText(reply, length) + (isFinal ? "" : "…") });
    if (reply.corrected) this.infoEl.createDiv({ text: t("Results for {query}", { query: `“${reply.corrected.text}”` }) });
    if (isLocal(reply)) {
      const parts = [foundBy(reply), this.readingText].filter(Boolean);
      this.infoEl.createSpan({ cls: "notewell-words-only", text: (length > 0 ? " · " : "") + parts.join(", ") });
    }
    const { problem } = this.context.local.reader;
    const unclear = isFinal && isUnclear(reply, length) ? [t("None of these is a clear match.")] : [];
    const told = this.context.connection.lastStatus?.semantic_reason; // by the message above the results
    const news = reply.warnings.filter((warning) => !told || !warning.includes(told));
    for (const text of [...unclear, ...news, isLocal(reply) ? problem : ""]) if (text) this.infoEl.createDiv({ text });
  }

  async #copyLinks(): Promise<void> {
    const existing = this.list.shown.filter((result) => isElsewhere(result) || noteAt(this.app, result.path));
    const links = linkList(this.app, existing.map(({ path, uri }) => ({ path, uri, passage: null })));
    await copyText(links, tn(existing.length, "{n} link copied.", "{n} links copied."));
  }
}

/** Whether none of the notes that are shown is a clear match. */
function isUnclear({ confidence }: SearchReply, shown: number): boolean {
  return shown > 0 && confidence !== null && confidence < LOW_CONFIDENCE;
}

/** How many notes are shown, and of how many; weak ones that are folded do not count. */
function countText({ total, results }: SearchReply, shown: number): string {
  const all = total - (results.length - shown);
  return shown < all ? t("{results} of {all}", { results: shown, all: count(all, "note") }) : count(shown, "note");
}
