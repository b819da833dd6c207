/** Similar notes below the open notes, as a footer that scrolls with the text, where the settings ask for it. */

import { MarkdownView, type App, type Plugin } from "obsidian";
import type { Finder } from "../finder";
import { Block } from "./codeBlock";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

const LIMIT = 5;
/** Where the app puts its own backlinks below a note, while it is edited and while it is read. */
const PLACES = { source: ".cm-sizer", preview: ".markdown-preview-sizer" };

interface Footer {
  readonly block: Block;
  readonly parent: Element;
  readonly path: string;
}

/** Adds a footer to every open note, while the settings ask for it. */
export function registerFooters(plugin: Plugin, context: ViewContext, finder: Finder): void {
  const footers = new Footers(plugin, context, finder);
  const { workspace } = plugin.app;
  plugin.registerEvent(workspace.on("layout-change", () => footers.update()));
  plugin.registerEvent(workspace.on("file-open", () => footers.update()));
  plugin.register(context.settings.watch("footer", () => footers.update()));
  plugin.register(() => footers.clear());
}

export class Footers {
  readonly #plugin: Plugin;
  readonly #context: ViewContext;
  readonly #finder: Finder;
  #shown: Footer[] = [];

  constructor(plugin: Plugin, context: ViewContext, finder: Finder) {
    this.#plugin = plugin;
    this.#context = context;
    this.#finder = finder;
  }

  /** Keeps the footers of notes that are still open where they are, adds new ones, and removes the others. */
  update(): void {
    const { app, settings } = this.#context;
    const wanted = settings.chosen.footer ? placesOf(app) : [];
    const isWanted = ({ parent, path, block }: Footer): boolean =>
      block.containerEl.isConnected && wanted.some((place) => place.parent === parent && place.path === path);
    const kept = this.#shown.filter(isWanted);
    for (const footer of this.#shown) if (!kept.includes(footer)) this.#remove(footer);
    const isNew = (place: Pick<Footer, "parent">): boolean => !kept.some(({ parent }) => parent === place.parent);
    this.#shown = [...kept, ...wanted.filter(isNew).map(({ parent, path }) => this.#add(parent, path))];
  }

  clear(): void {
    for (const footer of this.#shown.splice(0)) this.#remove(footer);
  }

  #add(parent: Element, path: string): Footer {
    const el = parent.createDiv("notewell-block notewell-footer");
    el.createDiv({ cls: "notewell-faint", text: t("Similar notes") });
    const options = { query: "", isSimilar: true, limit: LIMIT, sort: "relevance", view: "compact", group: "none" } as const;
    const block = new Block(el.createDiv(), { context: this.#context, finder: this.#finder, options, sourcePath: path });
    return { block: this.#plugin.addChild(block), parent, path };
  }

  #remove({ block }: Footer): void {
    this.#plugin.removeChild(block);
    block.containerEl.parentElement?.remove();
  }
}

/** The open notes, each with the element that its text stands in. */
function placesOf({ workspace }: App): Pick<Footer, "parent" | "path">[] {
  return workspace.getLeavesOfType("markdown").flatMap(({ view }) => {
    if (!(view instanceof MarkdownView) || !view.file) return [];
    const parent = view.contentEl.querySelector(PLACES[view.getMode()]) ?? view.contentEl;
    return [{ parent, path: view.file.path }];
  });
}
