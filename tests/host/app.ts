/** The app: everything that a plugin reaches through `app`. */

import type { App as AppType, BasesViewRegistration, CliData, CliFlags, CliHandler, HoverLinkSource, ObsidianProtocolHandler, View } from "obsidian";
import { BaseTab, type Base } from "./bases";
import { Commands } from "./commands";
import { DragManager } from "./dragManager";
import { environment } from "./environment";
import { FileManager } from "./fileManager";
import { keymap, Scope } from "./keymap";
import { MetadataCache } from "./metadata";
import { servePreviews } from "./pagePreview";
import { SecretStorage } from "./secretStorage";
import { SettingsWindow } from "./settingsWindow";
import { Vault } from "./vault";
import { Workspace } from "./workspace";

export class App implements Pick<AppType, "isDarkMode" | "loadLocalStorage" | "saveLocalStorage"> {
  readonly keymap = keymap;
  readonly scope = new Scope();
  readonly vault = new Vault();
  readonly metadataCache = new MetadataCache(this.vault);
  readonly fileManager = new FileManager(this.vault, this.metadataCache);
  readonly secretStorage = new SecretStorage();
  readonly setting = new SettingsWindow();
  readonly commands = new Commands(this.typed);
  readonly dragManager = new DragManager(this.typed);
  readonly hoverSources = new Map<string, HoverLinkSource>();
  readonly protocolHandlers = new Map<string, ObsidianProtocolHandler>();
  readonly cliHandlers = new Map<string, { description: string; flags: CliFlags | null; handler: CliHandler }>();
  readonly basesViews = new Map<string, BasesViewRegistration>();
  readonly ribbonEl: HTMLElement;
  readonly statusBarEl: HTMLElement;
  readonly workspace: Workspace;
  readonly device = new Map(Object.entries(environment.device));

  constructor() {
    const row = document.body.createDiv("app-container").createDiv("horizontal-main-container");
    this.ribbonEl = row.createDiv("workspace-ribbon");
    this.workspace = new Workspace(this.typed, row);
    this.statusBarEl = document.body.createDiv("status-bar");
    servePreviews(this.typed, this.hoverSources);
  }

  /** Itself under the app's type, of which it is a part. */
  get typed(): AppType {
    return this as unknown as AppType;
  }

  async load(): Promise<void> {
    await this.vault.load();
    this.metadataCache.load();
  }

  /** What the app's command line prints for a command. */
  async runCli(command: string, given: CliData): Promise<string> {
    const found = this.cliHandlers.get(command);
    if (!found) throw new Error(`There is no command “${command}”.`);
    const { flags, handler } = found;
    for (const name of Object.keys(given)) if (!flags?.[name]) throw new Error(`Unknown flag “${name}”.`);
    for (const [name, { required }] of Object.entries(flags ?? {})) if (required && !(name in given)) throw new Error(`Missing flag “${name}”.`);
    return handler(given);
  }

  /** Opens a base in a tab, in the view of that name. */
  async openBase(viewId: string, base: Base): Promise<void> {
    const registration = this.basesViews.get(viewId);
    if (!registration) throw new Error(`There is no view “${viewId}”.`);
    this.workspace.register("bases", (leaf) => new BaseTab(leaf, base, registration) as unknown as View);
    const leaf = this.workspace.getLeaf("split");
    await leaf.setViewState({ type: "bases", active: true });
    await this.workspace.revealLeaf(leaf);
  }

  isDarkMode(): boolean {
    return environment.isDark;
  }

  loadLocalStorage(key: string): unknown {
    return this.device.get(key) ?? null;
  }

  saveLocalStorage(key: string, data: unknown): void {
    this.device.set(key, structuredClone(data));
  }
}
