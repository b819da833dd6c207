/** Confirmation dialogs, notices about failed requests, and the list of notes that could not be indexed. */

import { ConfirmationModal, Modal, Notice, Setting, type App } from "obsidian";
import type { ChangeQueue } from "../changes";
import { asServerError } from "../client";
import type { Session } from "../connection";
import type { Guard, LedgerRow } from "../contract";
import { vaultNotes } from "../obsidianApp";
import { ServerNotes } from "../serverNotes";
import type { Settings } from "../settings";
import { missingNotesKept } from "./explain";
import { count } from "../format";
import { openPlace } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

export const reindexAllText = (): string => t("Reindex the vault from scratch");

/** A button's label and the value that it stands for. */
type Answer<T> = readonly [label: string, value: T, style?: "setDestructive" | "setCta"];

export type Question = readonly [title: string, text: string, agree: string];

/** The value of the button that was pressed; null where the dialog was closed. */
function ask<T>(
  app: App,
  title: string,
  text: string,
  answers: readonly Answer<T>[],
  later: string,
): Promise<T | null> {
  return new Promise((resolve) => {
    let given: T | null = null;
    const modal = new ConfirmationModal(app)
      .setTitle(title)
      .setContent(text)
      .setCloseCallback(() => resolve(given));
    for (const [label, value, style] of answers) {
      modal.addButton((button) => {
        button.setButtonText(label).onClick(() => (given = value));
        if (style) button[style]();
      });
    }
    modal.addCancelButton(later).open();
  });
}

/** Whether the user agrees; closing the dialog counts as no. */
export async function confirm(app: App, [title, text, agree]: Question): Promise<boolean> {
  return (await ask(app, title, text, [[agree, true, "setCta"]], t("Not now"))) ?? false;
}

/** Asked before the program is started, and the vault indexed, for the first time. */
export function startQuestion(program: string, notes: number): Question {
  return [
    t("Start Notewell on this computer?"),
    t("{program} reads {notes}, keeps an index of them " + "outside the vault, and may fetch a language model once. Notes are not changed and stay on this computer.", { program, notes: count(notes, "note") }),
    t("Start and index"),
  ];
}

/** Asks once for each server whether it may receive the contents of notes. */
export function uploadConsent(app: App, settings: Settings): Consent {
  return askedOnce(app, settings, "uploadAgreed", uploadQuestion);
}

/** Whether the user agrees that the server at `url` gets or gives `notes` notes. */
type Consent = (url: string, notes: number) => Promise<boolean>;

/** Asks, unless the user has agreed before for the same server, whose address is the setting `key`. */
function askedOnce(
  app: App,
  settings: Settings,
  key: "uploadAgreed" | "writeAgreed",
  question: (url: string, notes: number) => Question,
): Consent {
  return async (url, notes) => {
    if (settings.chosen[key] === url) return true;
    const isAgreed = await confirm(app, question(url, notes));
    if (isAgreed) await settings.set(key, url);
    return isAgreed;
  };
}

/**
 * Takes the notes that a server writes to its copy of the vault, after a question that is asked once
 * for each server. `conflict`: a note has changed on both sides and is to be sent. Returns the end.
 */
export function takeServerNotes(
  { app, connection, settings }: ViewContext,
  queue: ChangeQueue,
  conflict: () => void,
): () => void {
  const mayWrite = askedOnce(app, settings, "writeAgreed", writeQuestion);
  const taker = new ServerNotes({ connection, queue, notes: vaultNotes(app), mayWrite, conflict });
  taker.begin();
  return () => taker.end();
}

/** Asked before notes of a server are written to the vault for the first time. */
function writeQuestion(url: string, notes: number): Question {
  return [
    t("Add the server's notes to this vault?"),
    t("{url} wrote {notes}, such as memories, to its copy of this vault. If you agree, they and later " + "ones are added here. A note that you have changed too is kept in both versions.", { url, notes: count(notes, "note") }),
    t("Add notes"),
  ];
}

/** Asked before the contents of notes are sent to another computer for the first time. */
function uploadQuestion(url: string, notes: number): Question {
  return [
    t("Send notes to your server?"),
    t("{url} receives a copy of this vault: {notes} now, and each note that changes later.", { url, notes: count(notes, "note") }),
    t("Send notes"),
  ];
}

export function fullReindexQuestion(notes: number): Question {
  return [
    `${reindexAllText()}?`,
    t("{notes} will be read again; search keeps working.", { notes: count(notes, "note") }),
    t("Reindex"),
  ];
}

/** Whether to remove the missing notes from the index; null: decide later. */
export function askAboutMissing(app: App, { gone, total }: Guard): Promise<boolean | null> {
  return ask(
    app,
    t("{gone} of {total} notes are missing", { gone, total }),
    `${t("A drive may be disconnected, or a sync incomplete.")} ${missingNotesKept()}`,
    [
      [t("Remove from index"), true, "setDestructive"],
      [t("Keep"), false],
    ],
    t("Decide later"),
  );
}

/** Waits for a request and shows a notice if it failed, or `done` if it succeeded. Returns whether it did. */
export async function withNotice(request: Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await request;
    if (done) new Notice(done);
    return true;
  } catch (error) {
    new Notice(t("The request failed: {message}", { message: asServerError(error).message }));
    return false;
  }
}

/** The notes that could not be indexed, each with its reason. */
export async function showFailures(app: App, { client }: Session): Promise<void> {
  const { entries } = await client.ledger({ state: "failed" });
  const modal = new Modal(app).setTitle(t("Notes that could not be indexed"));
  for (const row of entries) drawRow(modal, row);
  if (entries.length === 0) modal.setContent(t("All notes could be indexed."));
  else {
    new Setting(modal.contentEl).addButton((button) => {
      button.setButtonText(t("Retry all")).setCta();
      button.onClick(() => {
        modal.close();
        void withNotice(client.queue("retry"), t("Trying again."));
      });
    });
  }
  modal.open();
}

function drawRow(modal: Modal, { path, reason, attempts }: LedgerRow): void {
  new Setting(modal.contentEl)
    .setName(path)
    .setDesc(`${reason ?? ""} (${count(attempts, "try", "tries")})`)
    .addExtraButton((button) => {
      button.setIcon("file").setTooltip(t("Open note"));
      button.onClick(() => {
        modal.close();
        void openPlace(modal.app, { path, passage: null }, false);
      });
    });
}
