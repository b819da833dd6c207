/** The settings tab: the server, the results, what is read, and privacy. The app searches names, texts and aliases. */

import {
  Platform,
  PluginSettingTab,
  SecretComponent,
  type ButtonComponent,
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
import { INSTALL, tokenHint } from "./explain";
import { renderCommands } from "./message";
import { drawConsent, drawExcluded, drawHistory, drawLoadPhone, drawLocalIndex, drawPairing, drawPhoneIndex, explainPath } from "./settingsRows";
import { inOneLine, longStatus } from "./statusText";
import { ICON } from "./icon";
import { STATUS } from "./controls";
import { t } from "../texts";

type Row = SettingGroupItem<Key>;
type Control = SettingControl<Key>;
type Options<T> = Omit<Extract<Control, { type: T }>, "type" | "key">;

export class NotewellSettingTab extends PluginSettingTab {
  override icon = ICON;
  readonly #context: ViewContext;

  constructor(plugin: Plugin, context: ViewContext) {
    super(context.app, plugin);
    this.#context = context;
  }

  override getSettingDefinitions(): SettingDefinitionItem<Key>[] {
    return [
      { type: "group", items: this.#server() },
      { type: "group", heading: t("Results"), items: results() },
      { type: "group", heading: t("Writing"), items: writing() },
      { type: "group", heading: t("Index"), items: this.#index() },
      { type: "group", heading: t("Privacy"), items: this.#privacy() },
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
      row(t("Server"), t("These settings stay on this device."), "dropdown", "mode", {
        options: modes(),
      }),
      this.#drawn(t("Pairing"), t("link, phone, device, connect"), drawPairing, pairingHint()),
      where("local", row(t("Program"), t("Its full path, if it is not found."), "text", "program")),
      where("local", row(t("Start with the app"), "", "toggle", "autostart")),
      where("remote", row(t("Address"), addressHint(), "text", "address", ADDRESS)),
      where("remote", { name: t("Token"), desc: tokenHint(), render: (setting) => this.#drawToken(setting) }),
      where(
        "remote",
        row(t("Vault on the server"), t("Its name there, if different."), "text", "remoteVault", {
          placeholder,
        }),
      ),
    ];
  }

  #index(): Row[] {
    return [
      this.#drawn(t("State"), t("reindex, model"), (setting) => this.#drawState(setting)),
      this.#drawn(t("Excluded folders"), t("ignore, exclude"), drawExcluded, excludedHint()),
      this.#drawn(
        t("Why is a note not found?"),
        t("excluded, rule, missing"),
        (setting) => this.#drawTester(setting),
        t("Enter its path to see which rule leaves it out."),
      ),
      row(t("Read the text of notes"), localHint(), "toggle", "localText"),
      this.#drawn(t("Word index on this device"), t("local index, size, rebuild, storage"), drawLocalIndex),
      this.#phone(),
    ];
  }

  /** On a phone, whether the file of vectors is loaded; elsewhere, whether it is written. */
  #phone(): Row {
    if (Platform.isMobile) return this.#drawn(t("Load on mobile"), t("phone, meaning, offline, vectors, memory"), drawLoadPhone, phoneHint());
    return this.#drawn(
      t("Meaning on phones"),
      t("phone index, mobile, sync, offline"),
      drawPhoneIndex,
      t("A file in the vault, for search by meaning where no server answers."),
    );
  }

  #privacy(): Row[] {
    return [
      this.#drawn(t("What you agreed to"), t("privacy, consent, upload, withdraw"), drawConsent),
      this.#drawn(t("Earlier searches"), t("privacy, history, recent"), drawHistory),
    ];
  }

  /** A row that `draw` fills. The app's search finds it by its name and by `words`, which commas separate. */
  #drawn(name: string, words: string, draw: (setting: Setting, context: ViewContext) => void | (() => void), desc = ""): Row {
    return { name, desc, aliases: words.split(", "), render: (setting) => draw(setting, this.#context) };
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
    let reindex: ButtonComponent | null = null;
    const draw = (): void => {
      const { state } = connection;
      descEl.empty();
      for (const text of longStatus(this.#context)) descEl.createDiv({ text });
      reindex?.setDisabled(!connection.session);
      const isMissing = state.name === "offline" && state.why === "not-installed";
      if (isMissing) renderCommands(descEl, INSTALL);
    };
    setting.addButton((button) => (reindex = button.setButtonText(t("Reindex…")).onClick(() => act("reindex-all"))));
    setting.addButton((button) => button.setButtonText(t("Open log")).onClick(() => act("open-diagnostics")));
    draw();
    void drawSuggestion(setting.descEl.createDiv(), connection.session);
    return connection.subscribe(draw);
  }

  #drawTester(setting: Setting): void {
    const resultEl = setting.descEl.createDiv({ attr: STATUS });
    let last = "";
    setting.addText((field) => {
      field.setPlaceholder(t("Folder/note.md"));
      field.inputEl.setAttr("aria-label", t("Path of a note"));
      field.onChange(async (path) => {
        last = path;
        const found = path.trim() ? await explainPath(this.#context, path.trim()) : null;
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
      el.createDiv({ text: `${costText(service)} ${t("Nothing is sent until it is allowed on the server's computer:")}` });
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
    unset: t("Not set up"),
    ...(Platform.isDesktopApp && { local: t("Start on this computer") }),
    remote: t("At an address"),
  };
}

const addressHint = (): string => t("Use a private network or https: notes and the token are sent to it.");
const ADDRESS = {
  placeholder: "http://192.168.1.20:8765",
  validate: (value: string): string | undefined =>
    serverUrl(value) === null ? t("This is not a valid address.") : undefined,
};
const scores = (): { options: { off: string; match: string; number: string; bar: string; }; } => ({ options: { off: t("Not shown"), match: t("In words"), number: t("As a number"), bar: t("As a bar") } });

const least = (): { options: { strong: string; related: string; weak: string; }; } => ({ options: { strong: t("Strong matches"), related: t("Related notes"), weak: t("Everything") } });
const densities = (): { options: { compact: string; full: string; }; } => ({ options: { compact: t("Compact rows"), full: t("Longer passages") } });
const pairingHint = (): string => t("Paste a link from “notewell pair” or the server's devices page. Nothing is sent before you agree.");
const excludedHint = (): string => t("The app's excluded files are left out; the server's own rules come on top.");
const localHint = (): string => t("For search without a server. Without it, only names, headings, tags and properties are found there.");

const phoneHint = (): string => t("Meaning without a server, from a file that the server writes into the vault: up to 20 MB of memory.");

const results = (): Row[] => [
  row(t("Number of results"), "", "number", "resultLimit", { min: 1, max: 200 }),
  row(t("Score"), "", "dropdown", "score", scores()),
  row(t("Least match"), t("What matches less is folded."), "dropdown", "leastMatch", least()),
  row(t("Density"), "", "dropdown", "density", densities()),
  row(t("Open in a new tab"), t("Ctrl or Cmd then opens in the same tab."), "toggle", "openInNewTab"),
  row(
    t("Use the current section"),
    t("Similar to the section you are in, not to the whole note."),
    "toggle",
    "followSection",
  ),
  row(t("Similar notes below the note"), t("A footer in every open note."), "toggle", "footer"),
];

const completeHint = (): string => t("Type [[? after a sentence to link a note that is near in meaning. [[ stays as it is.");
const mentionsHint = (): string => t("A mark under names of other notes that are not linked.");

const whileHint = (): string => t("In a pause, a note that the paragraph may need, in a line below it.");

const writing = (): Row[] => [
  row(t("Complete links by meaning"), completeHint(), "toggle", "completeLinks"),
  row(t("Mark names of notes"), mentionsHint(), "toggle", "markMentions"),
  row(t("Suggest a note while writing"), whileHint(), "toggle", "whileWriting"),
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
