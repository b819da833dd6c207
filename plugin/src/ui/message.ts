/** Draws an explanation: its text, commands to copy, and a button for each action. */

import { button, STATUS, title, wordButton } from "./controls";
import type { ViewContext } from "./viewContext";
import type { Explanation } from "./explain";
import { copyText } from "./menu";
import { t } from "../texts";

function renderMessage(parent: HTMLElement, explanation: Explanation, { act, can }: ViewContext): void {
  const el = parent.createDiv({ cls: "notewell-message", attr: STATUS });
  title(el, explanation.title);
  el.createDiv({ text: explanation.text });
  renderCommands(el, explanation.commands);
  const buttons = el.createDiv("notewell-buttons");
  for (const [name, text] of explanation.actions) {
    if (can(name)) wordButton(buttons, text, () => act(name));
  }
}

/** An area for one message. It is redrawn only when the message changes, so that its buttons stay clickable. */
export function messageArea(parent: HTMLElement, context: ViewContext): (explanation: Explanation | null) => void {
  const el = parent.createDiv();
  let drawn = "";
  return (explanation) => {
    const content = JSON.stringify(explanation);
    if (content === drawn) return;
    drawn = content;
    el.empty();
    if (explanation) renderMessage(el, explanation, context);
  };
}

/** Commands for a terminal, each with a button that copies it. */
export function renderCommands(parent: HTMLElement, commands: readonly string[]): void {
  for (const text of commands) {
    const row = parent.createDiv("notewell-line");
    row.createEl("code", { text });
    button(row, "copy", t("Copy"), () => copyText(text));
  }
}
