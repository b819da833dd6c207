/** A search in a dialog, all by keyboard: find, open, link, or make the note that is missing. */

import { normalizePath, Notice, Platform, SuggestModal, type Modifier, type TFile } from "obsidian";
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
    const keys = [
      ["↵", "open"],
      [`${mod} ↵`, "in a tab"],
      [`${mod} alt ↵`, "to the right"],
      [`${mod} o`, "behind"],
      ["alt ↵", "insert link"],
      ["shift ↵", "create note"],
      ["tab", "within the note"],
      [`${mod} g`, "excerpts"],
      ["alt ↑↓", "history"],
    ] as const;
    this.setInstructions(keys.map(([command, purpose]) => ({ command, purpose })));
  }

  override async getSuggestions(query: string): Promise<Hit[]> {
    const question = ++this.#question;
    const { connection } = this.#desk;
    const unable = explain(connection.state, 0);
    await rest(RESTED_MS);
    let hits: Hit[] = [];
    let empty = unable ? `${unable.title}. ${unable.text}` : "No notes found.";
    try {
      if (question === this.#question && query.trim()) hits = await this.#ask(query);
    } catch (error) {
      connection.report(error);
      empty = asServerError(error).message;
    }
    if (question !== this.#question) return this.#shown; // a newer question is on its way
    this.emptyStateText = query.trim() ? empty : "Type to search.";
    return (this.#shown = hits);
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
    const moves = { j: "ArrowDown", n: "ArrowDown", k: "ArrowUp", p: "ArrowUp" };
    for (const [key, arrow] of Object.entries(moves)) on(["Ctrl"], key, () => this.#press(arrow));
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
  const name = query.replace(/[\\/:*?"<>|#^[\]\s]+/g, " ").replace(/^[. ]+|[. ]+$/g, "").slice(0, 120);
  if (!name) {
    new Notice("This query gives no name for a note.");
    return null;
  }
  const from = app.workspace.getActiveFile()?.path ?? "";
  const folder = app.fileManager.getNewFileParent(from, `${name}.md`);
  const path = normalizePath(`${folder.path}/${name}.md`);
  return app.vault.getFileByPath(path) ?? app.vault.create(path, "");
}

function placeOf({ result, passage }: Hit): Place {
  return { path: result.path, passage };
}
