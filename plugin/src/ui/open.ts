/** Opening notes at a passage, and links to passages. */

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

/** A passage of a note, or its beginning. */
export interface Place {
  readonly path: string;
  readonly passage: Passage | null;
}

export type Pane = PaneType | boolean;

/** Where an event asks to open: its modifiers decide, the setting swaps plain and Ctrl/Cmd. */
export function paneFor(event: UserEvent, newTabFirst: boolean): Pane {
  const asked = Keymap.isModEvent(event);
  if (!newTabFirst) return asked;
  if (asked === false) return "tab";
  return asked === "tab" || asked === true ? false : asked;
}

/** `#^block` or `#Heading#Sub heading`; empty where a passage stands above the first heading. */
export function subpathOf(passage: Passage | null): string {
  if (passage?.block) return `#^${passage.block}`;
  const steps = passage?.heading?.split(" > ") ?? [];
  return steps.map((step) => `#${stripHeadingForLink(step)}`).join("");
}

/** Opens the note there, with the passage selected; a note that shows already is brought forward. */
export async function openPlace(app: App, place: Place, pane: Pane): Promise<void> {
  const file = fileAt(app, place.path);
  if (!file) return;
  const line = Math.max(0, (place.passage?.line ?? 1) - 1);
  const shown = pane === false ? leafShowing(app, file) : undefined;
  if (shown) {
    app.workspace.setActiveLeaf(shown, { focus: true });
    shown.setEphemeralState({ line });
  } else {
    const link = file.path + subpathOf(place.passage);
    await app.workspace.openLinkText(link, file.path, pane, { active: true, eState: { line } });
  }
  const view = app.workspace.getActiveViewOfType(MarkdownView);
  if (place.passage && view?.file?.path === file.path) selectParagraph(view, line);
}

/** Opens in a tab behind the present one. */
export async function openBehind(app: App, place: Place): Promise<void> {
  const file = fileAt(app, place.path);
  if (!file) return;
  const line = Math.max(0, (place.passage?.line ?? 1) - 1);
  await app.workspace.getLeaf("tab").openFile(file, { active: false, eState: { line } });
}

/** A link as the person's settings write links, seen from `sourcePath`. */
export function linkTo(app: App, place: Place, sourcePath: string): string | null {
  const file = fileAt(app, place.path);
  return file && app.fileManager.generateMarkdownLink(file, sourcePath, subpathOf(place.passage));
}

/** The note that was used last; since then a panel in a window of its own may have been. */
export function noteInUse(app: App): MarkdownView | null {
  const { workspace } = app;
  const file = workspace.getActiveFile();
  const recent = workspace.getMostRecentLeaf()?.view;
  const view = recent instanceof MarkdownView ? recent : file && leafShowing(app, file)?.view;
  return view instanceof MarkdownView ? view : null;
}

/** Writes a link at the cursor of the note that was edited last. */
export function insertLink(app: App, place: Place): void {
  const view = noteInUse(app);
  if (!view?.file) {
    new Notice("Open the note that the link should go into.");
    return;
  }
  const link = linkTo(app, place, view.file.path);
  if (link) view.editor.replaceSelection(link);
}

/** The file, or null with a word to the person: opening a missing note would create it. */
function fileAt(app: App, path: string): TFile | null {
  const { vault } = app;
  // The server composes accented letters (NFC); some disks do not.
  const isSame = (file: TFile): boolean => file.path.normalize() === path;
  const file = vault.getFileByPath(path) ?? vault.getMarkdownFiles().find(isSame) ?? null;
  if (!file) new Notice(`“${path}” is no longer in this vault.`);
  return file;
}

function leafShowing(app: App, file: TFile): MarkdownView["leaf"] | undefined {
  return app.workspace.getLeavesOfType("markdown").find((leaf) => {
    return leaf.view instanceof MarkdownView && leaf.view.file?.path === file.path;
  });
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
