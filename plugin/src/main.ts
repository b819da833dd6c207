/** The plugin's life: what is registered, wired together, and taken down. Nobody imports it. */

import { Plugin } from "obsidian";
import { Client, RequestLog } from "./client";
import { Connection } from "./connection";
import { remoteTarget } from "./server";
import { Settings } from "./settings";
import { appTransport } from "./transport";
import type { Desk } from "./ui/desk";
import { SEARCH_VIEW, SearchView } from "./ui/searchView";

const DEVICE_KEY = "recollect-device";

export default class RecollectPlugin extends Plugin {
  readonly #log = new RequestLog();
  readonly #choices = new Settings({
    loadVault: () => this.loadData(),
    saveVault: (data) => this.saveData(data),
    loadDevice: () => this.app.loadLocalStorage(DEVICE_KEY) as unknown,
    saveDevice: (data) => this.app.saveLocalStorage(DEVICE_KEY, data),
  });
  readonly #connection = new Connection({
    source: () =>
      Promise.resolve(
        remoteTarget(
          this.#choices,
          (name) => this.app.secretStorage.getSecret(name),
          this.app.vault.getName(),
        ),
      ),
    open: (endpoint) => new Client(appTransport, this.#log, endpoint),
    random: Math.random,
  });

  override onload(): void {
    const desk: Desk = {
      app: this.app,
      connection: this.#connection,
      settings: this.#choices,
      waiting: () => 0,
      act: () => void this.#connection.check(),
    };
    this.registerView(SEARCH_VIEW, (leaf) => new SearchView(leaf, desk));
    this.registerHoverLinkSource(SEARCH_VIEW, { display: this.manifest.name, defaultMod: true });
    this.addCommand({
      id: "open-search",
      name: "Open search",
      callback: () => void this.app.workspace.ensureSideLeaf(SEARCH_VIEW, "left"),
    });
    this.register(() => this.#connection.end());
    this.app.workspace.onLayoutReady(() => void this.#begin());
  }

  async #begin(): Promise<void> {
    await this.#choices.load();
    this.#connection.begin();
  }
}
