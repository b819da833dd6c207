/** A row of the settings: a name, a description and controls. */

import type {
  BaseComponent,
  ButtonComponent as AppButton,
  DropdownComponent as AppDropdown,
  ExtraButtonComponent as AppExtraButton,
  SearchComponent as AppSearch,
  Setting as AppSetting,
  SliderComponent as AppSlider,
  TextComponent as AppText,
  ToggleComponent as AppToggle,
} from "obsidian";
import { ButtonComponent, ExtraButtonComponent } from "./buttons";
import {
  DropdownComponent,
  SearchComponent,
  SliderComponent,
  TextComponent,
  ToggleComponent,
} from "./controls";
import { setTooltip } from "./icons";
import type { Part } from "./part";

type Missing = "addDisplayValue" | "addTextArea" | "addMomentFormat" | "addColorPicker" | "addProgressBar";
type Chained = "then"; // it is given the object itself, which here is the host's

export class Setting implements Part<AppSetting, Exclude<keyof AppSetting, Missing | Chained>> {
  readonly settingEl: HTMLElement;
  readonly infoEl: HTMLElement;
  readonly nameEl: HTMLElement;
  readonly descEl: HTMLElement;
  readonly controlEl: HTMLElement;
  components: BaseComponent[] = [];
  errorEl: HTMLElement | null = null;

  constructor(parent: HTMLElement) {
    this.settingEl = parent.createDiv("setting-item");
    this.infoEl = this.settingEl.createDiv("setting-item-info");
    this.nameEl = this.infoEl.createDiv("setting-item-name");
    this.descEl = this.infoEl.createDiv("setting-item-description");
    this.controlEl = this.settingEl.createDiv("setting-item-control");
  }

  setName(name: string | DocumentFragment): this {
    this.nameEl.setText(name);
    return this;
  }

  setDesc(desc: string | DocumentFragment): this {
    this.descEl.setText(desc);
    return this;
  }

  setClass(name: string): this {
    this.settingEl.addClass(name);
    return this;
  }

  setTooltip(tooltip: string): this {
    setTooltip(this.nameEl, tooltip);
    return this;
  }

  setHeading(): this {
    return this.setClass("setting-item-heading");
  }

  setDisabled(disabled: boolean): this {
    this.settingEl.toggleClass("is-disabled", disabled);
    for (const component of this.components) component.setDisabled(disabled);
    return this;
  }

  setErrorMessage(message: string | null): this {
    this.errorEl?.remove();
    this.errorEl = message === null ? null : this.infoEl.createDiv({ cls: "setting-item-error", text: message });
    this.settingEl.toggleClass("is-invalid", message !== null);
    return this;
  }

  addComponent<T extends BaseComponent>(make: (el: HTMLElement) => T): this {
    this.components.push(make(this.controlEl));
    return this;
  }

  addButton(build: (component: AppButton) => unknown): this {
    return this.#add(new ButtonComponent(this.controlEl), build);
  }

  addExtraButton(build: (component: AppExtraButton) => unknown): this {
    return this.#add(new ExtraButtonComponent(this.controlEl), build);
  }

  addToggle(build: (component: AppToggle) => unknown): this {
    return this.#add(new ToggleComponent(this.controlEl), build);
  }

  addText(build: (component: AppText) => unknown): this {
    return this.#add(new TextComponent(this.controlEl), build);
  }

  addSearch(build: (component: AppSearch) => unknown): this {
    return this.#add(new SearchComponent(this.controlEl), build);
  }

  addDropdown(build: (component: AppDropdown) => unknown): this {
    return this.#add(new DropdownComponent(this.controlEl), build);
  }

  addSlider(build: (component: AppSlider) => unknown): this {
    return this.#add(new SliderComponent(this.controlEl), build);
  }

  then(build: (setting: this) => unknown): this {
    build(this);
    return this;
  }

  clear(): this {
    this.components = [];
    this.controlEl.empty();
    return this;
  }

  #add<T extends BaseComponent>(component: T, build: (component: T) => unknown): this {
    this.components.push(component);
    build(component);
    return this;
  }
}
