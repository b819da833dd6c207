/** Settings as they hold, who set them, and those that may be changed from here. */

import type { ConfigReply, NewValue, SettingValue, SettingView } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { written } from "../../parts/properties";
import { heading, Loader, tell, type Panel } from "./panel";

export class ConfigPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    const about = "What concerns this server’s machine, and who may ask it, is changed on that machine alone.";
    this.el.append(heading("Settings", about), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#context.vaultClient.config(),
      (config) => this.#draw(config),
    );
  }

  #draw({ file, restart, settings }: ConfigReply): (Node | null)[] {
    const sections = new Set(settings.map(sectionOf));
    return [
      restart ? h("p", { class: "warning", role: "status" }, "Some changes hold from the next start of the server on.") : null,
      h("p", { class: "faint" }, "File: ", h("code", {}, file ?? "none")),
      ...[...sections].map((name) => {
        const rows = settings.filter((one) => sectionOf(one) === name).map((one) => this.#row(one));
        return h("section", {}, h("h2", {}, name || "General"), h("dl", { class: "settings" }, ...rows));
      }),
    ];
  }

  #row(setting: SettingView): HTMLElement {
    const { key, value, source, writable, reason } = setting;
    const name = key.slice(key.indexOf(".") + 1).replaceAll("_", " ");
    const said = source === "default" ? "" : `set by ${source}`;
    const mayChange = writable && this.#context.mayAdminister;
    const dd = h("dd", { dir: "auto" }, h("code", {}, written(value)), h("span", { class: "faint" }, said));
    if (mayChange) dd.append(button("Change", () => this.#edit(dd, setting), { class: "plain", "aria-label": `Change ${name}` }));
    return h("div", { title: reason }, h("dt", {}, name), dd);
  }

  #edit(dd: HTMLElement, { key, value, default: usual }: SettingView): void {
    const shown = Array.isArray(value) ? value.join(", ") : `${(value ?? "") as string | number | boolean}`;
    const field = h("input", { value: shown, "aria-label": key });
    const save = (event: Event): void => {
      event.preventDefault();
      this.#save(key, meant(field.value, value ?? usual));
    };
    const form = h(
      "form",
      { class: "login-row", on: { submit: save } },
      field,
      h("button", { class: "primary" }, "Save"),
      button("As it was made", () => this.#save(key, null), { class: "quiet" }),
    );
    fill(dd, form);
    field.focus();
  }

  #save(key: string, value: NewValue): void {
    const change = (): Promise<unknown> => this.#context.vaultClient.configure({ [key]: value });
    void tell(this.#context, "Kept for the next start of the server", change).then((isDone) => isDone && this.show());
  }
}

function sectionOf({ key }: SettingView): string {
  return key.slice(0, Math.max(0, key.indexOf(".")));
}

/** What was typed, in the kind that the setting has; the server says where it is not fitting. */
function meant(text: string, like: SettingValue): NewValue {
  const typed = text.trim();
  if (Array.isArray(like)) return typed ? typed.split(",").map((part) => part.trim()) : [];
  if (typeof like === "boolean") return /^(true|yes|on)$/i.test(typed);
  if (typed !== "" && (typeof like === "number" || like === null) && !Number.isNaN(Number(typed))) return Number(typed);
  return typed === "" ? null : typed;
}
