/** Suggestions at the cursor of an editor. Of all suggesters the first that takes the text has it, as in the app. */

import type {
  App,
  Editor,
  EditorPosition,
  EditorSuggest as AppEditorSuggest,
  EditorSuggestContext,
  EditorSuggestTriggerInfo,
  Instruction,
  TFile,
} from "obsidian";
import { Chooser } from "./chooser";
import { keymap, Scope } from "./keymap";
import type { Part } from "./part";

type Suggest<T> = Part<
  AppEditorSuggest<T>,
  "app" | "context" | "limit" | "scope" | "setInstructions" | "onTrigger" | "getSuggestions" | "renderSuggestion" | "selectSuggestion" | "open" | "close"
>;

export abstract class EditorSuggest<T> implements Suggest<T> {
  context: EditorSuggestContext | null = null;
  limit = 100;
  readonly scope = new Scope();
  readonly #el = createDiv("suggestion-container");
  readonly #chooser: Chooser<T>;

  abstract onTrigger(cursor: EditorPosition, editor: Editor, file: TFile | null): EditorSuggestTriggerInfo | null;
  abstract getSuggestions(context: EditorSuggestContext): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;

  constructor(readonly app: App) {
    this.#chooser = new Chooser<T>(this.#el.createDiv("suggestion"), this.scope, {
      draw: (value, el) => this.renderSuggestion(value, el),
      choose: (value, event) => this.selectSuggestion(value, event),
    });
    this.scope.register([], "Escape", () => (this.close(), false));
    this.#el.addEventListener("mousedown", (event) => event.preventDefault());
  }

  setInstructions(instructions: Instruction[]): void {
    const el = this.#el.createDiv("prompt-instructions");
    for (const { command, purpose } of instructions) el.createDiv({ cls: "prompt-instruction", text: `${command} ${purpose}` });
  }

  /** Whether the text at the cursor is this suggester's. */
  trigger(editor: Editor, file: TFile | null, at: DOMRect): boolean {
    const found = this.onTrigger(editor.getCursor(), editor, file);
    if (!found || !file) {
      this.close();
      return false;
    }
    const context = (this.context = { ...found, editor, file });
    void Promise.resolve(this.getSuggestions(context)).then((values) => {
      if (this.context === context) this.#show(values.slice(0, this.limit), at);
    });
    return true;
  }

  open(): void {
    if (this.#el.isConnected) return;
    document.body.append(this.#el);
    keymap.pushScope(this.scope);
  }

  close(): void {
    this.context = null;
    if (!this.#el.isConnected) return;
    this.#el.remove();
    keymap.popScope(this.scope);
  }

  #show(values: T[], { left, bottom }: DOMRect): void {
    if (values.length === 0) {
      this.close();
      return;
    }
    this.#el.setCssStyles({ left: `${left}px`, top: `${bottom}px` });
    this.open();
    this.#chooser.show(values);
  }
}

/** The app's own suggester of links: notes by name, after `[[`. */
class LinksByName extends EditorSuggest<TFile> {
  onTrigger(cursor: EditorPosition, editor: Editor): EditorSuggestTriggerInfo | null {
    const before = editor.getLine(cursor.line).slice(0, cursor.ch);
    const at = before.lastIndexOf("[[");
    const query = before.slice(at + 2);
    return at < 0 || query.includes("]]") ? null : { start: { line: cursor.line, ch: at + 2 }, end: cursor, query };
  }

  getSuggestions({ query }: EditorSuggestContext): TFile[] {
    const typed = query.toLowerCase();
    return this.app.vault.getMarkdownFiles().filter(({ basename }) => basename.toLowerCase().includes(typed));
  }

  renderSuggestion({ basename }: TFile, el: HTMLElement): void {
    el.createDiv({ cls: "suggestion-title mod-by-name", text: basename });
  }

  selectSuggestion({ basename }: TFile): void {
    const { editor, start, end } = this.context ?? {};
    if (editor && start && end) editor.replaceRange(`${basename}]]`, start, end);
    this.close();
  }
}

export class EditorSuggests {
  readonly suggests: EditorSuggest<unknown>[];

  constructor(app: App) {
    this.suggests = [new LinksByName(app) as EditorSuggest<unknown>];
  }

  /** Something was typed. */
  update(editor: Editor, file: TFile | null, at: DOMRect): void {
    const taken = this.suggests.findIndex((one) => one.trigger(editor, file, at));
    for (const other of this.suggests.slice(taken + 1)) if (taken >= 0) other.close();
  }
}
