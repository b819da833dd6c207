/** Buttons and texts in the style of the app's own panels. */

import { setIcon, setTooltip } from "obsidian";

/** Attributes of an element whose changes are read out. */
export const STATUS = { role: "status" };

/** Runs the action for the key that was pressed, if there is one. */
export function handleKey(event: KeyboardEvent, actions: Record<string, () => void>): void {
  const action = actions[event.key];
  // Keys that choose a suggestion or compose a character are not ours.
  if (!action || event.defaultPrevented || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** The row of buttons at the top of a panel. */
export function toolbar(parent: HTMLElement): HTMLElement {
  return parent.createDiv("nav-header").createDiv("nav-buttons-container");
}

/** An icon as a button element, so that it works by keyboard. */
export function button(
  parent: HTMLElement,
  icon: string,
  label: string,
  onClick: (event: MouseEvent) => unknown,
): HTMLElement {
  const el = parent.createEl("button", "clickable-icon nav-action-button");
  setIcon(el, icon);
  setTooltip(el, label); // also sets the accessible name
  el.onclick = onClick;
  return el;
}

export function toggle(
  parent: HTMLElement,
  icon: string,
  label: string,
  onChange: (isOn: boolean) => unknown,
): HTMLElement {
  const el = button(parent, icon, label, () => {
    const isOn = !el.hasClass("is-active");
    setActive(el, isOn);
    onChange(isOn);
  });
  setActive(el, false);
  return el;
}

export function setActive(el: HTMLElement, isOn: boolean): void {
  el.toggleClass("is-active", isOn);
  el.setAttr("aria-pressed", isOn);
}

/** A button with words on it; the first one in a row is the primary one. */
export function wordButton(
  parent: HTMLElement,
  text: string,
  onClick: (event: MouseEvent) => unknown,
  cls = parent.hasChildNodes() ? "" : "mod-cta",
): HTMLButtonElement {
  const el = parent.createEl("button", { cls, text });
  el.onclick = onClick;
  return el;
}

/** A button that looks like a link. */
export function link(parent: HTMLElement, text: string, onClick: (event: MouseEvent) => unknown): void {
  wordButton(parent, text, onClick, "notewell-link");
}

export function title(parent: HTMLElement, text: string): void {
  parent.createDiv({ cls: "notewell-title", text });
}

/** A line of muted text; nothing where `text` is empty. */
export function faint(parent: HTMLElement, text: string, tooltip = ""): void {
  if (!text) return;
  const el = parent.createDiv({ cls: "notewell-faint", text });
  if (tooltip && tooltip !== text) setTooltip(el, tooltip);
}
