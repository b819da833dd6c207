/** The app's settings window, with the tabs of plugins. */

import { keymap, Scope } from "./keymap";
import type { PluginSettingTab } from "./settingTab";

export class SettingsWindow {
  readonly #tabs = new Map<string, PluginSettingTab>();
  readonly #scope = new Scope();
  readonly #el = createDiv("modal-container mod-settings");
  readonly #modalEl = this.#el.createDiv({ cls: "modal", attr: { role: "dialog" } });
  #shown: PluginSettingTab | null = null;

  constructor() {
    this.#scope.register([], "Escape", () => (this.close(), false));
  }

  add(id: string, tab: PluginSettingTab): void {
    this.#tabs.set(id, tab);
  }

  remove(id: string): void {
    if (this.#shown === this.#tabs.get(id)) this.close();
    this.#tabs.delete(id);
  }

  open(): void {
    if (this.#el.isConnected) return;
    document.body.append(this.#el);
    keymap.pushScope(this.#scope);
  }

  openTabById(id: string): void {
    this.#shown?.hide();
    this.#modalEl.empty();
    this.#shown = this.#tabs.get(id) ?? null;
    if (!this.#shown) return;
    this.#modalEl.append(this.#shown.containerEl);
    this.#shown.draw();
  }

  close(): void {
    this.#shown?.hide();
    this.#shown = null;
    this.#modalEl.empty();
    this.#el.remove();
    keymap.popScope(this.#scope);
  }
}
