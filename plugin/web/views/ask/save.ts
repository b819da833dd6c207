/** Saves a conversation as a note: asks for the path first, and offers to undo it. */

import { asServerError } from "../../../src/client";
import type { AskSavedReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { noteAddress } from "../../parts/resultRow";
import { refusalOf } from "../../parts/refusals";
import { t, tparts } from "../../../src/texts";

const NAME_CHARS = 80;

/** A path made from a question, without characters that file names or links cannot contain. */
export function suggestedPath(question: string): string {
  const name = question.replace(/[\\/:*?"<>|#^[\]]/g, " ").replace(/\s+/g, " ").trim().slice(0, NAME_CHARS).trim();
  return `Answers/${name.replace(/^[.\s]+|[.\s]+$/g, "") || "Answer"}.md`;
}

/** A form that asks for the path and saves; `close` removes the form. */
export function saveForm(context: ViewContext, conversation: string, question: string, close: () => void): HTMLElement {
  const field = h("input", { id: "save-path", value: suggestedPath(question), required: true, autocomplete: "off", spellcheck: "false", maxlength: 1000 });
  const messageEl = h("div", { role: "status" });
  const save = h("button", { class: "primary" }, t("Save"));
  const form = h(
    "form",
    { class: "ask-save", on: { submit: (event: Event) => void submit(event) } },
    h("label", { for: "save-path" }, t("Save this conversation as a note")),
    h("div", { class: "login-row" }, field, save, button(t("Cancel"), close, { class: "quiet" })),
    messageEl,
  );
  return form;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const path = field.value.trim();
    save.disabled = true;
    try {
      const saved = await context.vaultClient.saveAnswer(conversation, /\.md$/i.test(path) ? path : `${path}.md`);
      fill(form, ...done(context, saved, close));
    } catch (error) {
      fill(messageEl, h("p", { class: "warning", role: "alert" }, refusalOf(asServerError(error))));
      save.disabled = false;
    }
  }
}

function done(context: ViewContext, { path, undo }: AskSavedReply, close: () => void): (HTMLElement | null)[] {
  const undoSave = async (): Promise<void> => {
    try {
      await context.vaultClient.undo(undo ?? undefined);
      context.showNotice(t("Undone: the note is deleted"));
      close();
    } catch (error) {
      context.showNotice(refusalOf(asServerError(error)));
    }
  };
  return [
    h("p", { role: "status" }, ...tparts("Saved as {path}", { path: h("a", { href: noteAddress(context, path), dir: "auto" }, path) })),
    h("div", { class: "buttons" }, undo === null ? null : button(t("Undo"), () => void undoSave(), { class: "quiet" }), button(t("Close"), close, { class: "quiet" })),
  ];
}
