/** A plugin's settings, drawn from their declaration. */

import type {
  App,
  Plugin,
  PluginSettingTab as AppSettingTab,
  Setting as AppSetting,
  SettingControl,
  SettingDefinition,
  SettingDefinitionItem,
  SettingGroup,
} from "obsidian";
import { DropdownComponent, SliderComponent, TextComponent, ToggleComponent } from "./controls";
import { Setting } from "./setting";

interface Row {
  readonly setting: Setting;
  readonly definition: SettingDefinition;
}

/** Without `display`, which the app keeps for plugins that draw their settings themselves. */
type Tab = Omit<AppSettingTab, "display">;

const NO_GROUP = {} as SettingGroup; // no declaration here uses the group it is drawn in

export abstract class PluginSettingTab implements Tab {
  icon = "";
  settingItems: SettingDefinitionItem[] = [];
  readonly containerEl = createDiv("vertical-tab-content");
  #rows: Row[] = [];
  #cleanups: (() => void)[] = [];

  constructor(
    readonly app: App,
    readonly plugin: Plugin,
  ) {}

  getSettingDefinitions(): SettingDefinitionItem[] {
    return [];
  }

  getControlValue(_key: string): unknown {
    return undefined;
  }

  setControlValue(_key: string, _value: unknown): void | Promise<void> {}

  update(): void {
    this.hide();
    this.draw();
  }

  /** Draws what is declared. */
  draw(): void {
    this.settingItems = this.getSettingDefinitions();
    for (const item of this.settingItems) {
      if (!("type" in item)) this.#draw(this.containerEl, item);
      else if (item.type === "group") this.#drawGroup(item.heading, item.items ?? []);
      else throw new Error(`The host draws no settings of type “${item.type}”.`);
    }
    this.refreshDomState();
  }

  hide(): void {
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
    this.#rows = [];
    this.containerEl.empty();
  }

  refreshDomState(): void {
    for (const { setting, definition } of this.#rows) {
      const { visible = true } = definition;
      setting.settingEl.toggle(typeof visible === "function" ? visible() : visible);
    }
  }

  #drawGroup(heading: string | undefined, items: readonly SettingDefinitionItem[]): void {
    const group = this.containerEl.createDiv("setting-group");
    if (heading !== undefined) new Setting(group).setName(heading).setHeading();
    const box = group.createDiv("setting-items");
    for (const item of items) {
      if ("type" in item) throw new Error("The host draws no settings within groups of settings.");
      this.#draw(box, item);
    }
  }

  #draw(parent: HTMLElement, definition: SettingDefinition): void {
    const setting = new Setting(parent).setName(definition.name);
    if (definition.desc !== undefined) setting.setDesc(definition.desc);
    this.#rows.push({ setting, definition });
    if (definition.control) this.#drawControl(setting, definition.control);
    if (!definition.render) return;
    const cleanup = definition.render(setting as unknown as AppSetting, NO_GROUP);
    if (cleanup) this.#cleanups.push(cleanup);
  }

  #drawControl(setting: Setting, control: SettingControl): void {
    const value = this.getControlValue(control.key) ?? control.defaultValue;
    const save = (changed: unknown): void => void this.#save(setting, control, changed);
    const el = setting.controlEl;
    switch (control.type) {
      case "toggle":
        new ToggleComponent(el).setValue(value === true).onChange(save);
        return;
      case "dropdown":
        new DropdownComponent(el).addOptions(control.options).setValue(asText(value)).onChange(save);
        return;
      case "text":
        new TextComponent(el)
          .setPlaceholder(control.placeholder ?? "")
          .setValue(asText(value))
          .onChange(save);
        return;
      case "number":
        new TextComponent(el, "number")
          .setValue(asText(value))
          .onChange((text) => save(Number(text)));
        return;
      case "slider":
        new SliderComponent(el)
          .setLimits(control.min ?? null, control.max ?? null, control.step ?? 1)
          .setValue(Number(value))
          .onChange(save);
        return;
      default:
        throw new Error(`The host has no control of type “${control.type}”.`);
    }
  }

  async #save(setting: Setting, control: SettingControl, value: unknown): Promise<void> {
    const validate = control.validate as ((value: unknown) => string | void | Promise<string | void>) | undefined;
    const problem = await validate?.(value);
    setting.setErrorMessage(problem ?? null);
    if (!problem) await this.setControlValue(control.key, value);
  }
}

function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
