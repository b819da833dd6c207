/** The field for a question, the choice of model, and what is sent where. */

import type { AskModelsReply } from "../../contract";
import { handleKey, STATUS, wordButton } from "../controls";
import { t } from "../../texts";

const LONGEST = 4_096;

export interface FormParts {
  readonly ask: (question: string) => void;
  readonly stop: () => void;
}

export class AskForm {
  readonly #el: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #models: HTMLSelectElement;
  readonly #sayEl: HTMLElement;
  readonly #ask: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #parts: FormParts;
  #isAllowed = false;

  constructor(parent: HTMLElement, parts: FormParts) {
    this.#parts = parts;
    this.#el = parent.createDiv("notewell-ask-form");
    this.#field = this.#el.createEl("textarea", { attr: { rows: 2, maxlength: LONGEST, "aria-label": t("Question"), enterkeyhint: "send" } });
    const row = this.#el.createDiv("notewell-buttons");
    this.#models = row.createEl("select", { cls: "dropdown", attr: { "aria-label": t("Model") } });
    this.#stop = wordButton(row, t("Stop"), parts.stop);
    this.#ask = wordButton(row, t("Ask"), () => this.#submit(), "mod-cta");
    this.#sayEl = this.#el.createDiv({ cls: "notewell-faint", attr: STATUS });
    this.#field.onkeydown = (event): void => {
      if (!event.shiftKey) handleKey(event, { Enter: () => this.#submit(), Escape: () => parts.stop() });
    };
    this.draw(false, false);
  }

  /** The model that was chosen; null for the one in the server's settings. */
  get model(): string | null {
    return this.#models.value || null;
  }

  focus(): void {
    this.#field.focus();
  }

  /** Whether a question can be asked: not before a model is set up. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed;
    this.#el.toggle(isAllowed);
  }

  say(text: string): void {
    this.#sayEl.setText(text);
  }

  showModels({ chosen, models }: Pick<AskModelsReply, "chosen" | "models">): void {
    const before = this.#models.value;
    const names = new Set([...(chosen ? [chosen] : []), ...models.map(({ name }) => name)]);
    this.#models.empty();
    for (const name of names) this.#models.createEl("option", { text: name, value: name === chosen ? "" : name });
    if (names.has(before)) this.#models.value = before;
    this.#models.toggle(names.size > 0);
  }

  draw(isBusy: boolean, isFollowUp: boolean): void {
    this.#el.toggle(this.#isAllowed);
    this.#stop.toggle(isBusy);
    this.#ask.disabled = isBusy;
    this.#field.placeholder = isFollowUp ? t("Ask a follow-up question") : t("Ask a question about your notes");
  }

  #submit(): void {
    const question = this.#field.value.trim();
    if (!question || this.#ask.disabled) return;
    this.#field.value = "";
    this.#parts.ask(question);
  }
}
