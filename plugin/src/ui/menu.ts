/** Menus, the one of a result among them, which other plugins may add to. */

import { Menu, Notice, type App, type WorkspaceLeaf } from "obsidian";
import { insertLink, linkTo, openPlace, type Place } from "./open";

/** Adds an item to `menu`. Items of one `section` stand together. */
export function addItem(
  menu: Menu,
  title: string,
  icon: string,
  onClick: () => unknown,
  section = "action",
): void {
  menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection(section).onClick(onClick));
}

export interface MenuParts {
  readonly app: App;
  readonly leaf: WorkspaceLeaf;
  /** Further items of the view, such as hiding a note. */
  readonly addItems?: ((menu: Menu, place: Place) => void) | undefined;
}

export function resultMenu({ app, leaf, addItems }: MenuParts, place: Place): Menu {
  const menu = new Menu();
  addItem(menu, "Open", "file", () => openPlace(app, place, false), "open");
  addItem(menu, "Open in new tab", "file-plus", () => openPlace(app, place, "tab"), "open");
  const toTheRight = (): Promise<void> => openPlace(app, place, "split");
  addItem(menu, "Open to the right", "separator-vertical", toTheRight, "open");
  addItem(menu, "Insert link", "link", () => insertLink(app, place));
  addItem(menu, "Copy link", "copy", () => copyText(linkTo(app, place, "") ?? ""));
  addItems?.(menu, place);
  const file = app.vault.getFileByPath(place.path);
  if (file) app.workspace.trigger("file-menu", menu, file, "recollect-results", leaf);
  return menu;
}

export async function copyText(text: string, done = "Copied."): Promise<void> {
  await activeWindow.navigator.clipboard.writeText(text);
  new Notice(done);
}
