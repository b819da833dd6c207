/** Draws an explanation: its text, commands to copy, and a button for each action. */

import { button, title } from "./controls";
import type { Desk } from "./desk";
import type { Explanation } from "./explain";
import { copyText } from "./menu";

export function renderMessage(
  parent: HTMLElement,
  explanation: Explanation,
  { act, can }: Pick<Desk, "act" | "can">,
): void {
  const el = parent.createDiv({ cls: "recollect-message", attr: { role: "status" } });
  title(el, explanation.title);
  el.createDiv({ text: explanation.text });
  renderCommands(el, explanation.commands);
  const buttons = el.createDiv("recollect-buttons");
  for (const [name, text] of explanation.actions) {
    if (!can(name)) continue;
    const cls = buttons.hasChildNodes() ? "" : "mod-cta"; // the likeliest comes first
    buttons.createEl("button", { cls, text }).onclick = (): unknown => act(name);
  }
}

/** Commands for a terminal, each with a button that copies it. */
export function renderCommands(parent: HTMLElement, commands: readonly string[]): void {
  for (const text of commands) {
    const row = parent.createDiv("recollect-line");
    row.createEl("code", { text });
    button(row, "copy", "Copy", () => copyText(text));
  }
}
