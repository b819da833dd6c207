/** The module `obsidian`, as the plugin gets it: what is missing here fails when it is used. */

import type * as obsidian from "obsidian";
import { BasesView } from "./bases";
import { ButtonComponent, ExtraButtonComponent } from "./buttons";
import {
  DropdownComponent,
  SearchComponent,
  SecretComponent,
  SliderComponent,
  TextComponent,
  ToggleComponent,
} from "./controls";
import { addIcon, setIcon, setTooltip } from "./icons";
import { AbstractInputSuggest } from "./inputSuggest";
import { EditorSuggest } from "./editorSuggest";
import { Keymap, Scope } from "./keymap";
import { MarkdownRenderChild, MarkdownRenderer } from "./markdownRenderer";
import { editorInfoField, MarkdownView } from "./markdownView";
import { Menu, MenuItem } from "./menu";
import { environment } from "./environment";
import * as mocks from "./mocks";
import { ConfirmationModal, Modal } from "./modal";
import { Notice } from "./notice";
import { Platform } from "./platform";
import { Plugin } from "./plugin";
import { requestUrl } from "./request";
import { Setting } from "./setting";
import { PluginSettingTab } from "./settingTab";
import { FuzzySuggestModal, SuggestModal } from "./suggestModal";
import { FileSystemAdapter } from "./vault";
import { ItemView, View } from "./views";

/** Functions and objects have the app's types; classes are checked where they are defined. */
const getLanguage = (): string => environment.language;
const functions = { ...mocks, addIcon, editorInfoField, getLanguage, Platform, requestUrl, setIcon, setTooltip } satisfies Partial<typeof obsidian>;

const classes = {
  AbstractInputSuggest,
  BasesView,
  ButtonComponent,
  ConfirmationModal,
  DropdownComponent,
  EditorSuggest,
  ExtraButtonComponent,
  FileSystemAdapter,
  FuzzySuggestModal,
  ItemView,
  Keymap,
  MarkdownRenderChild,
  MarkdownRenderer,
  MarkdownView,
  Menu,
  MenuItem,
  Modal,
  Notice,
  Plugin,
  PluginSettingTab,
  Scope,
  SearchComponent,
  SecretComponent,
  Setting,
  SliderComponent,
  SuggestModal,
  TextComponent,
  ToggleComponent,
  View,
} satisfies { readonly [K in keyof typeof obsidian]?: unknown };

const api: Record<string, unknown> = { ...functions, ...classes };

/** A plugin that asks for what the host lacks should say so, and not fail somewhere later. */
export const obsidianModule = new Proxy(api, {
  get(target, name) {
    if (typeof name === "symbol" || name in target) return target[name as string];
    throw new Error(`The host lacks “${name}” of the module obsidian.`);
  },
});
