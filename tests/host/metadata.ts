/** The metadata cache: what the app knows of notes, and who links to whom. */

import type { CachedMetadata, MetadataCache as AppCache, TFile as AppFile } from "obsidian";
import { environment } from "./environment";
import { Events, TFile } from "./mocks";
import { parseNote } from "./parseNote";
import type { Vault } from "./vault";

export class MetadataCache
  extends Events
  implements Pick<AppCache, "getCache" | "getFileCache" | "getFirstLinkpathDest" | "fileToLinktext">
{
  resolvedLinks: Record<string, Record<string, number>> = {};
  unresolvedLinks: Record<string, Record<string, number>> = {};
  readonly #known = new Map<string, CachedMetadata>();
  readonly #vault: Vault;
  /** The files by their lower-case names, with and without “.md”; null until the next question. */
  #named: Map<string, AppFile[]> | null = null;

  constructor(vault: Vault) {
    super();
    this.#vault = vault;
    for (const event of ["create", "delete", "rename"]) {
      vault.on(event, (file: unknown, from: unknown) => {
        this.#named = null;
        if (typeof from === "string") this.#known.delete(from);
        if (file instanceof TFile) this.#learn(file);
        this.#resolveAll();
      });
    }
    vault.on("modify", (file: unknown) => {
      if (!(file instanceof TFile)) return;
      this.#learn(file);
      this.#resolve(file.path);
      this.trigger("resolved");
    });
  }

  load(): void {
    this.#named = null;
    for (const file of this.#vault.getMarkdownFiles()) this.#learn(file);
    this.#resolveAll();
  }

  getCache(path: string): CachedMetadata | null {
    return this.#known.get(path) ?? null;
  }

  getFileCache(file: AppFile): CachedMetadata | null {
    return this.getCache(file.path);
  }

  /** A whole path first, else the note of that name nearest to the top. */
  getFirstLinkpathDest(linkpath: string, _sourcePath: string): AppFile | null {
    const wanted = linkpath.toLowerCase();
    const named = (this.#byName().get(wanted.slice(wanted.lastIndexOf("/") + 1)) ?? []).filter((file) => {
      const path = file.path.toLowerCase();
      return [wanted, `${wanted}.md`].some((end) => path === end || path.endsWith(`/${end}`));
    });
    return named.sort((one, other) => one.path.length - other.path.length)[0] ?? null;
  }

  /** Large vaults have links by the ten thousand: each looks at files of its name only. */
  #byName(): Map<string, AppFile[]> {
    if (this.#named) return this.#named;
    this.#named = new Map();
    for (const file of this.#vault.getFiles()) {
      const name = file.name.toLowerCase();
      for (const key of new Set([name, name.replace(/\.md$/, "")])) {
        const known = this.#named.get(key);
        if (known) known.push(file);
        else this.#named.set(key, [file]);
      }
    }
    return this.#named;
  }

  /** The shortest link that still leads to the file. */
  fileToLinktext(file: AppFile, sourcePath: string, omitMdExtension = true): string {
    const shorten = (path: string): string =>
      omitMdExtension && file.extension === "md" ? path.slice(0, -3) : path;
    const short = shorten(file.name);
    return this.getFirstLinkpathDest(short, sourcePath) === file ? short : shorten(file.path);
  }

  /** Whether “Excluded files” in the app's settings names it: a folder's path, or a pattern between slashes. */
  isUserIgnored(path: string): boolean {
    return environment.excluded.some((rule) => {
      const pattern = /^\/(.+)\/$/.exec(rule)?.[1];
      return pattern === undefined ? path.startsWith(rule) : new RegExp(pattern).test(path);
    });
  }

  #learn(file: AppFile): void {
    if (this.#vault.getFileByPath(file.path) !== file) this.#known.delete(file.path);
    else if (file.extension === "md") {
      this.#known.set(file.path, parseNote(this.#vault.textOf(file)));
      this.trigger("changed", file, this.#vault.textOf(file), this.#known.get(file.path));
    }
  }

  #resolveAll(): void {
    this.resolvedLinks = {};
    this.unresolvedLinks = {};
    for (const path of this.#known.keys()) this.#resolve(path);
    this.trigger("resolved");
  }

  /** Where a note's links lead. */
  #resolve(path: string): void {
    const { links = [], embeds = [], frontmatterLinks = [] } = this.#known.get(path) ?? {};
    const resolved: Record<string, number> = (this.resolvedLinks[path] = {});
    const unresolved: Record<string, number> = (this.unresolvedLinks[path] = {});
    for (const { link } of [...links, ...embeds, ...frontmatterLinks]) {
      const target = link.split("#")[0] ?? "";
      const found = target && this.getFirstLinkpathDest(target, path);
      if (found) resolved[found.path] = (resolved[found.path] ?? 0) + 1;
      else if (target) unresolved[target] = (unresolved[target] ?? 0) + 1;
    }
  }
}
