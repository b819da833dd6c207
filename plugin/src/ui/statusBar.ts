/** The item in the status bar: where the index stands, and a menu for what can be done about it. */

import { Menu, setTooltip } from "obsidian";
import type { Action } from "./actions";
import type { ViewContext } from "./viewContext";
import { addItem } from "./menu";
import { longStatus, shortStatus } from "./statusText";

/** Makes the item. Returns what brings it up to date. */
export function statusBar(
  el: HTMLElement,
  context: ViewContext,
  actions: readonly Action[],
): () => void {
  el.addClass("mod-clickable");
  el.setAttrs({ role: "button", tabindex: 0 });
  el.onclick = (): void => {
    const { left: x, top: y } = el.getBoundingClientRect();
    const menu = new Menu();
    for (const [, name, run, can, icon] of actions) if (icon && can()) addItem(menu, name, icon, run);
    menu.showAtPosition({ x, y }, el.doc);
  };
  el.onkeydown = ({ key }): void => {
    if (key === "Enter") el.click();
  };
  const update = (): void => {
    el.setText(`Notewell: ${shortStatus(context)}`);
    setTooltip(el, longStatus(context).join("\n"), { placement: "top" });
  };
  update();
  return update;
}
