/** Starts the app in the page, with the built plugin in it, and tells the tests what they ask. */

import * as codemirrorState from "@codemirror/state";
import * as codemirrorView from "@codemirror/view";
import { obsidianModule } from "./api";
import { App } from "./app";
import { environment } from "./environment";
import { childEvent, nodeModule } from "./nodeModules";
import { notices } from "./notice";
import { stored, type Plugin } from "./plugin";
import { teachWindows } from "./popout";

/** What the app gives a plugin of its own: the editor's modules too, because a second copy would not work with it. */
const APP_MODULES: Readonly<Record<string, unknown>> = {
  obsidian: obsidianModule,
  "@codemirror/state": codemirrorState,
  "@codemirror/view": codemirrorView,
};

type PluginClass = new (app: App, manifest: typeof environment.plugin.manifest) => Plugin;

/** Evaluates the bundle as the app does: as a script that is given `require`, not as a module. */
function evaluate(code: string): PluginClass {
  const module: { exports: { default?: PluginClass } | PluginClass } = { exports: {} };
  const require = (name: string): unknown => APP_MODULES[name] ?? nodeModule(name);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is what the app does
  const run = new Function("require", "module", "exports", `${code}\n//# sourceURL=plugin.js`) as (...given: unknown[]) => void;
  run(require, module, module.exports);
  const { exports } = module;
  const found = "default" in exports ? exports.default : exports;
  if (typeof found !== "function") throw new Error("The bundle exports no plugin.");
  return found;
}

async function start(): Promise<Host> {
  const { plugin: built, open, panels } = environment;
  teachWindows();
  const app = new App();
  await app.load();
  document.head.createEl("style", { text: built.css });
  const PluginOfBundle = evaluate(built.code);
  const plugin = new PluginOfBundle(app, built.manifest);
  const before = performance.now();
  plugin.load();
  const loadMs = performance.now() - before;
  for (const path of open) await openNote(app, path);
  await app.workspace.restore(panels);
  app.workspace.ready();
  if (environment.isEnabledByUser) plugin.onUserEnable();
  return { app, plugin, loadMs, notices, stored, childEvent, openNote: (path) => openNote(app, path) };
}

async function openNote(app: App, path: string): Promise<void> {
  const file = app.vault.getFileByPath(path);
  if (!file) throw new Error(`There is no note “${path}”.`);
  await app.workspace.getLeaf(false).openFile(file);
}

export interface Host {
  readonly app: App;
  readonly plugin: Plugin;
  /** How long the plugin's own loading took. */
  readonly loadMs: number;
  readonly notices: readonly string[];
  readonly stored: { readonly data: unknown };
  readonly childEvent: typeof childEvent;
  readonly openNote: (path: string) => Promise<void>;
}

declare global {
  interface Window {
    host: Host;
    startHost(): Promise<void>;
  }
}

window.startHost = async () => {
  window.host = await start();
};
