/** Questions to a person, and what is said when something that was asked for fails. */

import { ConfirmationModal, Notice, type App } from "obsidian";
import { asServerError } from "../client";
import type { Guard } from "../contract";
import { count } from "./format";

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly answer: string;
}

/** Whether the person agrees; closing the dialog is a no. */
export function confirm(app: App, question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    let agreed = false;
    new ConfirmationModal(app)
      .setTitle(question.title)
      .setContent(question.text)
      .setCloseCallback(() => resolve(agreed))
      .addClass("recollect-question")
      .addButton((button) => {
        button.setButtonText(question.answer).setCta();
        button.onClick(() => {
          agreed = true;
        });
      })
      .addCancelButton("Not now")
      .open();
  });
}

/** Before the program is started for the first time, which begins the first full index. */
export function startQuestion(program: string, notes: number): Question {
  return {
    title: "Start Recollect on this computer?",
    text:
      `This runs ${program}. It reads ${count(notes, "note", "notes")}, keeps an index of them ` +
      "outside the vault, and may fetch a language model once. Notes are not changed and go nowhere.",
    answer: "Start and index",
  };
}

/** Before the contents of notes go to another machine for the first time. */
export function uploadQuestion(url: string, notes: number): Question {
  return {
    title: "Send notes to your server?",
    text:
      `${url} keeps a copy of this vault to search in: ${count(notes, "note", "notes")} now, and ` +
      "every note that changes from then on.",
    answer: "Send notes",
  };
}

export function fullReindexQuestion(notes: number): Question {
  return {
    title: "Reindex the vault from scratch?",
    text: `${count(notes, "note", "notes")} are read again. Search goes on meanwhile.`,
    answer: "Reindex",
  };
}

/** Whether the notes that are gone were meant to go. */
export function askAboutGone(
  app: App,
  { gone, total }: Guard,
  answer: (remove: boolean) => unknown,
): void {
  new ConfirmationModal(app)
    .setTitle(`${gone} of ${total} notes are gone`)
    .setContent(
      "A drive may be missing, or a sync not complete. The index keeps them until you decide.",
    )
    .addButton((button) => {
      button.setButtonText("Remove from index").setDestructive();
      button.onClick(() => void answer(true));
    })
    .addButton((button) => button.setButtonText("Keep").onClick(() => void answer(false)))
    .addCancelButton("Decide later")
    .open();
}

/** Waits for a request that a person asked for, and says if it failed. */
export async function told(request: Promise<unknown>, done?: string): Promise<void> {
  try {
    await request;
    if (done) new Notice(done);
  } catch (error) {
    new Notice(`That did not work: ${asServerError(error).message}`);
  }
}
