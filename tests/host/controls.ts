/** Controls that hold a value. As in the app, setting a value from code tells no listener. */

import type {
  App,
  DropdownComponent as AppDropdown,
  SearchComponent as AppSearch,
  SecretComponent as AppSecret,
  SliderComponent as AppSlider,
  TextComponent as AppText,
  ToggleComponent as AppToggle,
  ValueComponent as AppValue,
} from "obsidian";
import { BaseComponent } from "./buttons";
import { setTooltip } from "./icons";

abstract class ValueComponent<T> extends BaseComponent implements AppValue<T> {
  protected changed: (value: T) => unknown = () => undefined;

  abstract getValue(): T;
  abstract setValue(value: T): this;

  registerOptionListener(): this {
    return this;
  }

  onChange(callback: (value: T) => unknown): this {
    this.changed = callback;
    return this;
  }
}

export class TextComponent extends ValueComponent<string> implements AppText {
  readonly inputEl: HTMLInputElement;

  constructor(parent: HTMLElement, type = "text") {
    super();
    this.inputEl = parent.createEl("input", { type });
    this.inputEl.addEventListener("input", () => this.onChanged());
  }

  override setDisabled(disabled: boolean): this {
    this.inputEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  getValue(): string {
    return this.inputEl.value;
  }

  setValue(value: string): this {
    this.inputEl.value = value;
    return this;
  }

  setPlaceholder(placeholder: string): this {
    this.inputEl.placeholder = placeholder;
    return this;
  }

  onChanged(): void {
    this.changed(this.getValue());
  }
}

export class SearchComponent extends TextComponent implements AppSearch {
  readonly clearButtonEl: HTMLElement;

  constructor(parent: HTMLElement) {
    const el = parent.createDiv("search-input-container");
    super(el, "search");
    this.clearButtonEl = el.createDiv({
      cls: "search-input-clear-button",
      attr: { "aria-label": "Clear search" },
    });
    this.clearButtonEl.addEventListener("click", () => {
      this.setValue("");
      this.onChanged();
      this.inputEl.focus();
    });
  }
}

export class ToggleComponent extends ValueComponent<boolean> implements AppToggle {
  readonly toggleEl: HTMLElement;
  #isOn = false;

  constructor(parent: HTMLElement) {
    super();
    this.toggleEl = parent.createDiv({ cls: "checkbox-container", attr: { role: "switch" } });
    this.toggleEl.addEventListener("click", () => this.onClick());
  }

  getValue(): boolean {
    return this.#isOn;
  }

  setValue(isOn: boolean): this {
    this.#isOn = isOn;
    this.toggleEl.toggleClass("is-enabled", isOn);
    return this;
  }

  setTooltip(tooltip: string): this {
    setTooltip(this.toggleEl, tooltip);
    return this;
  }

  onClick(): void {
    if (this.disabled) return;
    this.setValue(!this.#isOn);
    this.changed(this.#isOn);
  }
}

export class DropdownComponent extends ValueComponent<string> implements AppDropdown {
  readonly selectEl: HTMLSelectElement;

  constructor(parent: HTMLElement) {
    super();
    this.selectEl = parent.createEl("select", { cls: "dropdown" });
    this.selectEl.addEventListener("change", () => this.changed(this.getValue()));
  }

  addOption(value: string, text: string): this {
    this.selectEl.createEl("option", { value, text });
    return this;
  }

  addOptions(options: Record<string, string>): this {
    for (const [value, text] of Object.entries(options)) this.addOption(value, text);
    return this;
  }

  getValue(): string {
    return this.selectEl.value;
  }

  setValue(value: string): this {
    this.selectEl.value = value;
    return this;
  }
}

export class SliderComponent extends ValueComponent<number> implements AppSlider {
  readonly sliderEl: HTMLInputElement;

  constructor(parent: HTMLElement) {
    super();
    this.sliderEl = parent.createEl("input", { cls: "slider", type: "range" });
    this.sliderEl.addEventListener("change", () => this.changed(this.getValue()));
  }

  getValue(): number {
    return this.sliderEl.valueAsNumber;
  }

  setValue(value: number): this {
    this.sliderEl.value = String(value);
    return this;
  }

  getValuePretty(): string {
    return this.sliderEl.value;
  }

  setLimits(min: number | null, max: number | null, step: number | "any"): this {
    this.sliderEl.setAttrs({ min, max, step });
    return this;
  }

  setInstant(): this {
    return this;
  }

  setDisplayFormat(): this {
    return this;
  }

  setDynamicTooltip(): this {
    return this;
  }
}

/** Names one of the app's secrets; the app's own lets a person choose or make one. */
export class SecretComponent extends BaseComponent implements AppSecret {
  readonly #selectEl: HTMLSelectElement;
  #changed: (value: string) => unknown = () => undefined;

  constructor(app: App, parent: HTMLElement) {
    super();
    this.#selectEl = parent.createEl("select", { cls: "dropdown" });
    for (const name of ["", ...app.secretStorage.listSecrets()]) {
      this.#selectEl.createEl("option", { value: name, text: name || "Choose a secret" });
    }
    this.#selectEl.addEventListener("change", () => this.#changed(this.#selectEl.value));
  }

  setValue(value: string): this {
    this.#selectEl.value = value;
    return this;
  }

  onChange(callback: (value: string) => unknown): this {
    this.#changed = callback;
    return this;
  }
}
