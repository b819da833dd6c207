/** Buttons as the core panels have them, and the head of the search view that is made of them. */

import { Menu, SearchComponent, setIcon, setTooltip } from "obsidian";
import type { SortOrder } from "./ranking";

export interface HeaderParts {
  readonly onType: (query: string) => void;
  readonly onEnter: () => void;
  readonly onDown: () => void;
  readonly onEscape: () => void;
  readonly onSort: () => void;
  readonly onContext: (more: boolean) => void;
  readonly onExpand: (open: boolean) => void;
  readonly onCopy: () => void;
  readonly onSave: () => void;
}

export const ORDERS: Readonly<Record<SortOrder, string>> = {
  relevance: "Relevance",
  modified: "Modified time, new to old",
  name: "Name, a to z",
};

export class SearchHeader {
  readonly field: SearchComponent;
  sort: SortOrder = "relevance";
  readonly #parts: HeaderParts;
  readonly #context: HTMLElement;
  readonly #unfold: HTMLElement;

  constructor(parent: HTMLElement, parts: HeaderParts) {
    this.#parts = parts;
    const buttons = toolbar(parent);
    this.#context = toggle(buttons, "move-vertical", "Show more context", parts.onContext);
    this.#unfold = toggle(buttons, "list-tree", "Show all passages", parts.onExpand);
    button(buttons, "arrow-up-narrow-wide", "Change sort order", (event) => this.#order(event));
    button(buttons, "copy", "Copy results as links", parts.onCopy);
    button(buttons, "star", "Save this search", parts.onSave);
    this.field = new SearchComponent(parent.createDiv("search-row"))
      .setPlaceholder("Search by meaning and words…")
      .onChange(parts.onType);
    const { inputEl } = this.field;
    inputEl.setAttrs({ "aria-label": "Search notes", enterkeyhint: "search", maxlength: 4096 });
    inputEl.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Puts the toggles as they were when the view was closed. */
  restore(sort: SortOrder, moreContext: boolean): void {
    this.sort = sort;
    setActive(this.#context, moreContext);
  }

  /** A new list starts folded. */
  fold(): void {
    setActive(this.#unfold, false);
  }

  #key(event: KeyboardEvent): void {
    // While a suggestion is chosen or a character is composed, the keys belong to that.
    if (event.defaultPrevented || event.isComposing) return;
    const { onEnter, onDown, onEscape } = this.#parts;
    const action = { Enter: onEnter, ArrowDown: onDown, Escape: onEscape }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  #order(event: MouseEvent): void {
    const menu = new Menu();
    for (const [order, title] of Object.entries(ORDERS) as [SortOrder, string][]) {
      menu.addItem((item) => {
        item.setTitle(title).setChecked(order === this.sort);
        item.onClick(() => {
          this.sort = order;
          this.#parts.onSort();
        });
      });
    }
    menu.showAtMouseEvent(event);
  }
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
  onClick: (event: MouseEvent) => void,
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
  onChange: (isOn: boolean) => void,
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
