/** Opens notes at a passage, and makes links to passages: to copy, insert or drag. */

import {
  Keymap,
  MarkdownView,
  Notice,
  stripHeadingForLink,
  type App,
  type PaneType,
  type TFile,
  type UserEvent,
} from "obsidian";
import type { Passage } from "../contract";

/** Where a passage begins, and what names the place in a link where that is known. */
type Spot = Pick<Passage, "line"> & Partial<Pick<Passage, "heading" | "block">>;

/** A passage of a note, or its beginning. */
export interface Place {
  readonly path: string;
  readonly passage: Spot | null;
}

export type Pane = PaneType | boolean;

/** Where an event asks to open: its modifiers decide, the setting swaps plain and Ctrl/Cmd. */
export function paneFor(event: UserEvent, newTabFirst: boolean): Pane {
  const asked = Keymap.isModEvent(event);
  if (!newTabFirst) return asked;
  if (asked === false) return "tab";
  return asked === "tab" || asked === true ? false : asked;
}

/** Whether a key asks for a link to what is chosen: Alt and Enter, and nothing with it. */
export function asksForLink({ altKey, ctrlKey, metaKey }: MouseEvent | KeyboardEvent): boolean {
  return altKey && !ctrlKey && !metaKey;
}

/** `#^block` or `#Heading#Sub heading`; empty where a passage stands above the first heading. */
export function subpathOf(passage: Spot | null): string {
  if (passage?.block) return `#^${passage.block}`;
  const steps = passage?.heading?.split(" > ") ?? [];
  return steps.map((step) => `#${stripHeadingForLink(step)}`).join("");
}

/**
 * Opens the note there, with the passage selected; a note that shows already is brought forward.
 * `active` is false for a tab that opens behind the present one.
 */
export async function openPlace(app: App, place: Place, pane: Pane, active = true): Promise<void> {
  const file = fileAt(app, place.path);
  if (!file) return;
  const { workspace } = app;
  const line = Math.max(0, (place.passage?.line ?? 1) - 1);
  const shown = pane === false ? viewOf(app, file) : null;
  if (shown) {
    workspace.setActiveLeaf(shown.leaf, { focus: true });
    shown.setEphemeralState({ line });
  } else {
    const link = file.path + subpathOf(place.passage);
    await workspace.openLinkText(link, file.path, pane, { active, eState: { line } });
  }
  const view = workspace.getActiveViewOfType(MarkdownView);
  if (active && place.passage && view?.file === file) selectParagraph(view, line);
}

/** A link as the person's settings write links, seen from `sourcePath`; empty: no such note. */
export function linkTo(app: App, place: Place, sourcePath = ""): string {
  const file = fileAt(app, place.path);
  if (!file) return "";
  return app.fileManager.generateMarkdownLink(file, sourcePath, subpathOf(place.passage));
}

/** The note that was used last; since then a panel in a window of its own may have been. */
export function noteInUse(app: App): MarkdownView | null {
  const { workspace } = app;
  const recent = workspace.getMostRecentLeaf()?.view;
  if (recent instanceof MarkdownView) return recent;
  const file = workspace.getActiveFile();
  return file && viewOf(app, file);
}

export function activePath({ workspace }: App): string | undefined {
  return workspace.getActiveFile()?.path;
}

/** Writes a link at the cursor of the note that was used last. */
export function insertLink(app: App, place: Place): void {
  const view = noteInUse(app);
  if (view?.file) view.editor.replaceSelection(linkTo(app, place, view.file.path));
  else new Notice("Open the note to write the link into.");
}

/** The note at a path as the server spells it: composed (NFC), which some disks do not. */
export function noteAt({ vault }: App, path: string): TFile | null {
  const isSame = (file: TFile): boolean => file.path.normalize() === path;
  return vault.getFileByPath(path) ?? vault.getMarkdownFiles().find(isSame) ?? null;
}

/** The file, or null with a word to the person: opening a missing note would create it. */
function fileAt(app: App, path: string): TFile | null {
  const file = noteAt(app, path);
  if (!file) new Notice(`“${path}” is no longer in this vault.`);
  return file;
}

function viewOf(app: App, file: TFile): MarkdownView | null {
  for (const { view } of app.workspace.getLeavesOfType("markdown")) {
    if (view instanceof MarkdownView && view.file === file) return view;
  }
  return null;
}

const LONGEST_SELECTION = 40; // lines

/** Selects from `line` to the end of its paragraph. */
function selectParagraph(view: MarkdownView, line: number): void {
  if (view.getMode() !== "source") return;
  const { editor } = view;
  const end = Math.min(editor.lastLine(), line + LONGEST_SELECTION);
  const from = { line: Math.min(line, end), ch: 0 };
  let last = from.line;
  while (last < end && editor.getLine(last + 1).trim() !== "") last += 1;
  const to = { line: last, ch: editor.getLine(last).length };
  editor.setSelection(from, to);
  editor.scrollIntoView({ from, to }, true);
}

/** The part of the app's drag manager that is used; it is not in the public typings. */
interface DragManager {
  dragLink?(event: DragEvent, link: string, sourcePath: string, title?: string): unknown;
  onDragStart?(event: DragEvent, data: unknown): void;
  readonly draggable?: { readonly file?: unknown } | null;
}

export function dragManagerOf(app: App): DragManager | undefined {
  return (app as App & { dragManager?: DragManager }).dragManager;
}

/** Drags a link: the app's way where there is one, else as text. */
export function startDrag(app: App, event: DragEvent, place: Place, title: string): void {
  const manager = dragManagerOf(app);
  const link = place.path + subpathOf(place.passage);
  manager?.onDragStart?.(event, manager.dragLink?.(event, link, "", title));
  event.dataTransfer?.setData("text/plain", linkTo(app, place));
}
