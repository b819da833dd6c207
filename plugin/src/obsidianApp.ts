/** Adapters to the Obsidian app: its HTTP client, and the vault's events and files. */

import { FileSystemAdapter, requestUrl, TFile, TFolder, type App, type EventRef, type Plugin, type TAbstractFile } from "obsidian";
import type { ChangeQueue } from "./changes";
import type { Transport } from "./client";
import type { FileStamp } from "./client";
import type { VaultFiles } from "./changeSender";
import type { VaultNotes } from "./serverNotes";
import type { SettingsStorage } from "./settings";

const DEVICE_KEY = "notewell-device";

/** The app's HTTP client, which is not subject to the browser's cross-origin rules. */
export const appTransport: Transport = async (request) => {
  const reply = await requestUrl({ ...request, throw: false });
  return { status: reply.status, text: reply.text };
};

/** Where the settings are: with the vault, which sync tools copy, and on this device. */
export function settingsStorage(plugin: Plugin): SettingsStorage {
  const { app } = plugin;
  return {
    loadVault: () => plugin.loadData(),
    saveVault: (data) => plugin.saveData(data),
    loadDevice: () => app.loadLocalStorage(DEVICE_KEY) as unknown,
    saveDevice: (data) => app.saveLocalStorage(DEVICE_KEY, data),
  };
}

/** Where the project's releases are, if its manifest says where the project is. */
export function releasesPage(projectUrl: string | undefined): string | null {
  return projectUrl?.startsWith("https://github.com/") ? `${projectUrl.replace(/\/+$/, "")}/releases` : null;
}

/** The vault's folder on this computer; null where there is none, as on phones. */
export function vaultFolder({ vault }: App): string | null {
  const { adapter } = vault;
  return adapter instanceof FileSystemAdapter ? adapter.getBasePath() : null;
}

/** The files whose text a server takes. It ignores those that its settings exclude, and finds others by itself. */
const READABLE = /\.(md|markdown|canvas|base|txt)$/i;

function isNote(path: string): boolean {
  return READABLE.test(path);
}

/**
 * Queues all changes in the vault and calls `changed` after each. Call it when the layout is ready:
 * before that the app reports every existing file as created.
 */
export function watchVault(
  app: App,
  queue: ChangeQueue,
  register: (event: EventRef) => void,
  changed: () => void,
): void {
  const { vault } = app;
  const record = (file: TAbstractFile, kind: "created" | "modified" | "deleted"): void => {
    if (!isNote(file.path)) return;
    queue[kind](file.path);
    changed();
  };
  register(vault.on("create", (file) => record(file, "created")));
  register(vault.on("modify", (file) => record(file, "modified")));
  register(vault.on("delete", (file) => record(file, "deleted")));
  register(
    vault.on("rename", (file, oldPath) => {
      for (const [from, to] of moves(file, oldPath)) renamed(queue, from, to);
      changed();
    }),
  );
}

/** The files that move with `file`: itself, or all files in a folder. */
function moves(file: TAbstractFile, oldPath: string): [from: string, to: string][] {
  if (file instanceof TFile) return [[oldPath, file.path]];
  if (!(file instanceof TFolder)) return [];
  return file.children.flatMap((child) => moves(child, `${oldPath}/${child.name}`));
}

/** A rename that changes the file name's suffix may create or remove a note. */
function renamed(queue: ChangeQueue, from: string, to: string): void {
  if (isNote(from) && isNote(to)) queue.renamed(from, to);
  else if (isNote(from)) queue.deleted(from);
  else if (isNote(to)) queue.created(to);
}

/** The files of the vault, for the change sender. */
export function vaultFiles(app: App): VaultFiles {
  const stampOf = (file: TFile): FileStamp => [file.path, file.stat.size, Math.trunc(file.stat.mtime)];
  return {
    stamps: () =>
      app.vault
        .getFiles()
        .filter(({ path }) => isNote(path))
        .map(stampOf),
    stamp: (path) => {
      const file = app.vault.getFileByPath(path);
      return file && stampOf(file);
    },
    read: async (path) => {
      const file = app.vault.getFileByPath(path);
      return file && (await app.vault.cachedRead(file));
    },
  };
}

/** The notes of the vault, for those that a server wrote. Paths of servers are in Unicode's form NFC. */
export function vaultNotes(app: App): VaultNotes {
  const { vault } = app;
  const find = (path: string): TFile | null =>
    vault.getFileByPath(path) ?? vault.getMarkdownFiles().find((file) => file.path.normalize() === path) ?? null;
  return {
    read: async (path) => {
      const file = find(path);
      return file && (await vault.read(file));
    },
    create: async (path, text) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      if (folder && !vault.getFolderByPath(folder)) await vault.createFolder(folder);
      await vault.create(path, text);
    },
    replace: async (path, old, text) => {
      const file = find(path);
      let isReplaced = false;
      const newText = (now: string): string => {
        isReplaced = now === old;
        return isReplaced ? text : now;
      };
      if (file) await vault.process(file, newText);
      return isReplaced;
    },
    remove: async (path) => {
      const file = find(path);
      if (file) await app.fileManager.trashFile(file);
    },
    mtime: (path) => {
      const file = find(path);
      return file ? Math.trunc(file.stat.mtime) : undefined;
    },
  };
}

/** The app's settings window, which is not in its public typings. */
interface SettingsWindow {
  open(): void;
  openTabById(id: string): void;
}

/** Opens the settings at a tab: a plugin's id, or one of the app's own. */
export function openSettingsTab(app: App, id: string): void {
  const { setting } = app as App & { setting?: SettingsWindow };
  setting?.open();
  setting?.openTabById(id);
}
