/** Draws an explanation: its text, commands to copy, and a button for each action. */

import type { ActionName, Explanation } from "./explain";
import { copyText } from "./menu";
import { button } from "./searchHeader";

export function renderMessage(
  parent: HTMLElement,
  { title, text, actions, commands }: Explanation,
  act: (action: ActionName) => void,
): void {
  const el = parent.createDiv({ cls: "recollect-message", attr: { role: "status" } });
  el.createDiv({ cls: "recollect-title", text: title });
  el.createDiv({ text });
  for (const command of commands) renderCommand(el, command);
  const buttons = el.createDiv("recollect-buttons");
  for (const [name, label] of actions) {
    const cls = buttons.hasChildNodes() ? "" : "mod-cta"; // the likeliest comes first
    buttons.createEl("button", { cls, text: label }).onclick = (): void => act(name);
  }
}

export function renderCommand(parent: HTMLElement, command: string): void {
  const row = parent.createDiv("recollect-line");
  row.createEl("code", { text: command });
  button(row, "copy", "Copy", () => void copyText(command));
}
