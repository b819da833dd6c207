/** The head of the search view: its buttons and the search field. */

import { Menu, SearchComponent, setIcon, setTooltip } from "obsidian";
import type { SortOrder } from "./ranking";

export interface HeaderParts {
  readonly onType: (query: string) => void;
  readonly onEnter: () => void;
  readonly onDown: () => void;
  readonly onEscape: () => void;
  readonly onSort: (order: SortOrder) => void;
  readonly onContext: (more: boolean) => void;
  readonly onExpand: (open: boolean) => void;
  readonly onCopy: () => void;
  readonly onSave: () => void;
}

const ORDERS: readonly [SortOrder, string][] = [
  ["relevance", "Relevance"],
  ["modified", "Modified time, new to old"],
  ["name", "Name, a to z"],
];

export class SearchHeader {
  readonly field: SearchComponent;
  sort: SortOrder = "relevance";
  readonly #context: HTMLElement;
  readonly #unfold: HTMLElement;

  readonly #parts: HeaderParts;

  constructor(
    parent: HTMLElement,
    parts: HeaderParts,
  ) {
    this.#parts = parts;
    const nav = parent.createDiv({ cls: "nav-header" });
    const buttons = nav.createDiv({ cls: "nav-buttons-container" });
    this.#context = toggle(buttons, "move-vertical", "Show more context", parts.onContext);
    this.#unfold = toggle(buttons, "list-tree", "Show all passages", parts.onExpand);
    button(buttons, "arrow-up-narrow-wide", "Change sort order", (event) => this.#chooseSort(event));
    button(buttons, "copy", "Copy results as links", parts.onCopy);
    button(buttons, "star", "Save this search", parts.onSave);
    this.field = new SearchComponent(parent.createDiv({ cls: "search-row" }))
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

  #chooseSort(event: MouseEvent): void {
    const menu = new Menu();
    for (const [order, title] of ORDERS) {
      menu.addItem((item) => {
        item.setTitle(title).setChecked(order === this.sort);
        item.onClick(() => {
          this.sort = order;
          this.#parts.onSort(order);
        });
      });
    }
    menu.showAtMouseEvent(event);
  }
}

/** An icon button as the core views have them; it can be reached and pressed by keyboard. */
export function button(
  parent: HTMLElement,
  icon: string,
  label: string,
  onClick: (event: MouseEvent) => void,
): HTMLElement {
  const el = parent.createEl("button", {
    cls: "clickable-icon nav-action-button",
    attr: { "aria-label": label },
  });
  setIcon(el, icon);
  setTooltip(el, label);
  el.addEventListener("click", onClick);
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
  el.setAttr("aria-pressed", "false");
  return el;
}

export function setActive(el: HTMLElement, isOn: boolean): void {
  el.toggleClass("is-active", isOn);
  el.setAttr("aria-pressed", String(isOn));
}
