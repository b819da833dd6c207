/** Dragging a result into a note, and notes or text onto a view. */

import type { App, TFile } from "obsidian";
import { linkTo, subpathOf, type Place } from "./open";

/** The part of the app's drag manager that is used; it is not in the public typings. */
interface DragManager {
  dragLink?(event: DragEvent, link: string, sourcePath: string, title?: string): unknown;
  onDragStart?(event: DragEvent, data: unknown): void;
  readonly draggable?: { readonly type?: string; readonly file?: TFile } | null;
}

function managerOf(app: App): DragManager | undefined {
  return (app as App & { dragManager?: DragManager }).dragManager;
}

/** Drags a link: the app's way where there is one, else as text. */
export function startDrag(app: App, event: DragEvent, place: Place, title: string): void {
  const manager = managerOf(app);
  if (manager?.dragLink && manager.onDragStart) {
    const data = manager.dragLink(event, place.path + subpathOf(place.passage), "", title);
    manager.onDragStart(event, data);
  }
  event.dataTransfer?.setData("text/plain", linkTo(app, place, "") ?? "");
}

/** What was dropped: a note of this vault, or text. */
export function dropped(app: App, event: DragEvent): { note: string } | { text: string } | null {
  const held = managerOf(app)?.draggable;
  if (held?.type === "file" && held.file) return { note: held.file.path };
  const text = event.dataTransfer?.getData("text/plain").trim() ?? "";
  if (!text) return null;
  const link = linkTarget(text);
  const file = link === null ? null : app.metadataCache.getFirstLinkpathDest(link, "");
  return file ? { note: file.path } : { text };
}

/** The note that `[[link]]`, `[text](link)` or an `obsidian://open` address names; else null. */
function linkTarget(text: string): string | null {
  const wiki = /^!?\[\[([^\]|#]+)[^\]]*\]\]$/.exec(text);
  if (wiki?.[1]) return wiki[1];
  const markdown = /^!?\[[^\]]*\]\(<?([^)#>]+)[^)]*\)$/.exec(text);
  if (markdown?.[1]) return decode(markdown[1]);
  if (!text.startsWith("obsidian://open?")) return null;
  return new URLSearchParams(text.slice("obsidian://open?".length)).get("file");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign
  }
}
