/** The plugin's life: what is made, wired together, and taken down. Nobody imports it. */

import { FileSystemAdapter, Plugin } from "obsidian";
import { ChangeQueue } from "./changes";
import { Client, type RequestEntry } from "./client";
import { Connection } from "./connection";
import { ChangeSender } from "./changeSender";
import { Launcher } from "./launcher";
import { thisMachine } from "./machine";
import { Ring } from "./ring";
import { Server } from "./server";
import { Settings } from "./settings";
import { Timer } from "./timer";
import { appTransport } from "./transport";
import { actions, type Action } from "./ui/actions";
import type { ViewContext } from "./ui/viewContext";
import { ASK_VIEW, AskView } from "./ui/askView";
import { DIAGNOSTICS_VIEW, diagnosticsText, DiagnosticsView } from "./ui/diagnostics";
import { confirm, uploadQuestion } from "./ui/dialogs";
import type { ActionName } from "./ui/explain";
import { afterRename } from "./ui/marks";
import { showSearch, showSimilar } from "./ui/reveal";
import { SEARCH_VIEW, SearchView } from "./ui/searchView";
import { NotewellSettingTab } from "./ui/settingsTab";
import { SIMILAR_VIEW, SimilarView } from "./ui/similarView";
import { statusBar } from "./ui/statusBar";
import { vaultFiles, watchVault } from "./vaultEvents";

const BATCH_MS = 100;
const PANELS = [
  [SEARCH_VIEW, SearchView],
  [SIMILAR_VIEW, SimilarView],
  [ASK_VIEW, AskView],
] as const;
const DEVICE_KEY = "notewell-device";

export default class NotewellPlugin extends Plugin {
  readonly #requests = new Ring<RequestEntry>(50);
  readonly #queue = new ChangeQueue(() => Date.now());
  readonly #launcher = new Launcher(() => this.#reconnect());
  readonly #settings = new Settings({
    loadVault: () => this.loadData(),
    saveVault: (data) => this.saveData(data),
    loadDevice: () => this.app.loadLocalStorage(DEVICE_KEY) as unknown,
    saveDevice: (data) => this.app.saveLocalStorage(DEVICE_KEY, data),
  });
  readonly #server = new Server({
    settings: this.#settings,
    launcher: this.#launcher,
    machine: thisMachine,
    secret: (name) => this.app.secretStorage.getSecret(name),
    vaultName: this.app.vault.getName(),
    folder: this.#folder(),
  });
  readonly #connection = new Connection({
    source: (starting) => this.#server.find(starting),
    open: (endpoint) => new Client(appTransport, (entry) => this.#requests.add(entry), endpoint),
    random: Math.random,
  });
  readonly #context: ViewContext = {
    app: this.app,
    connection: this.#connection,
    settings: this.#settings,
    waiting: () => this.#queue.size,
    act: (name) => this.#action(name)?.[2](),
    can: (name) => Boolean(this.#action(name)?.[3]()),
  };
  readonly #sender = new ChangeSender({
    connection: this.#connection,
    queue: this.#queue,
    files: vaultFiles(this.app),
    mayUpload: (url, notes) => this.#mayUpload(url, notes),
    askAboutGone: () => void this.#askAboutGone(),
  });
  readonly #diagnostics = {
    context: this.#context,
    version: this.manifest.version,
    requests: this.#requests.latest,
    queue: () => this.#queue.paths(),
    rejected: this.#sender.rejected.latest,
    log: this.#launcher.log.latest,
  };

  readonly #actions: readonly Action[] = actions({
    context: this.#context,
    server: this.#server,
    report: () => diagnosticsText(this.#diagnostics),
    pluginId: this.manifest.id,
  });

  override onload(): void {
    const { name } = this.manifest;
    for (const [type, Panel] of PANELS) {
      this.registerView(type, (leaf) => new Panel(leaf, this.#context));
    }
    this.registerView(DIAGNOSTICS_VIEW, (leaf) => new DiagnosticsView(leaf, this.#diagnostics));
    for (const view of [SEARCH_VIEW, SIMILAR_VIEW]) {
      this.registerHoverLinkSource(view, { display: name, defaultMod: true });
    }
    for (const action of this.#actions) this.#addAction(action);
    this.addRibbonIcon("search", name, () => void showSearch(this.app));
    this.addSettingTab(new NotewellSettingTab(this, this.#context));
    const updateBar = statusBar(this.addStatusBarItem(), this.#context, this.#actions);
    this.register(this.#connection.subscribe(updateBar));
    this.app.workspace.onLayoutReady(() => void this.#begin(updateBar));
  }

  override onunload(): void {
    this.#sender.end();
    this.#connection.end();
    this.#launcher.stop();
  }

  override onUserEnable(): void {
    void showSearch(this.app);
    void showSimilar(this.app);
  }

  override onExternalSettingsChange(): Promise<void> {
    return this.#settings.load();
  }

  /** Reads the settings and meets the server. Nothing of it is waited for when the app starts. */
  async #begin(updateBar: () => void): Promise<void> {
    await this.#settings.load();
    const soon = new Timer(); // thousands of notes may change at once: they are looked at together
    this.register(() => soon.clear());
    const look = (): void => {
      this.#sender.wake();
      updateBar();
    };
    watchVault(this.app, this.#queue, this.registerEvent.bind(this), () => {
      if (!soon.isSet) soon.set(BATCH_MS, look);
    });
    this.registerEvent(
      this.app.vault.on("rename", (file, from) => {
        const marks = afterRename(this.#settings.chosen.marks, from, file.path);
        if (Object.keys(marks).length > 0) void this.#settings.set("marks", marks);
      }),
    );
    this.registerDomEvent(window, "focus", () => void this.#connection.check());
    this.register(this.#server.follow(() => this.#reconnect()));
    this.#connection.begin();
    this.#sender.begin();
  }

  #reconnect(): void {
    void this.#connection.reset();
  }

  async #mayUpload(url: string, notes: number): Promise<boolean> {
    if (this.#settings.chosen.uploadAgreed === url) return true;
    const isAgreed = await confirm(this.app, uploadQuestion(url, notes));
    if (isAgreed) await this.#settings.set("uploadAgreed", url);
    return isAgreed;
  }

  /** Not once more about notes that a person has decided about. */
  async #askAboutGone(): Promise<void> {
    await this.#connection.check();
    const since = this.#connection.lastStatus?.guard?.since;
    if (since !== this.#settings.chosen.guardDecided) await this.#context.act("missing");
  }

  #action(name: ActionName): Action | undefined {
    return this.#actions.find(([id]) => id === name);
  }

  #addAction([id, name, run, can]: Action): void {
    const checkCallback = (isChecking: boolean): boolean => {
      const isPossible = Boolean(can());
      if (isPossible && !isChecking) void run();
      return isPossible;
    };
    this.addCommand({ id, name, checkCallback });
  }

  #folder(): string | null {
    const { adapter } = this.app.vault;
    return adapter instanceof FileSystemAdapter ? adapter.getBasePath() : null;
  }
}
