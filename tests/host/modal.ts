/** Dialogs, and the one that asks for a confirmation. */

import type {
  App,
  ConfirmationButton as AppConfirmationButton,
  ConfirmationModal as AppConfirmationModal,
  Modal as AppModal,
} from "obsidian";
import { ButtonComponent } from "./buttons";
import { keymap, Scope } from "./keymap";
import type { Part } from "./part";

export class Modal implements AppModal {
  readonly scope = new Scope();
  readonly containerEl = createDiv("modal-container");
  readonly modalEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly contentEl: HTMLElement;
  shouldRestoreSelection = true;
  #closed: () => unknown = () => undefined;
  #focused: Element | null = null;

  constructor(readonly app: App) {
    const shade = this.containerEl.createDiv("modal-bg");
    shade.addEventListener("click", () => this.close());
    this.modalEl = this.containerEl.createDiv({ cls: "modal", attr: { role: "dialog" } });
    const cross = this.modalEl.createDiv("modal-close-button");
    cross.addEventListener("click", () => this.close());
    this.titleEl = this.modalEl.createDiv("modal-title");
    this.contentEl = this.modalEl.createDiv("modal-content");
    this.scope.register([], "Escape", () => (this.close(), false));
  }

  open(): void {
    this.#focused = activeDocument.activeElement;
    activeDocument.body.append(this.containerEl);
    keymap.pushScope(this.scope);
    void this.onOpen();
  }

  close(): void {
    if (!this.containerEl.isConnected) return;
    this.containerEl.remove();
    keymap.popScope(this.scope);
    if (this.#focused?.instanceOf(HTMLElement)) this.#focused.focus();
    this.onClose();
    this.#closed();
  }

  onOpen(): Promise<void> | void {}

  onClose(): void {}

  setTitle(title: string): this {
    this.titleEl.setText(title);
    return this;
  }

  setContent(content: string | DocumentFragment): this {
    this.contentEl.setText(content);
    return this;
  }

  setCloseCallback(callback: () => unknown): this {
    this.#closed = callback;
    return this;
  }
}

class ConfirmationButton extends ButtonComponent {
  setInitialFocus(): this {
    window.setTimeout(() => this.buttonEl.focus());
    return this;
  }

  setSecondary(): this {
    return this.setClass("mod-secondary");
  }

  setCancel(): this {
    return this.setClass("mod-cancel");
  }
}

type Confirmation = Part<AppConfirmationModal, "addClass" | "addButton" | "addCancelButton">;

export class ConfirmationModal extends Modal implements Confirmation {
  readonly buttonContainerEl = this.modalEl.createDiv("modal-button-container");

  addClass(name: string): this {
    this.modalEl.addClass(name);
    return this;
  }

  /** A pressed button does its work first; then the dialog closes. */
  addButton(build: (button: AppConfirmationButton) => unknown): this {
    const button = new ConfirmationButton(this.buttonContainerEl);
    build(button); // its constructor is not public
    button.buttonEl.addEventListener("click", () => this.close());
    return this;
  }

  addCancelButton(text = "Cancel"): this {
    return this.addButton((button) => button.setButtonText(text).setCancel());
  }
}
