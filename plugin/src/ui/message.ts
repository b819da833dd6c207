/** Draws an explanation: its text, commands to copy, and a button for each action. */

import { button, title } from "./controls";
import type { ViewContext } from "./viewContext";
import type { Explanation } from "./explain";
import { copyText } from "./menu";

function renderMessage(parent: HTMLElement, explanation: Explanation, { act, can }: ViewContext): void {
  const el = parent.createDiv({ cls: "notewell-message", attr: { role: "status" } });
  title(el, explanation.title);
  el.createDiv({ text: explanation.text });
  renderCommands(el, explanation.commands);
  const buttons = el.createDiv("notewell-buttons");
  for (const [name, text] of explanation.actions) {
    if (!can(name)) continue;
    const cls = buttons.hasChildNodes() ? "" : "mod-cta"; // the likeliest comes first
    buttons.createEl("button", { cls, text }).onclick = (): unknown => act(name);
  }
}

/** A place for one explanation; drawn when another is said: a button under a pointer must not blink. */
export function messageArea(parent: HTMLElement, context: ViewContext): (news: Explanation | null) => void {
  const el = parent.createDiv();
  let drawn = "";
  return (news) => {
    const said = JSON.stringify(news);
    if (said === drawn) return;
    drawn = said;
    el.empty();
    if (news) renderMessage(el, news, context);
  };
}

/** Commands for a terminal, each with a button that copies it. */
export function renderCommands(parent: HTMLElement, commands: readonly string[]): void {
  for (const text of commands) {
    const row = parent.createDiv("notewell-line");
    row.createEl("code", { text });
    button(row, "copy", "Copy", () => copyText(text));
  }
}
