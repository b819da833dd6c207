/** What of obsidian-test-mocks serves as it is: the DOM helpers, events, files and small functions. */

import * as mocks from "obsidian-test-mocks/obsidian";
import { setup } from "obsidian-test-mocks/setup";
import type * as obsidian from "obsidian";

setup(); // before any class of the host is used: they build their elements with these helpers

type Kept =
  | "Component"
  | "Events"
  | "TAbstractFile"
  | "TFile"
  | "TFolder"
  | "debounce"
  | "getAllTags"
  | "normalizePath"
  | "parseFrontMatterAliases"
  | "parseLinktext"
  | "prepareFuzzySearch"
  | "stripHeading"
  | "stripHeadingForLink";

export const {
  Component,
  Events,
  TAbstractFile,
  TFile,
  TFolder,
  debounce,
  getAllTags,
  normalizePath,
  parseFrontMatterAliases,
  parseLinktext,
  prepareFuzzySearch,
  stripHeading,
  stripHeadingForLink,
} = mocks as unknown as Pick<typeof obsidian, Kept>;

/** Parses a note as the mocks' metadata cache does, which keeps its parser to itself. */
export function parseNote(path: string, text: string): obsidian.CachedMetadata {
  const vault = mocks.Vault.create2__(mocks.FileSystemAdapter.create__("/").asOriginalType__());
  const app = { vault: { readSync__: () => text, getFileByPath: () => null, getFiles: () => [] } };
  const cache = mocks.MetadataCache.create2__(app as unknown as mocks.App, vault);
  vault.trigger("create", mocks.TFile.create__(vault, path));
  return (cache.getCache(path) ?? {});
}
