/** A search in a dialog, all by keyboard: find, open, link, or make the note that is missing. */

import { Notice, Platform, SuggestModal, type Modifier, type TFile } from "obsidian";
import { asServerError } from "../client";
import type { Passage, Result } from "../contract";
import { rest } from "../timer";
import type { Desk } from "./desk";
import { explain } from "./explain";
import { breadcrumb, folderOf, scoreText } from "./format";
import { pieces, renderPieces } from "./highlight";
import { insertLink, openBehind, openPlace, paneFor, type Place } from "./open";

interface Hit {
  readonly result: Result;
  readonly passage: Passage;
}

const RESTED_MS = 150;
const SNIPPET_CHARS = 200;

export class QuickSearch extends SuggestModal<Hit> {
  readonly #desk: Desk;
  #question = 0;
  #shown: Hit[] = [];
  #withExcerpts = true;
  #inNote: string | null = null;
  #recent = -1;

  constructor(desk: Desk, query: string) {
    super(desk.app);
    this.#desk = desk;
    this.setPlaceholder("Search by meaning and words…");
    this.modalEl.addClass("recollect-quick");
    this.emptyStateText = "Type to search.";
    this.inputEl.value = query;
    this.#registerKeys();
    const mod = Platform.isMacOS ? "⌘" : "ctrl";
    this.setInstructions([
      { command: "↵", purpose: "open" },
      { command: `${mod} ↵`, purpose: "in a tab" },
      { command: `${mod} alt ↵`, purpose: "to the right" },
      { command: `${mod} o`, purpose: "behind" },
      { command: "alt ↵", purpose: "insert link" },
      { command: "shift ↵", purpose: "create note" },
      { command: "tab", purpose: "within the note" },
      { command: `${mod} g`, purpose: "excerpts" },
      { command: "alt ↑↓", purpose: "history" },
    ]);
  }

  override async getSuggestions(query: string): Promise<Hit[]> {
    const question = ++this.#question;
    const { connection } = this.#desk;
    const unable = explain(connection.state, 0);
    this.emptyStateText = unable ? `${unable.title}. ${unable.text}` : "Type to search.";
    if (!query.trim() || !connection.session) return (this.#shown = []);
    await rest(RESTED_MS);
    if (question !== this.#question) return this.#shown; // a newer question is on its way
    try {
      const hits = await this.#ask(query);
      if (question === this.#question) this.#shown = hits;
      this.emptyStateText = "No notes found.";
    } catch (error) {
      connection.report(error);
      this.emptyStateText = asServerError(error).message;
      this.#shown = [];
    }
    return this.#shown;
  }

  override renderSuggestion({ result, passage }: Hit, el: HTMLElement): void {
    el.addClass("mod-complex");
    const content = el.createDiv("suggestion-content");
    content.createDiv({ cls: "suggestion-title", text: result.title });
    const trail = [folderOf(result.path), breadcrumb(passage)].filter(Boolean).join(" · ");
    if (trail) content.createDiv({ cls: "suggestion-note", text: trail });
    if (this.#withExcerpts) {
      const snippet = content.createDiv({ cls: "suggestion-note recollect-snippet" });
      renderPieces(snippet, pieces(passage.snippet, passage.highlights, SNIPPET_CHARS));
    }
    if (this.#desk.settings.vault.score === "off") return;
    const aux = el.createDiv("suggestion-aux");
    aux.createSpan({ cls: "suggestion-flair", text: scoreText(passage.score) });
  }

  override onChooseSuggestion(hit: Hit, event: MouseEvent | KeyboardEvent): void {
    this.#remember();
    if (event.altKey && !event.ctrlKey && !event.metaKey) {
      insertLink(this.app, placeOf(hit));
      return;
    }
    const pane = paneFor(event, this.#desk.settings.vault.openInNewTab);
    void openPlace(this.app, placeOf(hit), pane);
  }

  async #ask(query: string): Promise<Hit[]> {
    const { connection, settings } = this.#desk;
    if (!connection.session) return [];
    const { client } = connection.session;
    if (this.#inNote === null) {
      const { results } = await client.search(query, { limit: settings.vault.resultLimit });
      return results.map((result) => ({ result, passage: result }));
    }
    const inNote = `${query} path:"${this.#inNote}"`;
    const { results } = await client.search(inNote, { limit: 5 }); // `path:` finds parts of paths
    const result = results.find(({ path }) => path === this.#inNote);
    return result ? [result, ...result.passages].map((passage) => ({ result, passage })) : [];
  }

  #registerKeys(): void {
    const on = (modifiers: Modifier[], key: string, action: (event: KeyboardEvent) => void): void => {
      this.scope.register(modifiers, key, (event) => {
        if (!event.isComposing) action(event);
        return false;
      });
    };
    for (const modifiers of [["Mod"], ["Mod", "Alt"], ["Alt"], ["Mod", "Alt", "Shift"]] as const) {
      on([...modifiers], "Enter", (event) => this.selectActiveSuggestion(event));
    }
    for (const key of ["j", "n"]) on(["Ctrl"], key, () => this.#press("ArrowDown"));
    for (const key of ["k", "p"]) on(["Ctrl"], key, () => this.#press("ArrowUp"));
    on(["Shift"], "Enter", () => void this.#create());
    on(["Mod"], "o", () => void this.#openBehind());
    on(["Mod"], "g", () => {
      this.#withExcerpts = !this.#withExcerpts;
      this.#again();
    });
    on([], "Tab", () => {
      this.#inNote = this.#inNote === null ? (this.#active()?.result.path ?? null) : null;
      this.#again();
    });
    on(["Alt"], "ArrowUp", () => this.#recall(1));
    on(["Alt"], "ArrowDown", () => this.#recall(-1));
  }

  /** Moves the selection as the arrow key does, which is the only public way to move it. */
  #press(key: string): void {
    this.inputEl.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }

  /** Asks once more for what is in the field. */
  #again(): void {
    this.inputEl.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #active(): Hit | undefined {
    const rows = [...this.resultContainerEl.querySelectorAll(".suggestion-item")];
    return this.#shown[rows.findIndex((row) => row.hasClass("is-selected"))];
  }

  async #openBehind(): Promise<void> {
    const hit = this.#active();
    if (hit) await openBehind(this.app, placeOf(hit));
  }

  #recall(step: 1 | -1): void {
    const { history } = this.#desk.settings.device;
    this.#recent = Math.min(history.length - 1, Math.max(-1, this.#recent + step));
    this.inputEl.value = history[this.#recent] ?? "";
    this.#again();
  }

  #remember(): void {
    const query = this.inputEl.value.trim();
    if (query) this.#desk.settings.remember(query);
  }

  async #create(): Promise<void> {
    const query = this.inputEl.value.trim();
    if (!query) return;
    this.close();
    const file = await createNote(this.#desk, query);
    if (file) await this.app.workspace.getLeaf(false).openFile(file);
  }
}

/** Makes a note named after the query, or finds the one that has the name. */
async function createNote({ app }: Desk, query: string): Promise<TFile | null> {
  const name = query
    .replace(/[\\/:*?"<>|#^[\]]/g, " ")
    .replace(/\s+/g, " ")
    .replace(/^[.\s]+|[.\s]+$/g, "")
    .slice(0, 120);
  if (!name) {
    new Notice("This query gives no name for a note.");
    return null;
  }
  const from = app.workspace.getActiveFile()?.path ?? "";
  const folder = app.fileManager.getNewFileParent(from, `${name}.md`);
  const path = folder.isRoot() ? `${name}.md` : `${folder.path}/${name}.md`;
  return app.vault.getFileByPath(path) ?? app.vault.create(path, "");
}

function placeOf({ result, passage }: Hit): Place {
  return { path: result.path, passage };
}
