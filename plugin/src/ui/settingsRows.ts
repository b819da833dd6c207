/** Rows of the settings tab that are more than one control: each says what is so, and offers what can be done. */

import type { ButtonComponent, Setting } from "obsidian";
import { count } from "../format";
import { isExcluded } from "../local/obsidianVault";
import { openSettingsTab } from "../obsidianApp";
import type { DeviceSettings } from "../settings";
import { message, type Explanation } from "./explain";
import { openPage } from "./open";
import { explainMissingNote } from "./similarNotes";
import type { ViewContext } from "./viewContext";
import { STATUS } from "./controls";
import { number, t } from "../texts";

/** Where the app has its own “Excluded files”. */
const FILES_TAB = "file";
const MEGABYTE = 1_000_000;

/** The app's own configuration, which is not in its public typings. */
interface KnowsConfig {
  getConfig?(name: string): unknown;
}

/** Why a note is found or not: by the server's ledger, or without a server by what the app leaves out. */
export async function explainPath({ app, connection }: ViewContext, path: string): Promise<Explanation> {
  if (connection.session) return explainMissingNote(connection.session, path);
  if (isExcluded(app, path)) return message(t("This note is excluded"), t("One of the app's excluded files matches it."));
  if (!app.vault.getFileByPath(path)) return message(t("There is no such file"), t("A path has all folders, and the ending “.md”."));
  if (!path.endsWith(".md")) return message(t("Not searched without a server"), t("Other files are read by the server only."));
  return message(t("Found by words"), t("Without a server, no rule leaves it out."));
}

/** The app's excluded files, and how many files the server leaves out. */
export function drawExcluded(setting: Setting, { app, connection }: ViewContext): () => void {
  const el = setting.descEl.createDiv();
  const draw = (): void => {
    const rules = (app.vault as KnowsConfig).getConfig?.("userIgnoreFilters");
    const named = Array.isArray(rules) && rules.length > 0 ? t("Now: {rules}.", { rules: rules.join(", ") }) : t("The app excludes none.");
    const excluded = connection.lastStatus?.ledger.excluded ?? 0;
    el.setText([named, excluded > 0 && t("The server leaves out {files}.", { files: count(excluded, "file") })].filter(Boolean).join(" "));
  };
  setting.addButton((button) => button.setButtonText(t("Change…")).onClick(() => openSettingsTab(app, FILES_TAB)));
  draw();
  return connection.subscribe(draw);
}

/** How large the word index of this device is. */
export function drawLocalIndex(setting: Setting, { local }: ViewContext): () => void {
  const { reader } = local;
  const el = setting.descEl.createDiv({ attr: STATUS });
  let rebuild: ButtonComponent | null = null;
  const draw = (): void => {
    const { index, size, left, skipped, isComplete, problem } = reader;
    const parts = [
      t("{notes}, {size} MB of text.", { notes: count(index.size, "note"), size: number(size / MEGABYTE, 1) }),
      left > 0 && t("{left} still to be read.", { left }),
      skipped > 0 && t("{notes} beyond the limit, by names and headings only.", { notes: count(skipped, "note") }),
      problem,
    ];
    el.setText(parts.filter(Boolean).join(" "));
    rebuild?.setDisabled(!isComplete);
  };
  setting.addButton((button) => (rebuild = button.setButtonText(t("Rebuild")).onClick(() => reader.rebuild())));
  draw();
  return reader.subscribe(draw);
}

/** Whether the phone index is loaded on this device, and what there is of it. */
export function drawLoadPhone(setting: Setting, { settings, local }: ViewContext): () => void {
  const el = setting.descEl.createDiv({ attr: STATUS });
  const draw = (): void => el.setText(local.phone.text);
  setting.addToggle((toggle) => {
    toggle.setValue(settings.chosen.loadPhone).onChange(async (isWanted) => {
      await settings.set("loadPhone", isWanted);
      await local.phone.get();
      draw();
    });
  });
  draw();
  return local.phone.subscribe(draw);
}

/** The phone index is written and deleted on a page of the server, which says what it holds and asks first. */
export function drawPhoneIndex(setting: Setting, { connection }: ViewContext): () => void {
  let open: ButtonComponent | null = null;
  setting.addButton((button) => (open = button.setButtonText(t("Open the page")).onClick(() => openPage(connection.session, "manage/devices"))));
  const draw = (): unknown => open?.setDisabled(!connection.session);
  draw();
  return connection.subscribe(draw);
}

/** A field for a pairing link, for where a link cannot be opened. */
export function drawPairing(setting: Setting, { pair }: ViewContext): void {
  let link = "";
  setting.addText((field) => {
    field.setPlaceholder(t("Paste the link")).onChange((value) => (link = value));
    field.inputEl.setAttr("aria-label", t("Pairing link"));
  });
  setting.addButton((button) => button.setButtonText(t("Pair")).onClick(() => pair(link)));
}

/** What was agreed to on this device, and a button that takes it back. */
export function drawConsent(setting: Setting, { settings }: ViewContext): () => void {
  const el = setting.descEl.createDiv();
  let withdraw: ButtonComponent | null = null;
  const draw = (): void => {
    const agreed = agreements(settings.chosen);
    el.empty();
    for (const text of agreed) el.createDiv({ text });
    if (agreed.length === 0) el.setText(t("Nothing yet: no program is started and no note is sent without a question."));
    withdraw?.setDisabled(agreed.length === 0);
  };
  setting.addButton((button) => (withdraw = button.setButtonText(t("Ask again")).onClick(() => settings.withdrawConsent())));
  draw();
  return settings.subscribe(draw);
}

function agreements({ startAgreed, uploadAgreed, writeAgreed }: DeviceSettings): string[] {
  return [
    startAgreed && t("The program on this computer is started, and reads the vault."),
    uploadAgreed && t("The text of notes is sent to {uploadAgreed}.", { uploadAgreed }),
    writeAgreed && t("Notes that {writeAgreed} wrote are added to the vault.", { writeAgreed }),
  ].filter((text): text is string => Boolean(text));
}

/** The searches that the search panel and quick search offer again. */
export function drawHistory(setting: Setting, { settings }: ViewContext): () => void {
  const el = setting.descEl.createDiv();
  let forget: ButtonComponent | null = null;
  const draw = (): void => {
    const { length } = settings.chosen.history;
    el.setText(length > 0 ? t("{queries}, on this device only.", { queries: count(length, "query", "queries") }) : t("None."));
    forget?.setDisabled(length === 0);
  };
  setting.addButton((button) => (forget = button.setButtonText(t("Forget")).onClick(() => settings.set("history", []))));
  draw();
  return settings.subscribe(draw);
}
