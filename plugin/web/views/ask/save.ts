/** A conversation saved as a note: the path is asked for first, and it can be taken back. */

import { asServerError } from "../../../src/client";
import type { AskSavedReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { noteAddress } from "../../parts/resultRow";

const NAME_CHARS = 80;

/** A path that a question suggests: no sign that a file's name or a link cannot have. */
export function suggestedPath(question: string): string {
  const name = question.replace(/[\\/:*?"<>|#^[\]]/g, " ").replace(/\s+/g, " ").trim().slice(0, NAME_CHARS).trim();
  return `Answers/${name.replace(/^[.\s]+|[.\s]+$/g, "") || "Answer"}.md`;
}

/** Asks for the path, then saves; `close` takes the form away. */
export function saveForm(context: ViewContext, conversation: string, question: string, close: () => void): HTMLElement {
  const field = h("input", { id: "save-path", value: suggestedPath(question), required: true, autocomplete: "off", spellcheck: "false", maxlength: 1000 });
  const said = h("div", { role: "status" });
  const save = h("button", { class: "primary" }, "Save");
  const form = h(
    "form",
    { class: "ask-save", on: { submit: (event: Event) => void submit(event) } },
    h("label", { for: "save-path" }, "Save this conversation as the note"),
    h("div", { class: "login-row" }, field, save, button("Cancel", close, { class: "quiet" })),
    said,
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
      fill(said, h("p", { class: "warning", role: "alert" }, asServerError(error).message));
      save.disabled = false;
    }
  }
}

function done(context: ViewContext, { path, undo }: AskSavedReply, close: () => void): (HTMLElement | null)[] {
  const takeBack = async (): Promise<void> => {
    try {
      await context.vaultClient.undo(undo ?? undefined);
      context.say("Taken back");
      close();
    } catch (error) {
      context.say(asServerError(error).message);
    }
  };
  return [
    h("p", { role: "status" }, "Saved as ", h("a", { href: noteAddress(context, path), dir: "auto" }, path)),
    h("div", { class: "buttons" }, undo === null ? null : button("Take it back", () => void takeBack(), { class: "quiet" }), button("Close", close, { class: "quiet" })),
  ];
}
