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
