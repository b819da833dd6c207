/** The settings panel: values, where they were set, and a form for those that can be changed here. */

import type { ConfigReply, NewValue, SettingValue, SettingView } from "../../../src/contract";
import { chooseLanguage, chosenLanguage, offeredLanguages } from "../../app/language";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { asServerError } from "../../../src/client";
import { button, fill, h } from "../../lib/dom";
import { formatValue } from "../../parts/properties";
import { refusalOf } from "../../parts/refusals";
import { details, heading, Loader, type Panel } from "./panel";
import { sectionTitle, settingWords } from "./settingWords";
import { t, tparts } from "../../../src/texts";

export class ConfigPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    const about = t("Settings about the server’s computer, or about who may use it, can only be changed there.");
    this.el.append(heading(t("Settings"), about), languageChoice(), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => managing(this.#context).config(),
      (config) => this.#draw(config),
    );
  }

  #draw({ file, restart, settings }: ConfigReply): (Node | null)[] {
    const sections = new Set(settings.map(sectionOf));
    return [
      restart ? h("p", { class: "warning", role: "status" }, t("Some changes take effect at the next start of the server.")) : null,
      h("p", { class: "faint" }, `${t("File")}: `, h("code", {}, file ?? t("none"))),
      ...[...sections].map((name) => this.#section(sectionTitle(name), settings.filter((one) => sectionOf(one) === name))),
    ];
  }

  /** What most people look for, and what somebody has set; the rest is folded away. */
  #section(title: string, settings: readonly SettingView[]): HTMLElement {
    const isShown = ({ key, source }: SettingView): boolean => settingWords(key).isCommon || source !== "default";
    const list = (some: readonly SettingView[]): HTMLElement | null => (some.length ? h("dl", { class: "settings" }, ...some.map((one) => this.#row(one))) : null);
    const rest = list(settings.filter((one) => !isShown(one)));
    return h("section", {}, h("h2", {}, title), list(settings.filter(isShown)), rest ? details(rest) : null);
  }

  #row(setting: SettingView): HTMLElement {
    const { key, value, running, source, writable, reason } = setting;
    const { name } = settingWords(key);
    const origin = source === "default" ? "" : t("set by {source}", { source: sourceWord(source) });
    const waits = written(value) !== written(running);
    const until = waits ? h("span", { class: "warning" }, t("from the next start of the server on; now {value}", { value: written(running) })) : null;
    const mayChange = writable && this.#context.mayAdminister;
    const dd = h("dd", { dir: "auto" }, h("code", {}, written(value)), h("span", { class: "faint" }, origin), until);
    if (mayChange) dd.append(button(t("Change"), () => this.#edit(dd, setting), { class: "plain", "aria-label": t("Change {name}", { name }) }));
    return h("div", { title: reason ? `${key}: ${reason}` : key }, h("dt", {}, name), dd);
  }

  #edit(dd: HTMLElement, { key, value, default: defaultValue }: SettingView): void {
    const present = Array.isArray(value) ? value.join(", ") : `${(value ?? "") as string | number | boolean}`;
    const field = h("input", { value: present, "aria-label": settingWords(key).name });
    const save = (event: Event): void => {
      event.preventDefault();
      this.#save(key, parseValue(field.value, value ?? defaultValue));
    };
    const form = h(
      "form",
      { class: "login-row", on: { submit: save } },
      field,
      h("button", { class: "primary" }, t("Save")),
      button(t("Reset to default"), () => this.#save(key, null), { class: "quiet" }),
    );
    fill(dd, form, h("span", { class: "faint" }, ...tparts("In the settings file: {key}", { key: h("code", {}, key) })));
    field.focus();
  }

  #save(key: string, value: NewValue): void {
    const change = async (): Promise<void> => {
      const { settings } = await managing(this.#context).configure({ [key]: value });
      this.#context.showNotice(applied(settings.find((one) => one.key === key)));
      this.show();
    };
    change().catch((error: unknown) => this.#context.showNotice(refusalOf(asServerError(error))));
  }
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

/** The language of this browser's pages; the choice shows at once, because the page is loaded anew. */
function languageChoice(): HTMLElement {
  const present = chosenLanguage();
  const names = offeredLanguages().map((code): [string, string] => [code, new Intl.DisplayNames(code, { type: "language" }).of(code) ?? code]);
  const options = [["", t("The browser’s")] as const, ...names].map(([code, name]) => h("option", { value: code, selected: code === present }, name));
  const choose = (event: Event): void => {
    chooseLanguage((event.target as HTMLSelectElement).value);
    location.reload();
  };
  return h("p", {}, h("label", {}, t("Language of these pages"), " ", h("select", { on: { change: choose } }, ...options)));
}

function sectionOf({ key }: SettingView): string {
  return key.slice(0, Math.max(0, key.indexOf(".")));
}

/** Converts typed text to the setting's type; the server rejects invalid values. */
function parseValue(text: string, like: SettingValue): NewValue {
  const typed = text.trim();
  if (Array.isArray(like)) return typed ? typed.split(",").map((part) => part.trim()) : [];
  if (typeof like === "boolean") return /^(true|yes|on)$/i.test(typed);
  if (typed !== "" && (typeof like === "number" || like === null) && !Number.isNaN(Number(typed))) return Number(typed);
  return typed === "" ? null : typed;
}
