/** Links as a person's settings write them, and moving files. */

import type { FileManager as AppFileManager, TAbstractFile, TFile, TFolder } from "obsidian";
import type { MetadataCache } from "./metadata";
import type { Vault } from "./vault";

type Part = Pick<
  AppFileManager,
  "getNewFileParent" | "renameFile" | "trashFile" | "generateMarkdownLink"
>;

export class FileManager implements Part {
  readonly #vault: Vault;
  readonly #cache: MetadataCache;

  constructor(vault: Vault, cache: MetadataCache) {
    this.#vault = vault;
    this.#cache = cache;
  }

  getNewFileParent(_sourcePath: string, _newFilePath?: string): TFolder {
    return this.#vault.getRoot();
  }

  renameFile(file: TAbstractFile, path: string): Promise<void> {
    return this.#vault.rename(file, path);
  }

  trashFile(file: TAbstractFile): Promise<void> {
    return this.#vault.delete(file);
  }

  generateMarkdownLink(file: TFile, sourcePath: string, subpath = "", alias = ""): string {
    const link = this.#cache.fileToLinktext(file, sourcePath) + subpath;
    return alias ? `[[${link}|${alias}]]` : `[[${link}]]`;
  }
}
