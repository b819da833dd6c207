/** Menus, with their items grouped by section. */

import type { IconName, Menu as AppMenu, MenuItem as AppMenuItem, MenuPositionDef } from "obsidian";
import { setIcon } from "./icons";
import { keymap, Scope } from "./keymap";
import { Component } from "./mocks";

export class MenuItem {
  readonly el = createDiv({ cls: "menu-item", attr: { role: "menuitem" } });
  readonly #iconEl = this.el.createDiv("menu-item-icon");
  readonly #titleEl = this.el.createDiv("menu-item-title");
  section = "";
  #action: (event: MouseEvent | KeyboardEvent) => unknown = () => undefined;

  constructor(hide: () => void) {
    this.el.addEventListener("click", (event) => {
      if (this.el.hasClass("is-disabled")) return;
      hide();
      this.#action(event);
    });
  }

  setTitle(title: string | DocumentFragment): this {
    this.#titleEl.empty();
    this.#titleEl.append(title);
    return this;
  }

  setIcon(icon: IconName | null): this {
    if (icon) setIcon(this.#iconEl, icon);
    return this;
  }

  setChecked(checked: boolean | null): this {
    this.el.toggleClass("mod-checked", checked === true);
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.el.toggleClass("is-disabled", disabled);
    return this;
  }

  setWarning(isWarning: boolean): this {
    this.el.toggleClass("is-warning", isWarning);
    return this;
  }

  setIsLabel(isLabel: boolean): this {
    this.el.toggleClass("is-label", isLabel);
    return this;
  }

  setSection(section: string): this {
    this.section = section;
    return this;
  }

  onClick(action: (event: MouseEvent | KeyboardEvent) => unknown): this {
    this.#action = action;
    return this;
  }
}

type Part = Pick<
  AppMenu,
  "addItem" | "addSeparator" | "showAtMouseEvent" | "showAtPosition" | "hide" | "close" | "onHide"
>;

const shown: { menu: Menu | null } = { menu: null }; // there is one at a time

export class Menu extends Component implements Part {
  readonly #el = createDiv({ cls: "menu", attr: { role: "menu" } });
  readonly #items: MenuItem[] = [];
  readonly #scope = new Scope();
  #hidden: () => unknown = () => undefined;

  addItem(build: (item: AppMenuItem) => unknown): this {
    const item = new MenuItem(() => this.hide());
    this.#items.push(item);
    build(item); // its constructor is not public
    return this;
  }

  addSeparator(): this {
    return this; // sections are separated when the menu is shown
  }

  setNoIcon(): this {
    return this;
  }

  setUseNativeMenu(): this {
    return this;
  }

  setParentElement(): this {
    return this;
  }

  onHide(callback: () => unknown): void {
    this.#hidden = callback;
  }

  showAtMouseEvent(event: MouseEvent): this {
    return this.showAtPosition({ x: event.clientX, y: event.clientY }, event.view?.document);
  }

  showAtPosition({ x, y }: MenuPositionDef, doc: Document = document): this {
    shown.menu?.hide();
    shown.menu = this;
    this.#scope.register([], "Escape", () => (this.hide(), false));
    keymap.pushScope(this.#scope);
    for (const section of new Set(this.#items.map((item) => item.section))) {
      if (this.#el.childElementCount > 0) this.#el.createDiv("menu-separator");
      this.#el.append(...this.#items.filter((item) => item.section === section).map(({ el }) => el));
    }
    doc.body.append(this.#el);
    const { offsetWidth, offsetHeight } = this.#el;
    const left = Math.max(0, Math.min(x, doc.body.clientWidth - offsetWidth - 4));
    const top = Math.max(0, Math.min(y, doc.body.clientHeight - offsetHeight - 4));
    this.#el.setCssStyles({ left: `${left}px`, top: `${top}px` });
    window.setTimeout(() => {
      doc.addEventListener("mousedown", (event) => {
        if (event.targetNode && !this.#el.contains(event.targetNode)) this.hide();
      });
    });
    return this;
  }

  hide(): this {
    if (shown.menu !== this) return this;
    shown.menu = null;
    keymap.popScope(this.#scope);
    this.#el.remove();
    this.#hidden();
    return this;
  }

  close(): void {
    this.hide();
  }
}
