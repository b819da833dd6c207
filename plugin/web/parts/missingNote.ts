/** "A note is missing?": where a person names a note, and is told in place why the search does not show it. */

import { asServerError } from "../../src/client";
import { t } from "../../src/texts";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { noteAddress } from "./resultRow";

/** The field for the note's name that a search for `q` does not show. */
export function missingNote(context: ViewContext, q: string): HTMLElement {
  const told = h("div", { role: "status" });
  const name = h("input", { type: "text", id: "missing-note", autocomplete: "off", required: true });
  const look = (event: Event): void => {
    event.preventDefault();
    void tell(told, context, q, name.value.trim());
  };
  const form = h("form", { class: "missing-note", on: { submit: look } }, h("label", { for: name.id }, t("The note, by its name or path")), name, h("button", { class: "quiet" }, t("Look")));
  return h("div", {}, form, told);
}

/** What became of the note: it is among the results, or which step lost it, or there is none of that name. */
async function tell(told: HTMLElement, context: ViewContext, q: string, name: string): Promise<void> {
  if (!name) return;
  told.setAttribute("aria-busy", "true");
  try {
    const { path, why, mend } = await context.vaultClient.diagnose(q, name);
    fill(told, h("p", {}, h("a", { href: noteAddress(context, path), dir: "auto" }, path), ": ", why), mend ? h("p", {}, mend) : null);
  } catch (error) {
    fill(told, h("p", {}, asServerError(error).message));
  } finally {
    told.removeAttribute("aria-busy");
  }
}
