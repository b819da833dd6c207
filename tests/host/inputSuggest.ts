/** Suggestions beneath a text field. */

import type { AbstractInputSuggest as AppInputSuggest, App } from "obsidian";
import { Chooser } from "./chooser";
import { keymap, Scope } from "./keymap";
import type { Part } from "./part";

type Suggest<T> = Part<
  AppInputSuggest<T>,
  "limit" | "app" | "setValue" | "getValue" | "selectSuggestion" | "onSelect" | "close" | "open"
>;

export abstract class AbstractInputSuggest<T> implements Suggest<T> {
  limit = 100;
  readonly scope = new Scope();
  readonly #el = createDiv("suggestion-container");
  readonly #chooser: Chooser<T>;
  #question = 0;
  #selected: (value: T, event: MouseEvent | KeyboardEvent) => unknown = () => undefined;

  protected abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;

  constructor(
    readonly app: App,
    protected readonly textInputEl: HTMLInputElement,
  ) {
    this.#chooser = new Chooser<T>(this.#el.createDiv("suggestion"), this.scope, {
      draw: (value, el) => this.renderSuggestion(value, el),
      choose: (value, event) => this.selectSuggestion(value, event),
    });
    this.scope.register([], "Escape", () => (this.close(), false));
    textInputEl.addEventListener("input", () => void this.#update());
    textInputEl.addEventListener("focus", () => void this.#update());
    textInputEl.addEventListener("blur", () => this.close());
    // The field keeps the focus while a suggestion is clicked.
    this.#el.addEventListener("mousedown", (event) => event.preventDefault());
  }

  getValue(): string {
    return this.textInputEl.value;
  }

  setValue(value: string): void {
    this.textInputEl.value = value;
  }

  onSelect(callback: (value: T, event: MouseEvent | KeyboardEvent) => unknown): this {
    this.#selected = callback;
    return this;
  }

  selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
    this.#selected(value, event);
  }

  open(): void {
    if (this.#el.isConnected) return;
    const { left, bottom, width } = this.textInputEl.getBoundingClientRect();
    this.#el.setCssStyles({ left: `${left}px`, top: `${bottom}px`, minWidth: `${width}px` });
    this.textInputEl.doc.body.append(this.#el);
    keymap.pushScope(this.scope);
  }

  close(): void {
    if (!this.#el.isConnected) return;
    this.#el.remove();
    keymap.popScope(this.scope);
  }

  async #update(): Promise<void> {
    const question = ++this.#question;
    const values = await this.getSuggestions(this.getValue());
    if (question !== this.#question) return;
    if (values.length === 0) {
      this.close();
      return;
    }
    this.open();
    this.#chooser.show(values.slice(0, this.limit));
  }
}
