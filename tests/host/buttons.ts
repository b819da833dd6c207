/** Buttons, of settings and elsewhere. */

import type {
  BaseComponent as AppBaseComponent,
  ButtonComponent as AppButton,
  ExtraButtonComponent as AppExtraButton,
  IconName,
} from "obsidian";
import { setIcon, setTooltip } from "./icons";

export abstract class BaseComponent implements AppBaseComponent {
  disabled = false;

  then(build: (component: this) => unknown): this {
    build(this);
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.disabled = disabled;
    return this;
  }
}

export class ButtonComponent extends BaseComponent implements AppButton {
  readonly buttonEl: HTMLButtonElement;

  constructor(parent: HTMLElement) {
    super();
    this.buttonEl = parent.createEl("button");
  }

  override setDisabled(disabled: boolean): this {
    this.buttonEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setCta(): this {
    return this.setClass("mod-cta");
  }

  removeCta(): this {
    this.buttonEl.removeClass("mod-cta");
    return this;
  }

  setWarning(): this {
    return this.setClass("mod-warning");
  }

  setDestructive(): this {
    return this.setClass("mod-destructive");
  }

  removeDestructive(): this {
    this.buttonEl.removeClass("mod-destructive");
    return this;
  }

  setTooltip(tooltip: string): this {
    setTooltip(this.buttonEl, tooltip);
    return this;
  }

  setButtonText(name: string): this {
    this.buttonEl.setText(name);
    return this;
  }

  setIcon(icon: IconName): this {
    setIcon(this.buttonEl, icon);
    return this;
  }

  setClass(name: string): this {
    this.buttonEl.addClass(name);
    return this;
  }

  onClick(action: (event: MouseEvent) => unknown): this {
    this.buttonEl.addEventListener("click", (event) => void action(event));
    return this;
  }
}

export class ExtraButtonComponent extends BaseComponent implements AppExtraButton {
  readonly extraSettingsEl: HTMLElement;

  constructor(parent: HTMLElement) {
    super();
    this.extraSettingsEl = parent.createDiv("clickable-icon extra-setting-button");
  }

  override setDisabled(disabled: boolean): this {
    this.extraSettingsEl.toggleClass("is-disabled", disabled);
    return super.setDisabled(disabled);
  }

  setTooltip(tooltip: string): this {
    setTooltip(this.extraSettingsEl, tooltip);
    return this;
  }

  setIcon(icon: IconName): this {
    setIcon(this.extraSettingsEl, icon);
    return this;
  }

  onClick(action: () => unknown): this {
    this.extraSettingsEl.addEventListener("click", () => void action());
    return this;
  }
}
