/** The vault: a tree of files in the page, over a real folder that the test process serves. */

import type {
  DataAdapter,
  Stat,
  TAbstractFile as AppAbstractFile,
  TFile as AppFile,
  TFolder as AppFolder,
  Vault as AppVault,
} from "obsidian";
import { bridge, type FileEntry } from "./bridge";
import { environment } from "./environment";
import { Events, TFile, TFolder } from "./mocks";

const STYLES = `${environment.plugin.manifest.dir ?? ""}/styles.css`;

/** A phone's adapter. It reads files of every type, also those that the app does not list. */
class MobileAdapter {
  getName(): string {
    return environment.vaultName;
  }

  exists(path: string): Promise<boolean> {
    return Promise.resolve(path === STYLES);
  }

  /** Of the configuration folder the plugin reads its own style sheet alone. */
  read(path: string): Promise<string> {
    return path === STYLES ? Promise.resolve(environment.plugin.css) : Promise.reject(new Error(`${path} is not there.`));
  }

  async stat(path: string): Promise<Stat | null> {
    const found = await bridge.times(path);
    return found && { ...found, type: "file" };
  }

  async readBinary(path: string): Promise<ArrayBuffer> {
    return Uint8Array.from(atob(await bridge.readBytes(path)), (letter) => letter.charCodeAt(0)).buffer;
  }
}

/** A desktop's adapter tells where the vault lies as well. */
export class FileSystemAdapter extends MobileAdapter {
  getBasePath(): string {
    return environment.folder;
  }
}

type Part = Pick<
  AppVault,
  | "configDir"
  | "getName"
  | "getRoot"
  | "getFileByPath"
  | "getFolderByPath"
  | "getAbstractFileByPath"
  | "getMarkdownFiles"
  | "getFiles"
  | "getAllFolders"
  | "create"
  | "createFolder"
  | "read"
  | "cachedRead"
  | "modify"
  | "process"
  | "rename"
  | "delete"
  | "trash"
>;

type Made<T> = new (vault: AppVault, path: string) => T; // constructors of the mocks

export class Vault extends Events implements Part {
  readonly configDir = `.${"obsidian"}`;
  readonly adapter = (environment.kind === "desktop"
    ? new FileSystemAdapter()
    : new MobileAdapter()) as unknown as DataAdapter;
  readonly #files = new Map<string, AppAbstractFile>();
  readonly #texts = new Map<string, string>();
  readonly #root = this.#make(TFolder, "/");

  /** Reads the folder. No events: nothing listens before the app has read its vault. */
  async load(): Promise<void> {
    for (const entry of await bridge.list()) this.#add(entry);
  }

  /** Takes in what another program changed in the folder; a rename shows as delete and create. */
  async rescan(): Promise<void> {
    const entries = new Map((await bridge.list()).map((entry) => [entry.path, entry]));
    for (const file of [...this.#files.values()]) {
      if (!entries.has(file.path)) this.#drop(file);
    }
    for (const entry of entries.values()) {
      const known = this.#files.get(entry.path);
      if (!known) this.trigger("create", this.#add(entry));
      else if (this.#texts.get(entry.path) !== (entry.text ?? undefined)) {
        this.#note(known, entry);
        this.trigger("modify", known);
      }
    }
  }

  /** The text of a note as it was last seen. */
  textOf(file: AppFile): string {
    return this.#texts.get(file.path) ?? "";
  }

  getName(): string {
    return environment.vaultName;
  }

  getRoot(): AppFolder {
    return this.#root;
  }

  getAbstractFileByPath(path: string): AppAbstractFile | null {
    return this.#files.get(path) ?? null;
  }

  getFileByPath(path: string): AppFile | null {
    const found = this.#files.get(path);
    return found instanceof TFile ? found : null;
  }

  getFolderByPath(path: string): AppFolder | null {
    const found = path === "/" ? this.#root : this.#files.get(path);
    return found instanceof TFolder ? found : null;
  }

  getFiles(): AppFile[] {
    return [...this.#files.values()].filter((file) => file instanceof TFile);
  }

  getMarkdownFiles(): AppFile[] {
    return this.getFiles().filter((file) => file.extension === "md");
  }

  getAllFolders(includeRoot = false): AppFolder[] {
    const folders = [...this.#files.values()].filter((file) => file instanceof TFolder);
    return includeRoot ? [this.#root, ...folders] : folders;
  }

  async create(path: string, text: string): Promise<AppFile> {
    if (this.#files.has(path)) throw new Error("File already exists.");
    const file = this.#add(await bridge.write(path, text));
    this.trigger("create", file);
    return file as AppFile;
  }

  async createFolder(path: string): Promise<AppFolder> {
    const folder = this.#add(await bridge.makeFolder(path));
    this.trigger("create", folder);
    return folder as AppFolder;
  }

  read(file: AppFile): Promise<string> {
    return bridge.read(file.path);
  }

  cachedRead(file: AppFile): Promise<string> {
    return this.read(file);
  }

  async modify(file: AppFile, text: string): Promise<void> {
    this.#note(file, await bridge.write(file.path, text));
    this.trigger("modify", file);
  }

  async process(file: AppFile, change: (text: string) => string): Promise<string> {
    const text = change(await this.read(file));
    await this.modify(file, text);
    return text;
  }

  /** The folder's own event comes first, then one for everything in it. */
  async rename(file: AppAbstractFile, path: string): Promise<void> {
    await bridge.move(file.path, path);
    const moved = [file, ...(file instanceof TFolder ? within(file) : [])];
    const from = moved.map((one) => one.path);
    for (const one of moved) this.#move(one, path + one.path.slice((from[0] ?? "").length));
    moved.forEach((one, index) => this.trigger("rename", one, from[index]));
  }

  async delete(file: AppAbstractFile): Promise<void> {
    await bridge.remove(file.path);
    if (file instanceof TFolder) for (const child of within(file)) this.#drop(child);
    this.#drop(file);
  }

  trash(file: AppAbstractFile): Promise<void> {
    return this.delete(file);
  }

  #make<T>(kind: new () => T, path: string): T {
    return new (kind as unknown as Made<T>)(this as unknown as AppVault, path);
  }

  #add(entry: FileEntry): AppAbstractFile {
    const file: AppAbstractFile = entry.isFolder
      ? this.#make(TFolder, entry.path)
      : this.#make(TFile, entry.path);
    this.#files.set(entry.path, file);
    this.#adopt(file);
    this.#note(file, entry);
    return file;
  }

  #note(file: AppAbstractFile, { size, mtime, ctime, text }: FileEntry): void {
    if (file instanceof TFile) file.stat = { size, mtime, ctime };
    if (text !== null) this.#texts.set(file.path, text);
  }

  #adopt(file: AppAbstractFile): void {
    const at = file.path.lastIndexOf("/");
    const parent = at < 0 ? this.#root : this.getFolderByPath(file.path.slice(0, at));
    file.parent = parent;
    parent?.children.push(file);
  }

  #move(file: AppAbstractFile, path: string): void {
    const text = this.#texts.get(file.path);
    this.#files.delete(file.path);
    this.#texts.delete(file.path);
    file.parent?.children.remove(file);
    const fresh = file instanceof TFile
      ? this.#make(TFile, path)
      : this.#make(TFolder, path);
    file.path = path;
    file.name = fresh.name;
    if (file instanceof TFile && fresh instanceof TFile) {
      file.basename = fresh.basename;
      file.extension = fresh.extension;
    }
    this.#files.set(path, file);
    if (text !== undefined) this.#texts.set(path, text);
    this.#adopt(file);
  }

  #drop(file: AppAbstractFile): void {
    this.#files.delete(file.path);
    this.#texts.delete(file.path);
    file.parent?.children.remove(file);
    this.trigger("delete", file);
  }
}

function within(folder: AppFolder): AppAbstractFile[] {
  return folder.children.flatMap((child) => [
    child,
    ...(child instanceof TFolder ? within(child) : []),
  ]);
}
