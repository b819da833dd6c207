/** Menu items, and the context menu of a result, which other plugins can extend. */

import { Menu, Notice, type App, type WorkspaceLeaf } from "obsidian";
import { insertLinks, isElsewhere, linkList, linkTo, noteAt, openPlace, type Pane, type Place } from "./open";
import { t, tn } from "../texts";

/** Adds an item to `menu`. Items of the same `section` are grouped. */
export function addItem(
  menu: Menu,
  title: string,
  icon: string,
  onClick: () => unknown,
  section = "action",
): void {
  menu.addItem((item) => item.setTitle(title).setIcon(icon).setSection(section).onClick(onClick));
}

export interface MenuOwner {
  readonly app: App;
  readonly leaf: WorkspaceLeaf;
  /** Adds items of the view, such as hiding a note. */
  addItems(menu: Menu, place: Place): void;
}

const panes = (): readonly [title: string, icon: string, pane: Pane][] => [
  [t("Open"), "file", false],
  [t("Open in new tab"), "file-plus", "tab"],
  [t("Open to the right"), "separator-vertical", "split"],
];

type SelectItem = readonly [title: string, select: () => unknown];

/** `places`: what links are made to; others too where `place` is one of several that are selected. */
export function resultMenu(owner: MenuOwner, place: Place, places: readonly Place[], [title, select]: SelectItem): Menu {
  const { app, leaf } = owner;
  const isOne = places.length === 1;
  const menu = new Menu();
  for (const [title, icon, pane] of isElsewhere(place) ? panes().slice(0, 1) : panes()) {
    addItem(menu, title, icon, () => openPlace(app, place, pane), "open");
  }
  addItem(menu, isOne ? t("Insert link") : tn(places.length, "Insert {n} link", "Insert {n} links"), "link", () => insertLinks(app, places));
  addItem(menu, isOne ? t("Copy link") : tn(places.length, "Copy {n} link", "Copy {n} links"), "copy", () => copyText(isOne ? linkTo(app, place) : linkList(app, places)));
  addItem(menu, title, "check-square", select);
  owner.addItems(menu, place);
  const file = noteAt(app, place.path);
  if (file) app.workspace.trigger("file-menu", menu, file, "notewell-results", leaf);
  return menu;
}

export async function copyText(text: string, done = t("Copied.")): Promise<void> {
  await activeWindow.navigator.clipboard.writeText(text);
  new Notice(done);
}
