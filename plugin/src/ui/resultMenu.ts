/** The context menu of a result, which other plugins may add to. */

import { Menu, Notice, type App, type MenuItem, type WorkspaceLeaf } from "obsidian";
import { insertLink, linkTo, openPlace, type Pane, type Place } from "./open";

export interface MenuParts {
  readonly app: App;
  readonly leaf: WorkspaceLeaf;
  /** Further items of the view, such as hiding a note. */
  readonly addItems?: ((menu: Menu, place: Place) => void) | undefined;
}

export function resultMenu(parts: MenuParts, place: Place): Menu {
  const { app } = parts;
  const menu = new Menu();
  const open = (title: string, icon: string, pane: Pane): void => {
    menu.addItem((item) => {
      describe(item, title, icon).setSection("open");
      item.onClick(() => void openPlace(app, place, pane));
    });
  };
  open("Open", "file", false);
  open("Open in new tab", "file-plus", "tab");
  open("Open to the right", "separator-vertical", "split");
  menu.addItem((item) => {
    describe(item, "Insert link", "link").setSection("action");
    item.onClick(() => insertLink(app, place));
  });
  menu.addItem((item) => {
    describe(item, "Copy link", "copy").setSection("action");
    item.onClick(() => void copyText(linkTo(app, place, "") ?? ""));
  });
  parts.addItems?.(menu, place);
  const file = app.vault.getFileByPath(place.path);
  if (file) app.workspace.trigger("file-menu", menu, file, "recollect-results", parts.leaf);
  return menu;
}

export async function copyText(text: string, done = "Copied."): Promise<void> {
  await activeWindow.navigator.clipboard.writeText(text);
  new Notice(done);
}

function describe(item: MenuItem, title: string, icon: string): MenuItem {
  return item.setTitle(title).setIcon(icon);
}
