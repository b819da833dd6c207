/** What is being dragged. The app's own is not public, but every plugin that drags links uses it. */

import type { App, TFile } from "obsidian";
import { parseLinktext } from "./mocks";

export interface Draggable {
  readonly type: "link" | "file";
  readonly title: string;
  readonly linktext?: string;
  readonly file?: TFile | null;
}

export class DragManager {
  draggable: Draggable | null = null;
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
    document.addEventListener("dragend", () => (this.draggable = null));
  }

  dragLink(_event: DragEvent, linktext: string, sourcePath: string, title = linktext): Draggable {
    const { path } = parseLinktext(linktext);
    const file = this.#app.metadataCache.getFirstLinkpathDest(path, sourcePath);
    return { type: "link", title, linktext, file };
  }

  dragFile(_event: DragEvent, file: TFile): Draggable {
    return { type: "file", title: file.basename, file };
  }

  onDragStart(event: DragEvent, draggable: Draggable): void {
    this.draggable = draggable;
    event.dataTransfer?.setData("text/plain", draggable.title);
  }

  /** The dragged link as a note at `sourcePath` would write it; null where none is dragged. */
  linkFor(sourcePath: string): string | null {
    const { linktext, file } = this.draggable ?? {};
    if (!file || linktext === undefined) return null;
    return this.#app.fileManager.generateMarkdownLink(file, sourcePath, parseLinktext(linktext).subpath);
  }
}
