/** Search in a dialog, by keyboard: opens or links a result, or creates the note. */

import { Platform, SuggestModal, type Modifier } from "obsidian";
import { hasOthers, searchChosen } from "../allVaults";
import { asServerError, type Client } from "../client";
import type { Passage, Result, SearchReply } from "../contract";
import { delay } from "../support";
import type { ViewContext } from "./viewContext";
import { belonging, lately } from "./belonging";
import { createNote } from "./createNote";
import { explain } from "./explain";
import { breadcrumb, fileText, folderWithin } from "../format";
import { matchText, scoreText } from "./scores";
import { renderSnippet } from "./highlight";
import { asksForLink, insertLinks, isElsewhere, openPlace, paneFor, type Place } from "./open";
import { keyText } from "./keyText";
import { placeholder } from "./searchView";
import { inOneLine } from "./statusText";
import { t } from "../texts";

interface Hit extends Place {
  readonly uri: string;
  readonly result: Result;
  readonly passage: Passage;
  /** Why it is listed before a letter is typed. */
  readonly cause: string;
}

type KeyEvent = MouseEvent | KeyboardEvent;
/** A key and its action; keys that have a `hint` are listed below the results. */
type Key = readonly [modifiers: Modifier[], key: string, act: (event: KeyEvent) => unknown, hint?: string];

const emptyHint = (): string => t("Type to search.");
const WORDS_AFTER_MS = 40;
const TYPING_PAUSE_MS = 150;
const RESTED_AFTER_MS = 500; // after a reply whose meaning is approximate, as it is while somebody types
const NAMES_ON_TOP = 3;
const SNIPPET_CHARS = 200;

export class QuickSearch extends SuggestModal<Hit> {
  readonly #context: ViewContext;
  #requestNumber = 0;
  #shown: Hit[] = [];
  #ready: Hit[] | null = null; // a better list, which the next look at the field shows
  #withExcerpts = true;
  #inNote: string | null = null;
  #isApproximate = false;
  #historyIndex = -1;

  constructor(context: ViewContext, query: string) {
    super(context.app);
    this.#context = context;
    this.#sayWhere();
    this.modalEl.addClass("notewell-quick");
    this.emptyStateText = emptyHint();
    this.inputEl.value = query;
    const keys = this.#keys();
    for (const [modifiers, key, act] of keys) {
      this.scope.register(modifiers, key, (event) => {
        if (!event.isComposing) act(event);
        return false;
      });
    }
    if (Platform.isMobile) return; // phones have no such keys, and little room
    const hints = keys.filter(([, , , hint]) => hint);
    this.setInstructions(
      hints.map(([modifiers, key, , purpose = ""]) => ({ command: keyText([...modifiers, key]), purpose })),
    );
  }

  /** Names that begin like the query, with no wait; what is found by words and by meaning follows. */
  override getSuggestions(query: string): Hit[] {
    const ready = this.#ready;
    this.#ready = null;
    if (ready) return (this.#shown = ready);
    const number = ++this.#requestNumber;
    this.emptyStateText = query.trim() ? t("Searching…") : emptyHint();
    const isCurrent = (): boolean => number === this.#requestNumber;
    if (query.trim()) void this.#follow(query, isCurrent);
    else if (this.#inNote === null) void this.#fill(isCurrent);
    return (this.#shown = this.#inNote !== null ? [] : query.trim() ? this.#named(query) : hitsOf(lately(this.#context), t("Lately")));
  }

  /** Puts what belongs to the paragraph above what was opened lately. */
  async #fill(isCurrent: () => boolean): Promise<void> {
    const near = hitsOf(await belonging(this.#context), t("For this paragraph"));
    const others = this.#shown.filter(({ path }) => near.every((hit) => hit.path !== path));
    if (isCurrent()) this.#update("", [...near, ...others]);
  }

  override onClose(): void {
    this.#requestNumber += 1;
  }

  override renderSuggestion(hit: Hit, el: HTMLElement): void {
    const { result, passage } = hit;
    el.addClass("mod-complex");
    const content = el.createDiv("suggestion-content");
    const { title } = result;
    content.createDiv({ cls: "suggestion-title", text: title });
    const trail = [result.vault, folderWithin(result), fileText(result), breadcrumb(passage, title)].filter(Boolean).join(" · ");
    if (trail) content.createDiv({ cls: "suggestion-note", text: trail });
    if (this.#withExcerpts) {
      const excerpt = content.createDiv("suggestion-note notewell-snippet");
      renderSnippet(excerpt, passage.snippet, passage.highlights, SNIPPET_CHARS);
    }
    const before = this.#shown[this.#shown.indexOf(hit) - 1];
    const text = hit.cause ? (before?.cause === hit.cause ? "" : hit.cause) : this.#scoreOf(hit, before);
    if (text) el.createDiv("suggestion-aux").createSpan({ cls: "suggestion-flair", text });
  }

  #scoreOf({ result, passage }: Hit, before: Hit | undefined): string {
    const { score } = this.#context.settings.chosen;
    if (score !== "match") return score === "off" ? "" : scoreText(passage.score);
    return before?.result.match === result.match ? "" : matchText(result); // said once for those that match alike
  }

  override onChooseSuggestion(hit: Hit, event: KeyEvent): void {
    const { settings } = this.#context;
    settings.remember(this.inputEl.value);
    const { path, uri, passage } = hit;
    const place: Place = { path, uri, passage: passage.snippet ? passage : null }; // a name has no passage
    if (asksForLink(event)) insertLinks(this.app, [place]);
    else void openPlace(this.app, place, paneFor(event, settings.chosen.openInNewTab));
  }

  /** The notes with such a name. */
  #named(query: string): Hit[] {
    return hitsOf(this.#context.local.byName(query, this.#limit));
  }

  get #limit(): number {
    return this.#context.settings.chosen.resultLimit;
  }

  /** Adds what is found by words, and then, from the server, by meaning. */
  async #follow(query: string, isCurrent: () => boolean): Promise<void> {
    const { connection, local } = this.#context;
    await delay(WORDS_AFTER_MS);
    if (!isCurrent()) return;
    const byWords = await this.#search(query, (q, limit) => local.search(q, { limit, isTyping: true }));
    if (!isCurrent()) return;
    const { session } = connection;
    if (!session) this.emptyStateText = `${t("No notes found by words.")} ${inOneLine(explain(connection.state, 0))}`;
    this.#update(query, byWords);
    if (!session) return;
    await delay(TYPING_PAUSE_MS - WORDS_AFTER_MS);
    try {
      const found = isCurrent() && (await this.#search(query, (q, limit) => this.#ranked(session.client, q, limit)));
      this.emptyStateText = t("No notes found.");
      if (found && isCurrent()) this.#update(query, found);
      if (this.#isApproximate) await this.#rest(session.client, query, isCurrent);
    } catch (error) {
      connection.report(error);
      this.emptyStateText = asServerError(error).message;
      if (isCurrent()) this.#update(query, byWords);
    }
  }

  /** Once typing rests, the model's answer replaces that of its table. */
  async #rest(client: Client, query: string, isCurrent: () => boolean): Promise<void> {
    await delay(RESTED_AFTER_MS);
    const found = isCurrent() && (await this.#search(query, (q, limit) => this.#ranked(client, q, limit, false)));
    if (found && isCurrent()) this.#update(query, found);
  }

  /** The server's answer; within a note, this vault's alone. */
  async #ranked(client: Client, q: string, limit: number, typing = true): Promise<SearchReply> {
    const options = { limit, ...(typing && { typing }) };
    const reply = await (this.#inNote === null ? searchChosen(this.#context, client, q, options) : client.search(q, options));
    this.#isApproximate = reply.approximate;
    return reply;
  }

  async #search(query: string, search: (query: string, limit: number) => Promise<SearchReply>): Promise<Hit[]> {
    if (this.#inNote === null) {
      const { results } = await search(query, this.#limit);
      return hitsOf(results);
    }
    const { results } = await search(`${query} path:"${this.#inNote}"`, 5); // `path:` finds parts of paths
    const result = results.find(({ path }) => path === this.#inNote);
    return result ? [result, ...result.passages].map((passage) => hitOf(result, passage, "")) : [];
  }

  /**
   * Shows a better list. Notes that are named like the query stay on top, and rows down to one that was
   * chosen by the arrow keys or the pointer stay where they are.
   */
  #update(query: string, found: readonly Hit[]): void {
    const chosen = this.#selected;
    const kept = chosen > 0 ? this.#shown.slice(0, chosen + 1) : [];
    const named = this.#inNote === null ? this.#context.local.byName(query, NAMES_ON_TOP, true) : [];
    const top = [...kept, ...hitsOf(named)];
    const better = new Map(found.map((hit) => [keyOf(hit), hit]));
    const all = new Map([...top, ...found].map((hit) => [keyOf(hit), hit]));
    this.#ready = [...all].map(([key, hit]) => better.get(key) ?? hit).slice(0, this.#limit);
    this.#repeat();
    for (let step = 0; step < chosen; step += 1) this.#press("ArrowDown");
  }

  #keys(): readonly Key[] {
    const choose = (event: KeyEvent): void => this.selectActiveSuggestion(event);
    const down = (): unknown => this.#press("ArrowDown");
    const up = (): unknown => this.#press("ArrowUp");
    return [
      [[], "Enter", choose, t("open")],
      [["Mod"], "Enter", choose, t("in a tab")],
      [["Mod", "Alt"], "Enter", choose, t("to the right")],
      [["Mod", "Alt", "Shift"], "Enter", choose],
      [["Mod"], "o", () => this.#openInBackground(), t("in background")],
      [["Alt"], "Enter", choose, t("insert link")],
      [["Shift"], "Enter", () => this.#create(), t("create note")],
      [[], "Tab", () => this.#toggleInNote(), t("within the note")],
      [["Mod"], "g", () => this.#toggleExcerpts(), t("excerpts")],
      ...(hasOthers(this.#context) ? [[["Mod"], "e", () => this.#toggleAll(), t("all vaults")] satisfies Key] : []),
      [["Alt"], "ArrowUp", () => this.#recall(1), t("history")],
      [["Alt"], "ArrowDown", () => this.#recall(-1)],
      [["Ctrl"], "j", down],
      [["Ctrl"], "n", down],
      [["Ctrl"], "k", up],
      [["Ctrl"], "p", up],
    ];
  }

  /** Moves the selection as the arrow key does, which is the only public way to move it. */
  #press(key: string): void {
    this.inputEl.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }

  /** Searches again for the query in the field. */
  #repeat(): void {
    this.inputEl.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #active(): Hit | undefined {
    return this.#shown[this.#selected];
  }

  /** The selected row; -1 where there is none. */
  get #selected(): number {
    const rows = [...this.resultContainerEl.querySelectorAll(".suggestion-item")];
    return rows.findIndex((row) => row.hasClass("is-selected"));
  }

  #openInBackground(): void {
    const hit = this.#active();
    if (hit) void openPlace(this.app, hit, "tab", false);
  }

  #toggleInNote(): void {
    const active = this.#active();
    if (this.#inNote === null && active && isElsewhere(active)) return;
    this.#inNote = this.#inNote === null ? (active?.path ?? null) : null;
    this.#repeat();
  }

  /** Searches all vaults of the server, or this one again; the search panel does the same. */
  #toggleAll(): void {
    const { settings } = this.#context;
    void settings.set("allVaults", !settings.chosen.allVaults);
    this.#sayWhere();
    this.#repeat();
  }

  #sayWhere(): void {
    const isAll = this.#context.settings.chosen.allVaults && hasOthers(this.#context);
    this.setPlaceholder(isAll ? t("Search all vaults…") : placeholder());
  }

  #toggleExcerpts(): void {
    this.#withExcerpts = !this.#withExcerpts;
    this.#repeat();
  }

  #recall(step: 1 | -1): void {
    const { history } = this.#context.settings.chosen;
    this.#historyIndex = Math.min(history.length - 1, Math.max(-1, this.#historyIndex + step));
    this.inputEl.value = history[this.#historyIndex] ?? "";
    this.#repeat();
  }

  async #create(): Promise<void> {
    const query = this.inputEl.value.trim();
    if (!query) return;
    this.close();
    const file = await createNote(this.#context, query);
    if (file) await this.app.workspace.getLeaf(false).openFile(file);
  }
}

function hitOf(result: Result, passage: Passage, cause: string): Hit {
  return { path: result.path, uri: result.uri, result, passage, cause };
}

const hitsOf = (results: readonly Result[], cause = ""): Hit[] => results.map((result) => hitOf(result, result, cause));

/** A note in the list, or a passage of it where one note is searched. */
function keyOf({ path, result, passage }: Hit): string {
  return passage === result ? path : `${path}:${passage.line}`;
}
