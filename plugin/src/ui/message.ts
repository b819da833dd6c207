/** Draws an explanation: its text, commands to copy, and a button for each action. */

import { ButtonComponent, ExtraButtonComponent } from "obsidian";
import type { ActionName, Explanation } from "./explain";
import { copyText } from "./resultMenu";

export function renderMessage(
  parent: HTMLElement,
  message: Explanation,
  act: (action: ActionName) => void,
): HTMLElement {
  const el = parent.createDiv({ cls: "recollect-message", attr: { role: "status" } });
  el.createDiv({ cls: "recollect-message-title", text: message.title });
  el.createDiv({ cls: "recollect-message-text", text: message.text });
  for (const command of message.commands ?? []) renderCommand(el, command);
  if (message.actions.length === 0) return el;
  const buttons = el.createDiv({ cls: "recollect-message-actions" });
  message.actions.forEach((action, index) => {
    const button = new ButtonComponent(buttons).setButtonText(action.label);
    if (index === 0) button.setCta();
    button.onClick(() => act(action.name));
  });
  return el;
}

export function renderCommand(parent: HTMLElement, command: string): void {
  const row = parent.createDiv({ cls: "recollect-command" });
  row.createEl("code", { text: command });
  new ExtraButtonComponent(row)
    .setIcon("copy")
    .setTooltip("Copy")
    .onClick(() => void copyText(command));
}
