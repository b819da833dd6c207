/** The settings tab: the server, the results and the index. */

import {
  Platform,
  PluginSettingTab,
  SecretComponent,
  type Plugin,
  type Setting,
  type SettingControl,
  type SettingDefinitionItem,
  type SettingGroupItem,
} from "obsidian";
import { asServerError } from "../client";
import type { Session } from "../connection";
import { costText } from "../format";
import { serverUrl } from "../server";
import type { Key, ServerMode } from "../settings";
import type { ViewContext } from "./viewContext";
import { INSTALL, TOKEN_HINT } from "./explain";
import { renderCommands } from "./message";
import { explainMissingNote } from "./similarNotes";
import { inOneLine, longStatus } from "./statusText";

type Row = SettingGroupItem<Key>;
type Control = SettingControl<Key>;
type Options<T> = Omit<Extract<Control, { type: T }>, "type" | "key">;

export class NotewellSettingTab extends PluginSettingTab {
  override icon = "search";
  readonly #context: ViewContext;

  constructor(plugin: Plugin, context: ViewContext) {
    super(context.app, plugin);
    this.#context = context;
  }

  override getSettingDefinitions(): SettingDefinitionItem<Key>[] {
    return [
      { type: "group", items: this.#server() },
      { type: "group", heading: "Results", items: RESULTS },
      { type: "group", heading: "Index", items: this.#index() },
    ];
  }

  override getControlValue(key: string): unknown {
    return this.#context.settings.chosen[key as Key];
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    await this.#context.settings.set(key as Key, value as never);
    this.refreshDomState();
  }

  #server(): Row[] {
    const where = (mode: ServerMode, definition: Row): Row => ({
      ...definition,
      visible: () => this.#context.settings.chosen.mode === mode,
    });
    const placeholder = this.app.vault.getName();
    return [
      row("Server", "These settings stay on this device.", "dropdown", "mode", {
        options: modes(),
      }),
      where("local", row("Program", "Its full path, if it is not found.", "text", "program")),
      where("local", row("Start with the app", "", "toggle", "autostart")),
      where("remote", row("Address", ADDRESS_HINT, "text", "address", ADDRESS)),
      where("remote", {
        name: "Token",
        desc: TOKEN_HINT,
        render: (setting) => this.#drawToken(setting),
      }),
      where(
        "remote",
        row("Vault on the server", "Its name there, if different.", "text", "remoteVault", {
          placeholder,
        }),
      ),
    ];
  }

  #index(): Row[] {
    return [
      { name: "State", render: (setting) => this.#drawState(setting) },
      {
        name: "Why is a note not found?",
        desc: "Enter its path.",
        render: (setting) => this.#drawTester(setting),
      },
      row("Diagnostics", "Adds a command that shows diagnostics.", "toggle", "diagnostics"),
    ];
  }

  #drawToken(setting: Setting): void {
    const { settings } = this.#context;
    setting.addComponent((el) =>
      new SecretComponent(this.app, el)
        .setValue(settings.chosen.tokenName)
        .onChange((name) => settings.set("tokenName", name)),
    );
  }

  #drawState(setting: Setting): () => void {
    const { connection, act } = this.#context;
    const descEl = setting.descEl.createDiv();
    const draw = (): void => {
      const { state } = connection;
      descEl.empty();
      for (const text of longStatus(this.#context)) descEl.createDiv({ text });
      const isMissing = state.name === "offline" && state.why === "not-installed";
      if (isMissing) renderCommands(descEl, INSTALL);
    };
    setting.addButton((button) => button.setButtonText("Reindex…").onClick(() => act("reindex-all")));
    setting.addButton((button) => button.setButtonText("Open log").onClick(() => act("open-diagnostics")));
    draw();
    void drawSuggestion(setting.descEl.createDiv(), connection.session);
    return connection.subscribe(draw);
  }

  #drawTester(setting: Setting): void {
    const resultEl = setting.descEl.createDiv({ attr: { role: "status" } });
    let last = "";
    setting.addText((field) => {
      field.setPlaceholder("Folder/note.md");
      field.inputEl.setAttr("aria-label", "Path of a note");
      field.onChange(async (path) => {
        last = path;
        const { session } = this.#context.connection;
        const found = session && path.trim() ? await explainMissingNote(session, path.trim()) : null;
        if (last === path) resultEl.setText(inOneLine(found));
      });
    });
  }
}

/** Says which model reads the notes better, if another one does. */
async function drawSuggestion(el: HTMLElement, session: Session | null): Promise<void> {
  if (!session?.features.includes("models_suggest")) return;
  try {
    const { suggestion, service } = await session.client.suggestedModel();
    if (service && !service.allowed) {
      el.createDiv({ text: `${costText(service)} Nothing is sent until it is allowed on the server's computer:` });
      renderCommands(el, [`notewell models allow ${service.host}`]);
    }
    if (!suggestion) return;
    el.createDiv({ text: suggestion.reason });
    renderCommands(el, [`notewell index --model ${suggestion.name}`]);
  } catch (error) {
    asServerError(error); // the state is shown without it
  }
}

function modes(): Record<string, string> {
  return {
    unset: "Not set up",
    ...(Platform.isDesktopApp && { local: "Start on this computer" }),
    remote: "At an address",
  };
}

const ADDRESS_HINT = "Use a private network or https: notes and the token are sent to it.";
const ADDRESS = {
  placeholder: "http://192.168.1.20:8765",
  validate: (value: string): string | undefined =>
    serverUrl(value) === null ? "This is not a valid address." : undefined,
};
const SCORES = { options: { off: "Not shown", match: "In words", number: "As a number", bar: "As a bar" } };

const RESULTS: Row[] = [
  row("Number of results", "", "number", "resultLimit", { min: 1, max: 200 }),
  row("Score", "", "dropdown", "score", SCORES),
  row("Minimum similarity", "Less similar notes are not shown.", "slider", "minScore", {
    min: 0,
    max: 1,
    step: 0.05,
  }),
  row("Open in a new tab", "Ctrl or Cmd then opens in the same tab.", "toggle", "openInNewTab"),
  row(
    "Use the current section",
    "Notes similar to the section you are in, not to the whole note.",
    "toggle",
    "followSection",
  ),
];

/** A row with one control; `more` holds further options of that kind of control. */
function row<T extends Control["type"]>(
  name: string,
  desc: string,
  type: T,
  key: Key,
  ...[more]: Partial<Options<T>> extends Options<T> ? [more?: Options<T>] : [more: Options<T>]
): Row {
  return { name, desc, control: { type, key, ...more } as Control };
}
