/** Dragging a result into a note, and notes or text onto a view. */

import { TFile, type App } from "obsidian";
import { linkTo, subpathOf, type Place } from "./open";
import { textTarget, type Target } from "./target";

/** The part of the app's drag manager that is used; it is not in the public typings. */
interface DragManager {
  dragLink?(event: DragEvent, link: string, sourcePath: string, title?: string): unknown;
  onDragStart?(event: DragEvent, data: unknown): void;
  readonly draggable?: { readonly file?: unknown } | null;
}

function managerOf(app: App): DragManager | undefined {
  return (app as App & { dragManager?: DragManager }).dragManager;
}

/** Drags a link: the app's way where there is one, else as text. */
export function startDrag(app: App, event: DragEvent, place: Place, title: string): void {
  const manager = managerOf(app);
  const link = place.path + subpathOf(place.passage);
  manager?.onDragStart?.(event, manager.dragLink?.(event, link, "", title));
  event.dataTransfer?.setData("text/plain", linkTo(app, place));
}

/** What was dropped: a note, as the app tells, or text. */
export function dropped(app: App, event: DragEvent): Target | null {
  const held = managerOf(app)?.draggable;
  if (held?.file instanceof TFile) return { kind: "note", path: held.file.path };
  const text = event.dataTransfer?.getData("text/plain").trim();
  return text ? textTarget(text) : null;
}
