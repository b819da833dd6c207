/** The notes of the app's vault, as the word index reads them. */

import { getAllTags, parseFrontMatterAliases, Platform, type App, type EventRef, type TFile } from "obsidian";
import type { Facts } from "./facts";
import { LocalIndex } from "./localIndex";
import { PHONE_INDEX } from "./phoneFile";
import { PhoneIndex, type PhoneStore } from "./phoneIndex";
import type { LocalVault } from "./reader";
import type { Stamp } from "./segment";
import { IndexedDbStore } from "./store";

/** Characters of text that are indexed at most, so that a phone keeps its memory. */
const PHONE_LIMIT = 20_000_000;
const DESKTOP_LIMIT = 100_000_000;

/** The part of the app's metadata cache that knows “Excluded files”; it is not in the public typings. */
interface KnowsIgnored {
  isUserIgnored?(path: string): boolean;
}

/** Whether the app's “Excluded files” leave out a path; the word index then does too. */
export function isExcluded({ metadataCache }: App, path: string): boolean {
  return (metadataCache as KnowsIgnored).isUserIgnored?.(path) ?? false;
}

/** The database of this vault's word index: vaults of one name have different ids. */
function storeName(app: App): string {
  const { appId } = app as App & { appId?: string };
  return `notewell-words-${appId ?? app.vault.getName()}`;
}

function localVault(app: App): LocalVault {
  const { vault } = app;
  const stampOf = ({ path, stat }: TFile): Stamp => ({ path, mtime: stat.mtime, size: stat.size });
  const fileAt = (path: string): TFile | null => {
    const file = vault.getFileByPath(path);
    return file?.extension === "md" && !isExcluded(app, path) ? file : null;
  };
  return {
    stamps: () => vault.getMarkdownFiles().filter(({ path }) => !isExcluded(app, path)).map(stampOf),
    stamp: (path) => {
      const file = fileAt(path);
      return file && stampOf(file);
    },
    facts: (path) => {
      const file = fileAt(path);
      return file && factsOf(app, file);
    },
    read: async (path) => {
      const file = vault.getFileByPath(path);
      return file ? vault.cachedRead(file) : "";
    },
  };
}

function factsOf({ metadataCache }: App, file: TFile): Facts {
  const cache = metadataCache.getFileCache(file);
  const { position: _, ...properties } = (cache?.frontmatter ?? {}) as Record<string, unknown>;
  return {
    path: file.path,
    title: file.basename,
    aliases: parseFrontMatterAliases(cache?.frontmatter ?? null) ?? [],
    headings: (cache?.headings ?? []).map(({ heading, level, position }) => ({ text: heading, level, line: position.start.line })),
    tags: cache ? (getAllTags(cache) ?? []).map((tag) => tag.replace(/^#/, "")) : [],
    properties: properties as Facts["properties"],
    created: file.stat.ctime,
    modified: file.stat.mtime,
  };
}

/** By the adapter: the app may not list files of types that it cannot open. */
function phoneStore({ vault }: App): PhoneStore {
  const { adapter } = vault;
  return { stat: () => adapter.stat(PHONE_INDEX), read: () => adapter.readBinary(PHONE_INDEX), has: (path) => vault.getFileByPath(path) !== null };
}

/** Calls `changed` with the paths of notes that were made, changed, renamed or removed. Call it when the layout is ready. */
export function followNotes({ vault, metadataCache }: App, register: (event: EventRef) => void, changed: (path: string) => void): void {
  register(metadataCache.on("changed", ({ path }) => changed(path)));
  register(vault.on("create", ({ path }) => changed(path)));
  register(vault.on("delete", ({ path }) => changed(path)));
  register(
    vault.on("rename", ({ path }, from) => {
      changed(from);
      changed(path);
    }),
  );
}

/** The word index of the app's vault; nothing is read before it begins. */
export function localIndex(app: App): LocalIndex {
  return new LocalIndex({
    vault: localVault(app),
    store: new IndexedDbStore(storeName(app)),
    limit: Platform.isMobile ? PHONE_LIMIT : DESKTOP_LIMIT,
    links: () => app.metadataCache.resolvedLinks,
    phone: new PhoneIndex(phoneStore(app)),
  });
}
