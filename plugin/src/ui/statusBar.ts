/** The item in the status bar: where the index stands, and a menu for what can be done about it. */

import { Menu, setTooltip } from "obsidian";
import { addActions, type Action } from "./actions";
import type { Desk } from "./desk";
import { longStatus, shortStatus } from "./statusText";

export class StatusBar {
  readonly #el: HTMLElement;
  readonly #desk: Desk;

  constructor(el: HTMLElement, desk: Desk, actions: readonly Action[]) {
    this.#el = el;
    this.#desk = desk;
    el.addClass("mod-clickable");
    el.setAttrs({ role: "button", tabindex: 0 });
    const open = (): void => {
      const { left: x, top: y } = el.getBoundingClientRect();
      const menu = new Menu();
      addActions(menu, actions);
      menu.showAtPosition({ x, y }, el.doc);
    };
    el.addEventListener("click", open);
    el.addEventListener("keydown", (event) => {
      if (event.key === "Enter") open();
    });
    this.update();
  }

  update(): void {
    const { connection, waiting } = this.#desk;
    this.#el.setText(`Recollect: ${shortStatus(connection.state, waiting())}`);
    setTooltip(this.#el, longStatus(connection.state, waiting()).join("\n"), { placement: "top" });
  }
}
