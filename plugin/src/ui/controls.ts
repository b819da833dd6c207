/** Buttons as the core panels have them. */

import { setIcon, setTooltip } from "obsidian";

/** Does what `actions` has for the key that was pressed. */
export function doByKey(event: KeyboardEvent, actions: Record<string, () => void>): void {
  const action = actions[event.key];
  // While a suggestion is chosen or a character is composed, the keys belong to that.
  if (!action || event.defaultPrevented || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** The row of buttons at the top of a panel. */
export function toolbar(parent: HTMLElement): HTMLElement {
  return parent.createDiv("nav-header").createDiv("nav-buttons-container");
}

/** An icon that is a real button: it can be reached and pressed by keyboard. */
export function button(
  parent: HTMLElement,
  icon: string,
  label: string,
  onClick: (event: MouseEvent) => unknown,
): HTMLElement {
  const el = parent.createEl("button", "clickable-icon nav-action-button");
  setIcon(el, icon);
  setTooltip(el, label); // it is the accessible name too
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

/** A button that looks like a link. */
export function link(parent: HTMLElement, text: string, onClick: () => unknown): void {
  parent.createEl("button", { cls: "notewell-link", text }).onclick = onClick;
}

export function title(parent: HTMLElement, text: string): void {
  parent.createDiv({ cls: "notewell-title", text });
}

/** Small print, where there is any. */
export function faint(parent: HTMLElement, text: string): void {
  if (text) parent.createDiv({ cls: "notewell-faint", text });
}
