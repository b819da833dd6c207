/** The settings: fourteen rows, those of the server first. */

import {
  Platform,
  PluginSettingTab,
  SecretComponent,
  type Plugin,
  type Setting,
  type SettingDefinitionItem,
  type SettingGroupItem,
} from "obsidian";
import { serverUrl } from "../server";
import type { Key, ServerMode } from "../settings";
import type { Desk } from "./desk";
import { INSTALL, TOKEN_HINT } from "./explain";
import { renderCommands } from "./message";
import { whatIsMissing } from "./similarNotes";
import { inOneLine, longStatus } from "./statusText";

type Row = SettingGroupItem<Key>;

export class RecollectSettingTab extends PluginSettingTab {
  readonly #desk: Desk;

  constructor(plugin: Plugin, desk: Desk) {
    super(desk.app, plugin);
    this.#desk = desk;
    this.icon = "search";
  }

  override getSettingDefinitions(): SettingDefinitionItem<Key>[] {
    return [
      { type: "group", items: this.#server() },
      { type: "group", heading: "Results", items: RESULTS },
      { type: "group", heading: "Index", items: this.#index() },
    ];
  }

  override getControlValue(key: string): unknown {
    return this.#desk.settings.chosen[key as Key];
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    await this.#desk.settings.set(key as Key, value as never);
    this.refreshDomState();
  }

  #server(): Row[] {
    const where = (mode: ServerMode): { visible: () => boolean } => ({
      visible: () => this.#desk.settings.chosen.mode === mode,
    });
    return [
      {
        name: "Server",
        desc: "What is set for it stays on this device.",
        control: { type: "dropdown", key: "mode", options: modes() },
      },
      {
        ...where("local"),
        name: "Program",
        desc: "Its full path, if it is not found.",
        control: { type: "text", key: "program" },
      },
      {
        ...where("local"),
        name: "Start with the app",
        control: { type: "toggle", key: "autostart" },
      },
      {
        ...where("remote"),
        name: "Address",
        desc: "Use a private network or https: notes and the token travel to it.",
        control: {
          type: "text",
          key: "address",
          placeholder: "http://192.168.1.20:8765",
          validate: (value) => (serverUrl(value) === null ? "That is not an address." : undefined),
        },
      },
      {
        ...where("remote"),
        name: "Token",
        desc: TOKEN_HINT,
        render: (setting) => this.#drawToken(setting),
      },
      {
        ...where("remote"),
        name: "Vault on the server",
        desc: "Its name there, if it is another.",
        control: { type: "text", key: "remoteVault", placeholder: this.app.vault.getName() },
      },
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
      {
        name: "Diagnostics",
        desc: "Adds a command that opens them.",
        control: { type: "toggle", key: "diagnostics" },
      },
    ];
  }

  #drawToken(setting: Setting): void {
    const { settings } = this.#desk;
    setting.addComponent((el) =>
      new SecretComponent(this.app, el)
        .setValue(settings.chosen.tokenName)
        .onChange((name) => settings.set("tokenName", name)),
    );
  }

  #drawState(setting: Setting): () => void {
    const { connection, waiting, act } = this.#desk;
    const { descEl } = setting;
    const draw = (): void => {
      const { state } = connection;
      descEl.empty();
      for (const text of longStatus(state, waiting())) descEl.createDiv({ text });
      const isMissing = state.name === "offline" && state.reason === "not-installed";
      if (isMissing) renderCommands(descEl, INSTALL);
    };
    setting.addButton((button) => button.setButtonText("Reindex…").onClick(() => act("reindex-all")));
    setting.addButton((button) => button.setButtonText("Open log").onClick(() => act("open-diagnostics")));
    draw();
    return connection.subscribe(draw);
  }

  #drawTester(setting: Setting): void {
    const answer = setting.descEl.createDiv({ attr: { role: "status" } });
    let last = "";
    setting.addText((field) => {
      field.setPlaceholder("Folder/note.md");
      field.inputEl.setAttr("aria-label", "Path of a note");
      field.onChange(async (path) => {
        last = path;
        const { session } = this.#desk.connection;
        const found = session && path.trim() ? await whatIsMissing(session, path.trim()) : null;
        if (last === path) answer.setText(inOneLine(found));
      });
    });
  }
}

function modes(): Record<string, string> {
  return {
    unset: "Not set up",
    ...(Platform.isDesktopApp && { local: "Start on this computer" }),
    remote: "At an address",
  };
}

const RESULTS: Row[] = [
  {
    name: "Number of results",
    control: { type: "number", key: "resultLimit", min: 1, max: 200 },
  },
  {
    name: "Score",
    control: {
      type: "dropdown",
      key: "score",
      options: { off: "Not shown", number: "As a number", bar: "As a bar" },
    },
  },
  {
    name: "Lowest similarity",
    desc: "Of similar notes to show.",
    control: { type: "slider", key: "minScore", min: 0, max: 1, step: 0.05 },
  },
  {
    name: "Open in a new tab",
    desc: "With Ctrl or Cmd in place.",
    control: { type: "toggle", key: "openInNewTab" },
  },
  {
    name: "Follow the section",
    desc: "Notes similar to the section you are in, not to the whole note.",
    control: { type: "toggle", key: "followSection" },
  },
];
