/** Settings as controls, by the type that each declares: switches, choices, folders of the vault, numbers and lists. */

import type { ConfigReply, NewValue, SettingType, SettingValue, SettingView } from "../../../src/contract";
import { asServerError } from "../../../src/client";
import { t } from "../../../src/texts";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h, type Attributes } from "../../lib/dom";
import { formatValue } from "../../parts/properties";
import { refusalOf } from "../../parts/refusals";
import { about, details, Loader, type Panel } from "./panel";
import { sectionTitle, settingName } from "./settingWords";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Some settings, or all with a field that filters them; `changed` is called after one was changed. */
export class Settings {
  readonly el = h("div", { class: "panel-body" });
  readonly #context: ViewContext;
  readonly #keys: readonly string[] | null;
  readonly #changed: () => void;
  readonly #loader = new Loader(this.el);
  readonly #filter = h("input", { type: "search", placeholder: t("Part of a name"), "aria-label": t("Filter settings"), autocomplete: "off" });
  readonly #list = h("div", { class: "panel-body" });
  readonly #folders = h("datalist", { id: "folders-of-vault" });
  #config: ConfigReply | null = null;

  constructor(context: ViewContext, keys: readonly string[] | null, changed: () => void = () => undefined) {
    this.#context = context;
    this.#keys = keys;
    this.#changed = changed;
    this.#filter.addEventListener("input", () => this.#drawList());
  }

  show(): void {
    if (!this.#context.has("config")) return;
    void this.#loader.load(
      () => managing(this.#context).config(),
      (config) => this.#draw(config),
    );
  }

  #draw(config: ConfigReply): (Node | null)[] {
    this.#config = config;
    this.#drawList();
    if (this.#keys) return [this.#list];
    return [this.#filter, this.#list, details(h("p", { class: "faint" }, `${t("File")}: `, h("code", {}, config.file ?? t("none"))))];
  }

  #drawList(): void {
    const { settings = [], restart = false } = this.#config ?? {};
    const sought = this.#filter.value.trim().toLowerCase();
    const isSought = ({ key }: SettingView): boolean => `${settingName(key)} ${key} ${sectionTitle(sectionOf(key))}`.toLowerCase().includes(sought);
    const shown = this.#keys ? this.#keys.flatMap((key) => settings.filter((one) => one.key === key)) : settings.filter(isSought);
    if (shown.some(({ key }) => this.#typeOf(key).kind.startsWith("folder"))) void this.#offerFolders();
    const groups = this.#keys ? [""] : [...new Set(shown.map(({ key }) => sectionOf(key)))].sort((a, b) => Number(a === "") - Number(b === "")); // folders of the computer last
    const rows = (some: readonly SettingView[]): HTMLElement => h("div", { class: "settings" }, ...some.map((one) => this.#row(one)));
    fill(
      this.#list,
      restart && !this.#keys ? h("p", { class: "warning", role: "status" }, t("Some changes take effect at the next start of the server.")) : null,
      ...groups.map((name) => (this.#keys ? rows(shown) : h("section", {}, h("h3", {}, sectionTitle(name)), rows(shown.filter(({ key }) => sectionOf(key) === name))))),
      shown.length === 0 && !this.#keys ? h("p", { class: "faint" }, t("No setting has this in its name.")) : null,
      this.#folders,
    );
  }

  /** Folders of the vault are offered while one is typed. */
  async #offerFolders(): Promise<void> {
    if (this.#folders.hasChildNodes() || !this.#context.has("stats")) return;
    try {
      const { folders } = await managing(this.#context).stats();
      fill(this.#folders, ...folders.flatMap(({ name }) => (name ? [h("option", { value: name })] : [])));
    } catch (error) {
      asServerError(error); // a folder can be typed all the same
    }
  }

  /** Older servers do not say what a setting takes. */
  #typeOf(key: string): SettingType {
    const type = this.#config?.types[key];
    if (type) return type;
    const value = this.#config?.settings.find((one) => one.key === key)?.value ?? null;
    const kind = typeof value === "boolean" ? "switch" : typeof value === "number" ? "number" : Array.isArray(value) ? "list" : "text";
    return { kind, words: [] };
  }

  #row(setting: SettingView): HTMLElement {
    const { key, value, source, writable, reason } = setting;
    const name = settingName(key);
    const mayAsk = this.#config?.confirmable.includes(key) ?? false;
    const told = h("div", { class: "setting-told", role: "status" }, ...toldOf(setting));
    const title = reason ? `${key}: ${reason}` : key;
    const row = (label: HTMLElement, control: HTMLElement): HTMLElement => h("div", { title }, label, h("div", { class: "setting-value", dir: "auto" }, control, told));
    if (!(writable || mayAsk) || !this.#context.mayAdminister) {
      if (this.#context.mayAdminister && ["default", "user"].includes(source)) told.append(h("span", { class: "faint" }, t("changed on the server’s computer alone")));
      return row(h("span", {}, name), h("code", {}, written(inUnits(value, unitOf(key)))));
    }
    const save = (wanted: NewValue): void => (mayAsk ? this.#confirm(told, key, wanted) : void this.#save(key, wanted, false));
    const unit = unitOf(key);
    const control = controlOf(this.#typeOf(key), inUnits(value, unit), (wanted) => save(typeof wanted === "number" ? wanted * unit : wanted));
    control.id = `setting-${key}`;
    if (source === "user") told.append(button(t("Reset to default"), () => save(null), { class: "plain", "aria-label": t("Reset {name}", { name }) }));
    return row(h("label", { for: control.id }, name), control);
  }

  /** What this computer decides is asked for once more. */
  #confirm(told: HTMLElement, key: string, value: NewValue): void {
    const yes = button(t("Yes, change it"), () => void this.#save(key, value, true), { class: "primary" });
    fill(told, h("span", {}, t("This decides what Notewell does on this computer. Change it?")), yes, button(t("Cancel"), () => this.#drawList(), { class: "quiet" }));
    yes.focus();
  }

  async #save(key: string, value: NewValue, confirmed: boolean): Promise<void> {
    try {
      const { settings } = await managing(this.#context).configure({ [key]: value }, confirmed);
      this.#context.showNotice(applied(settings.find((one) => one.key === key)));
      this.#changed();
    } catch (error) {
      this.#context.showNotice(refusalOf(asServerError(error)));
    }
    this.show();
  }
}

/** What applies until the next start, and where the setting was set. */
function toldOf({ key, value, running, source }: SettingView): (HTMLElement | string)[] {
  const waits = written(value) !== written(running);
  return [
    waits ? h("span", { class: "warning" }, t("from the next start of the server on; now {value}", { value: written(inUnits(running, unitOf(key))) })) : "",
    source === "default" ? "" : h("span", { class: "faint" }, t("set by {source}", { source: sourceWord(source) })),
  ].filter((one) => one !== "");
}

/** Sizes are shown in megabytes. */
const unitOf = (key: string): number => (key.endsWith("_bytes") ? 2 ** 20 : 1);
const inUnits = (value: SettingValue, unit: number): SettingValue => (typeof value === "number" && unit > 1 ? Math.round((value / unit) * 100) / 100 : value);

/** The control for what a setting takes; `save` gets a new value once it is entered. */
function controlOf({ kind, words }: SettingType, value: SettingValue, save: (value: NewValue) => void): Control {
  if (kind === "switch") return listening(h("input", { type: "checkbox", role: "switch", class: "switch", checked: value === true }), ({ checked }) => save(checked));
  if (kind === "choice") return listening(h("select", {}, ...words.map((one) => h("option", { value: one, selected: one === value }, one.replaceAll("_", " ")))), (el) => save(el.value));
  if (kind === "number") return listening(h("input", { type: "number", step: "any", value: typeof value === "number" ? String(value) : "" }), (el) => save(el.value === "" ? null : Number(el.value)));
  if (kind !== "text" && kind !== "folder") {
    const lines = linesOf(value);
    const placeholder = kind === "table" ? t("name = value") : t("one a line");
    return listening(h("textarea", { rows: Math.min(Math.max(lines.length, 1), 8), placeholder, spellcheck: "false" }, lines.join("\n")), (el) => save(kind === "table" ? tableOf(el.value) : splitLines(el.value)));
  }
  return textControl(kind === "folder" ? { list: "folders-of-vault", placeholder: t("none") } : {}, value, save);
}

/** A text; some take a word or a number, such as how much new notes are preferred. */
function textControl(more: Attributes, value: SettingValue, save: (value: NewValue) => void): Control {
  const text = h("input", { ...more, value: typeof value === "string" || typeof value === "number" ? String(value) : "", spellcheck: "false" });
  return listening(text, (el) => save(parsed(el.value.trim(), value)));
}

function listening<E extends Control>(el: E, changed: (el: E) => void): E {
  el.addEventListener("change", () => changed(el));
  return el;
}

function parsed(typed: string, before: SettingValue): NewValue {
  if (typed === "") return null;
  return (typeof before === "number" || before === null || before === "auto" || before === "off") && !Number.isNaN(Number(typed)) ? Number(typed) : typed;
}

function linesOf(value: SettingValue): readonly string[] {
  if (Array.isArray(value)) return value as readonly string[];
  return value && typeof value === "object" ? Object.entries(value).map(([name, one]) => `${name} = ${String(one)}`) : [];
}

const splitLines = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** "Projects = 1.5" by lines. What is no number is sent as it is, and the server says what is wrong. */
function tableOf(text: string): NewValue {
  const rows = splitLines(text).map((line): [string, string | number] => {
    const at = line.lastIndexOf("=");
    const shown = line.slice(at + 1).trim();
    return [line.slice(0, Math.max(0, at)).trim(), Number.isNaN(Number(shown)) ? shown : Number(shown)];
  });
  return Object.fromEntries(rows);
}

/** A value as the file has it: 8765, and not 8,765; a dash for none. */
function written(value: SettingValue): string {
  return typeof value === "number" ? String(value) : formatValue(value) || "–";
}

/** Whether a change applies already, or what applies until the server is started again. */
function applied(setting: SettingView | undefined): string {
  const isNow = !setting || written(setting.value) === written(setting.running);
  return isNow ? t("Saved; it applies at once") : t("Saved; until the server is started again, {value} applies", { value: written(setting.running) });
}

/** Where a setting was set. */
function sourceWord(source: SettingView["source"]): string {
  const words: Readonly<Record<string, string>> = {
    flag: t("the command line"),
    environment: t("the environment"),
    vault: t("the vault’s file"),
    user: t("the settings file"),
  };
  return words[source] ?? source;
}

function sectionOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf(".")));
}

/** All settings, for those who look for one. */
export class SettingsPanel implements Panel {
  readonly el = h("div");
  readonly #settings: Settings;

  constructor(context: ViewContext) {
    this.#settings = new Settings(context, null);
    this.el.append(about(t("Every setting, by name. What concerns the server’s computer, or who may use it, is changed there alone.")), this.#settings.el);
  }

  show(): void {
    this.#settings.show();
  }
}
