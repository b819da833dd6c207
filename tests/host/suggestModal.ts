/** Dialogs in which one of several suggestions is chosen. */

import type {
  FuzzyMatch,
  FuzzySuggestModal as AppFuzzySuggestModal,
  Instruction,
  SuggestModal as AppSuggestModal,
} from "obsidian";
import { Chooser } from "./chooser";
import { Modal } from "./modal";
import { prepareFuzzySearch } from "./mocks";

export abstract class SuggestModal<T> extends Modal implements AppSuggestModal<T> {
  limit = 100;
  emptyStateText = "No results found.";
  readonly inputEl: HTMLInputElement;
  readonly resultContainerEl: HTMLElement;
  readonly #chooser: Chooser<T>;
  #question = 0;

  abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract onChooseSuggestion(item: T, event: MouseEvent | KeyboardEvent): void;

  constructor(...[app]: ConstructorParameters<typeof Modal>) {
    super(app);
    this.modalEl.empty();
    this.modalEl.className = "prompt";
    this.inputEl = this.modalEl
      .createDiv("prompt-input-container")
      .createEl("input", { cls: "prompt-input", type: "text" });
    this.resultContainerEl = this.modalEl.createDiv("prompt-results");
    this.#chooser = new Chooser<T>(this.resultContainerEl, this.scope, {
      draw: (value, el) => this.renderSuggestion(value, el),
      choose: (value, event) => this.selectSuggestion(value, event),
    });
    this.inputEl.addEventListener("input", () => this.#update());
  }

  override open(): void {
    super.open();
    this.inputEl.focus();
    this.#update();
  }

  setPlaceholder(placeholder: string): void {
    this.inputEl.placeholder = placeholder;
  }

  setInstructions(instructions: Instruction[]): void {
    const el = this.modalEl.createDiv("prompt-instructions");
    for (const { command, purpose } of instructions) {
      const one = el.createDiv("prompt-instruction");
      one.createSpan({ cls: "prompt-instruction-command", text: command });
      one.createSpan({ text: purpose });
    }
  }

  onNoSuggestion(): void {
    this.resultContainerEl.createDiv({ cls: "suggestion-empty", text: this.emptyStateText });
  }

  selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
    this.close();
    this.onChooseSuggestion(value, event);
  }

  selectActiveSuggestion(event: MouseEvent | KeyboardEvent): void {
    this.#chooser.chooseActive(event);
  }

  /** What is given at once is shown at once. */
  #update(): void {
    const question = ++this.#question;
    const found = this.getSuggestions(this.inputEl.value);
    if (Array.isArray(found)) this.#show(found);
    else void found.then((values) => question === this.#question && this.#show(values));
  }

  #show(values: T[]): void {
    this.#chooser.show(values.slice(0, this.limit));
    if (values.length === 0) this.onNoSuggestion();
  }
}

export abstract class FuzzySuggestModal<T>
  extends SuggestModal<FuzzyMatch<T>>
  implements AppFuzzySuggestModal<T>
{
  abstract getItems(): T[];
  abstract getItemText(item: T): string;
  abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;

  getSuggestions(query: string): FuzzyMatch<T>[] {
    const search = prepareFuzzySearch(query);
    return this.getItems().flatMap((item) => {
      const match = query ? search(this.getItemText(item)) : { score: 0, matches: [] };
      return match ? [{ item, match }] : [];
    });
  }

  renderSuggestion({ item }: FuzzyMatch<T>, el: HTMLElement): void {
    el.setText(this.getItemText(item));
  }

  onChooseSuggestion({ item }: FuzzyMatch<T>, event: MouseEvent | KeyboardEvent): void {
    this.onChooseItem(item, event);
  }
}
