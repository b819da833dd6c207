/** The base class of plugins: whatever is added is taken away when the plugin is unloaded. */

import type { Extension } from "@codemirror/state";
import type {
  BasesViewRegistration,
  CliFlags,
  CliHandler,
  Command,
  EditorSuggest as AppEditorSuggest,
  HoverLinkSource,
  IconName,
  MarkdownPostProcessor,
  ObsidianProtocolHandler,
  Plugin as AppPlugin,
  PluginManifest,
  ViewCreator,
} from "obsidian";
import type { App } from "./app";
import { environment } from "./environment";
import { setIcon, setTooltip } from "./icons";
import { codeBlocks } from "./markdownRenderer";
import { Component } from "./mocks";
import type { EditorSuggest } from "./editorSuggest";
import type { PluginSettingTab } from "./settingTab";

type Part = Pick<
  AppPlugin,
  | "manifest"
  | "addCommand"
  | "addRibbonIcon"
  | "addStatusBarItem"
  | "registerView"
  | "registerHoverLinkSource"
  | "registerMarkdownCodeBlockProcessor"
  | "registerEditorExtension"
  | "registerEditorSuggest"
  | "registerObsidianProtocolHandler"
  | "registerCliHandler"
  | "registerBasesView"
  | "loadData"
  | "saveData"
>;

/** The plugin's data.json. */
export const stored = { data: environment.data };

export abstract class Plugin extends Component implements Part {
  constructor(
    readonly app: App,
    readonly manifest: PluginManifest,
  ) {
    super();
  }

  addCommand(command: Command): Command {
    const id = `${this.manifest.id}:${command.id}`;
    this.app.commands.commands.set(id, command);
    this.register(() => this.app.commands.commands.delete(id));
    return command;
  }

  addRibbonIcon(icon: IconName, title: string, action: (event: MouseEvent) => unknown): HTMLElement {
    const el = this.app.ribbonEl.createDiv("clickable-icon side-dock-ribbon-action");
    setIcon(el, icon);
    setTooltip(el, title);
    el.addEventListener("click", action);
    this.register(() => el.remove());
    return el;
  }

  /** Phones have no status bar; the item is made all the same. */
  addStatusBarItem(): HTMLElement {
    const el = this.app.statusBarEl.createDiv(`status-bar-item plugin-${this.manifest.id}`);
    this.register(() => el.remove());
    return el;
  }

  addSettingTab(tab: PluginSettingTab): void {
    this.app.setting.add(this.manifest.id, tab);
    this.register(() => this.app.setting.remove(this.manifest.id));
  }

  registerView(type: string, creator: ViewCreator): void {
    this.app.workspace.register(type, creator);
    this.register(() => {
      this.app.workspace.detachLeavesOfType(type);
      this.app.workspace.register(type, null);
    });
  }

  registerHoverLinkSource(id: string, source: HoverLinkSource): void {
    this.app.hoverSources.set(id, source);
    this.register(() => this.app.hoverSources.delete(id));
  }

  registerMarkdownCodeBlockProcessor(
    language: string,
    handler: Parameters<AppPlugin["registerMarkdownCodeBlockProcessor"]>[1],
  ): MarkdownPostProcessor {
    codeBlocks.set(language, handler);
    this.register(() => codeBlocks.delete(language));
    return () => undefined;
  }

  registerEditorExtension(extension: Extension): void {
    const { editorExtensions } = this.app.workspace;
    editorExtensions.push(extension);
    this.app.workspace.updateOptions();
    this.register(() => {
      editorExtensions.remove(extension);
      this.app.workspace.updateOptions();
    });
  }

  registerEditorSuggest(suggest: AppEditorSuggest<unknown>): void {
    const { suggests } = this.app.workspace.editorSuggest;
    const ours = suggest as unknown as EditorSuggest<unknown>;
    suggests.push(ours);
    this.register(() => {
      ours.close();
      suggests.remove(ours);
    });
  }

  registerObsidianProtocolHandler(action: string, handler: ObsidianProtocolHandler): void {
    this.app.protocolHandlers.set(action, handler);
    this.register(() => this.app.protocolHandlers.delete(action));
  }

  registerCliHandler(command: string, description: string, flags: CliFlags | null, handler: CliHandler): void {
    const { cliHandlers } = this.app;
    if (cliHandlers.has(command)) throw new Error(`The command “${command}” is registered already.`);
    if (!new RegExp(`^${this.manifest.id}(:[\\w-]+)?$`).test(command)) throw new Error(`“${command}” is no name of a command of this plugin.`);
    cliHandlers.set(command, { description, flags, handler });
    this.register(() => cliHandlers.delete(command));
  }

  registerBasesView(viewId: string, registration: BasesViewRegistration): boolean {
    const { basesViews } = this.app;
    if (basesViews.has(viewId)) throw new Error(`The view “${viewId}” is registered already.`);
    basesViews.set(viewId, registration);
    this.register(() => basesViews.delete(viewId));
    return true;
  }

  async loadData(): Promise<unknown> {
    return structuredClone(stored.data);
  }

  async saveData(data: unknown): Promise<void> {
    stored.data = structuredClone(data);
  }

  onUserEnable(): void {}
}
