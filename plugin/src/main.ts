/** The plugin's lifecycle: creates its parts, connects them, and ends them. No other file imports it. */

import { Plugin } from "obsidian";
import { notewellApi, type NotewellApi } from "./api";
import { ChangeQueue } from "./changes";
import { ChangeSender } from "./changeSender";
import { Client, type Endpoint, type RequestEntry } from "./client";
import { Connection } from "./connection";
import { Finder, followSettings } from "./finder";
import { ICON } from "./ui/icon";
import { startLanguage } from "./language";
import { Launcher } from "./launcher";
import { followNotes, localIndex } from "./local/obsidianVault";
import { thisMachine } from "./machine";
import { appTransport, releasesPage, settingsStorage, vaultFiles, vaultFolder, watchVault } from "./obsidianApp";
import { Server } from "./server";
import { Settings } from "./settings";
import { Ring, Timer } from "./support";
import { actions, commandOf, showSearch, showSimilar, statusBar, type Action } from "./ui/actions";
import { registerCommandLine } from "./ui/commandLine";
import { diagnosticsText } from "./ui/diagnostics";
import { takeServerNotes, uploadConsent } from "./ui/dialogs";
import type { ActionName } from "./ui/explain";
import { takeLinks } from "./ui/links";
import { followRenames } from "./ui/marks";
import { registerInNotes, registerViews } from "./ui/panels";
import { NotewellSettingTab } from "./ui/settingsTab";
import type { ViewContext } from "./ui/viewContext";

const BATCH_MS = 100;

export default class NotewellPlugin extends Plugin {
  readonly #requests = new Ring<RequestEntry>(50);
  readonly #queue = new ChangeQueue(() => Date.now());
  readonly #launcher = new Launcher(() => void this.#connection.reset());
  readonly #settings = new Settings(settingsStorage(this));
  readonly #server = new Server({
    settings: this.#settings,
    launcher: this.#launcher,
    machine: thisMachine,
    secret: (name) => this.app.secretStorage.getSecret(name),
    vaultName: this.app.vault.getName(),
    folder: vaultFolder(this.app),
  });
  readonly #open = (to: Endpoint): Client => new Client(appTransport, (entry) => this.#requests.add(entry), to);
  readonly #connection = new Connection({
    source: (starting) => this.#server.find(starting),
    open: this.#open,
    random: Math.random,
  });
  readonly #local = localIndex(this.app);
  readonly #finder = new Finder({ connection: this.#connection, local: this.#local });
  /** For other plugins and scripts, see docs/plugin-api.md. */
  readonly api: NotewellApi = notewellApi(this.#finder, this.register.bind(this));
  #pair: ViewContext["pair"] = () => Promise.resolve();
  readonly #context: ViewContext = {
    app: this.app,
    connection: this.#connection,
    settings: this.#settings,
    local: this.#local,
    pair: (link) => this.#pair(link),
    look: () => this.#server.look(),
    releases: releasesPage(this.manifest.authorUrl),
    waiting: () => this.#queue.size,
    act: (name) => this.#action(name)?.[2](),
    can: (name) => Boolean(this.#action(name)?.[3]()),
  };
  readonly #sender = new ChangeSender({
    connection: this.#connection,
    queue: this.#queue,
    files: vaultFiles(this.app),
    mayUpload: uploadConsent(this.app, this.#settings),
    askAboutMissing: () => void this.#askAboutMissing(),
  });
  readonly #diagnostics = {
    context: this.#context,
    version: this.manifest.version,
    requests: this.#requests.latest,
    queue: () => this.#queue.paths(),
    rejected: this.#sender.rejected.latest,
    log: this.#launcher.log.latest,
  };

  #actions: readonly Action[] = [];

  override async onload(): Promise<void> {
    const { name, id, dir } = this.manifest;
    await startLanguage(this.app, dir); // before anything has a name
    const report = (): string => diagnosticsText(this.#diagnostics);
    this.#actions = actions({ context: this.#context, server: this.#server, report, pluginId: id });
    registerViews(this, this.#context, this.#diagnostics);
    registerInNotes(this, this.#context, this.#finder);
    registerCommandLine(this, this.#context, this.#finder);
    this.#pair = takeLinks(this, this.#settings, this.#open);
    for (const action of this.#actions) this.addCommand(commandOf(action));
    this.addRibbonIcon(ICON, name, () => void showSearch(this.app));
    this.addSettingTab(new NotewellSettingTab(this, this.#context));
    const updateBar = statusBar(this.addStatusBarItem(), this.#context, this.#actions);
    this.register(this.#connection.subscribe(updateBar));
    this.app.workspace.onLayoutReady(() => void this.#begin(updateBar));
  }

  override onunload(): void {
    this.#sender.end();
    this.#connection.end();
    this.#launcher.stop();
    this.#local.end();
  }

  override onUserEnable(): void {
    void showSearch(this.app);
    void showSimilar(this.app);
  }

  override onExternalSettingsChange(): Promise<void> {
    return this.#settings.load();
  }

  /** Reads the settings and connects, after the app has started. */
  async #begin(updateBar: () => void): Promise<void> {
    await this.#settings.load();
    this.register(followSettings(this.#local, this.#settings, this.#connection));
    const timer = new Timer(); // many notes may change at once; they are handled together
    this.register(() => timer.clear());
    const update = (): void => {
      this.#sender.wake();
      updateBar();
    };
    watchVault(this.app, this.#queue, this.registerEvent.bind(this), () => timer.setOnce(BATCH_MS, update));
    this.registerEvent(followRenames(this.app, this.#settings));
    this.registerDomEvent(window, "focus", () => void this.#connection.check());
    this.register(this.#server.follow(() => void this.#connection.reset()));
    this.#connection.begin();
    this.#sender.begin();
    followNotes(this.app, this.registerEvent.bind(this), (path) => this.#local.changed(path));
    void this.#local.begin();
    this.register(takeServerNotes(this.#context, this.#queue, () => this.#sender.wake()));
  }

  /** Asks what to do about missing notes, unless the user has already decided about these. */
  async #askAboutMissing(): Promise<void> {
    await this.#connection.check();
    const since = this.#connection.lastStatus?.guard?.since;
    if (since !== this.#settings.chosen.guardDecided) await this.#context.act("missing");
  }

  #action(name: ActionName): Action | undefined {
    return this.#actions.find(([id]) => id === name);
  }
}
