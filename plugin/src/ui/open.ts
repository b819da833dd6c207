/** Opens notes at a passage, and makes links to passages: to copy, insert or drag. */

import {
  Keymap,
  MarkdownView,
  Notice,
  Platform,
  stripHeadingForLink,
  type App,
  type PaneType,
  type TFile,
  type UserEvent,
  type View,
} from "obsidian";
import type { Session } from "../connection";
import type { Passage } from "../contract";
import { OTHER_VAULTS } from "../format";
import { t } from "../texts";

/** The line of a passage and, where known, the heading or block id for a link to it. */
type Spot = Pick<Passage, "line"> & Partial<Pick<Passage, "heading" | "block" | "page" | "node">>;

/** A note, and the passage to open; null for its beginning. What is outside the vault opens by its `uri`. */
export interface Place {
  readonly path: string;
  readonly uri?: string;
  readonly passage: Spot | null;
}

/** How paths of documents begin that are indexed with the vault and lie outside it. */
const DOCUMENTS = ".documents/";
/** A link saved in a daily note, without a note of its own, which opens the daily note at its line. */
const SAVED_LINK = /^\.documents\/\.gleanings\/(.+\.md)\/[^/]+$/i;

export type Pane = PaneType | boolean;

/** The pane to open in, by the modifier keys of an event; the setting swaps a plain and a Ctrl/Cmd click. */
export function paneFor(event: UserEvent, newTabByDefault: boolean): Pane {
  const requested = Keymap.isModEvent(event);
  if (!newTabByDefault) return requested;
  if (requested === false) return "tab";
  return requested === "tab" || requested === true ? false : requested;
}

/** Whether an event asks to insert a link: Alt without Ctrl or Cmd. */
export function asksForLink({ altKey, ctrlKey, metaKey }: MouseEvent | KeyboardEvent): boolean {
  return altKey && !ctrlKey && !metaKey;
}

/**
 * `#page=3`, `#^block` or `#Heading#Sub heading`; empty for a passage above the first heading, and
 * in a canvas, whose nodes have no addresses.
 */
export function subpathOf(passage: Spot | null): string {
  if (passage?.page) return `#page=${passage.page}`;
  if (passage?.node) return "";
  if (passage?.block) return `#^${passage.block}`;
  const steps = passage?.heading?.split(" > ") ?? [];
  return steps.map((step) => `#${stripHeadingForLink(step)}`).join("");
}

/**
 * Opens the note with the passage selected; a note that is already open is revealed. A PDF opens at the
 * page, a canvas at the node. `active` is false for a tab that opens in the background.
 */
export async function openPlace(app: App, place: Place, pane: Pane, active = true): Promise<void> {
  const day = SAVED_LINK.exec(place.path)?.[1];
  if (day) {
    await openPlace(app, { path: day, passage: savedAt(place) }, pane, active);
    return;
  }
  if (place.path.startsWith(DOCUMENTS)) {
    openDocument(place);
    return;
  }
  if (isElsewhere(place)) {
    openElsewhere(place);
    return;
  }
  const file = fileAt(app, place.path);
  if (!file) return;
  const { passage } = place;
  if (passage?.node) await openCanvas(app, file, passage.node, pane, active);
  else await openFile(app, file, passage, pane, active);
}

/** The line at which a link is saved, which its address names. */
function savedAt({ uri = "" }: Place): Spot | null {
  const line = Number(/[?&]line=(\d+)$/.exec(uri)?.[1] ?? 0);
  return line > 0 ? { line } : null;
}

/** Opens a page of the server in the browser. The token in the URL signs in, as with the link of `notewell serve`. */
export function openPage(session: Session | null, page: string, query: Record<string, string> = {}): void {
  if (!session) return;
  const { url, token } = session.client.endpoint;
  window.open(`${url}/?token=${token}#/${page}?${new URLSearchParams({ ...query, vault: session.vault.id })}`);
}

/** Opens a document outside the vault with the program for it: a file where it can be on this computer, an item of Zotero. */
function openDocument({ path, uri = "" }: Place): void {
  if (uri.startsWith("zotero:") || (Platform.isDesktopApp && uri.startsWith("file:"))) window.open(uri);
  else new Notice(t("“{path}” is a document outside this vault.", { path: path.slice(DOCUMENTS.length) }));
}

/** Whether a place is in another vault, or a transcript: its address opens the recording at the time. */
export function isElsewhere({ path }: Pick<Place, "path">): boolean {
  return path.startsWith(OTHER_VAULTS) || /\.(srt|vtt)$/i.test(path);
}

/** The address of a note in another vault; the server cannot make the app open other programs. */
function addressElsewhere({ uri = "" }: Place): string | null {
  return /^(obsidian|https?):/.test(uri) ? uri : null;
}

function openElsewhere(place: Place): void {
  const address = addressElsewhere(place);
  if (address) window.open(address);
  else new Notice(t("“{note}” is in another vault.", { note: place.path.slice(OTHER_VAULTS.length) }));
}

async function openFile(app: App, file: TFile, passage: Spot | null, pane: Pane, active: boolean): Promise<void> {
  const { workspace } = app;
  const line = Math.max(0, (passage?.line ?? 1) - 1);
  const shown = pane === false ? viewOf(app, file) : null;
  if (shown) {
    workspace.setActiveLeaf(shown.leaf, { focus: true });
    shown.setEphemeralState({ line });
  } else {
    const link = file.path + subpathOf(passage);
    await workspace.openLinkText(link, file.path, pane, { active, eState: { line } });
  }
  const view = workspace.getActiveViewOfType(MarkdownView);
  if (active && passage && view?.file === file) selectParagraph(view, line);
}

/** Opens a canvas, or reveals it, with the node selected and in the middle. */
async function openCanvas(app: App, file: TFile, node: string, pane: Pane, active: boolean): Promise<void> {
  const { workspace } = app;
  const canvasOf = (): CanvasView | undefined => {
    const views = workspace.getLeavesOfType("canvas").map(({ view }) => view as CanvasView);
    const shown = views.filter((view) => view.file === file);
    return shown.find((view) => view === workspace.getMostRecentLeaf()?.view) ?? shown[0];
  };
  const shown = pane === false ? canvasOf() : undefined;
  if (shown) workspace.setActiveLeaf(shown.leaf, { focus: true });
  else await workspace.openLinkText(file.path, file.path, pane, { active });
  if (active) showNode(canvasOf(), node);
}

/**
 * The part of the view of a canvas that is used. It is not in the public typings; the names are those that
 * the plugin Quick Switcher++ uses, and the canvas is shown as a whole where they are missing.
 */
interface CanvasView extends View {
  readonly file?: TFile | null;
  readonly canvas?: {
    readonly nodes?: { get?(id: string): unknown };
    selectOnly?(node: unknown): void;
    zoomToSelection?(): void;
  };
}

function showNode(view: CanvasView | undefined, id: string): void {
  const canvas = view?.canvas;
  const node = canvas?.nodes?.get?.(id);
  if (!node) return;
  canvas?.selectOnly?.(node);
  canvas?.zoomToSelection?.();
}

/** A link in the style of the app's settings, relative to `sourcePath`; empty where the note is missing. */
export function linkTo(app: App, place: Place, sourcePath = ""): string {
  const address = isElsewhere(place) && addressElsewhere(place);
  if (address) return `[${place.path.replace(/^.*\/|\.md$/g, "").replace(/[[\]]/g, "\\$&")}](${address})`;
  const file = fileAt(app, place.path);
  if (!file) return "";
  return app.fileManager.generateMarkdownLink(file, sourcePath, subpathOf(place.passage));
}

/** Links to several places, as a list. */
export function linkList(app: App, places: readonly Place[], sourcePath = ""): string {
  return linksTo(app, places, sourcePath).map((link) => `- ${link}`).join("\n");
}

function linksTo(app: App, places: readonly Place[], sourcePath: string): string[] {
  return places.map((place) => linkTo(app, place, sourcePath)).filter(Boolean);
}

/** The editor that was used last, even where a panel in another window is active now. */
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

/** Inserts links at the cursor of the editor that was used last: as a list where a line begins, else in the line. */
export function insertLinks(app: App, places: readonly Place[]): void {
  const view = noteInUse(app);
  if (!view?.file) {
    new Notice(t("Open the note for the link first."));
    return;
  }
  const { editor } = view;
  const { line, ch } = editor.getCursor("from");
  editor.replaceSelection(inLine(linksTo(app, places, view.file.path), editor.getLine(line).slice(0, ch)));
}

/** The text of links after `before`, the beginning of their line. */
export function inLine(links: readonly string[], before: string): string {
  const isItem = /^\s*[-*+]\s+$/.test(before);
  if (links.length < 2 || !(isItem || !before.trim())) return links.join(", ");
  const mark = isItem ? before : `${before}- `;
  return mark.slice(before.length) + links.join(`\n${mark}`);
}

/** The file at a server's path, which is in Unicode form NFC; file names on disk may not be. */
export function noteAt({ vault }: App, path: string): TFile | null {
  const isSame = (file: TFile): boolean => file.path.normalize() === path;
  return vault.getFileByPath(path) ?? vault.getFiles().find(isSame) ?? null;
}

/** The file, or null with a notice: opening a missing note would create it. */
function fileAt(app: App, path: string): TFile | null {
  const file = noteAt(app, path);
  if (!file) new Notice(t("“{path}” is no longer in this vault.", { path }));
  return file;
}

function viewOf(app: App, file: TFile): MarkdownView | null {
  for (const { view } of app.workspace.getLeavesOfType("markdown")) {
    if (view instanceof MarkdownView && view.file === file) return view;
  }
  return null;
}

const LONGEST_SELECTION = 40; // lines

/** Scrolls an open note to a passage and selects it there; what has the focus keeps it. */
export function showPassage(view: MarkdownView, { line }: Pick<Passage, "line">): void {
  view.setEphemeralState({ line: line - 1 });
  selectParagraph(view, line - 1);
}

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

/**
 * Starts dragging links. One is dragged with the app's drag manager where there is one, so that the note
 * writes it in its own way; several are dragged as text, which any editor takes.
 */
export function startDrag(app: App, event: DragEvent, places: readonly Place[], title: string): void {
  const [place, ...others] = places;
  if (!place) return;
  if (others.length > 0) {
    event.dataTransfer?.setData("text/plain", linkList(app, places, activePath(app)));
    return;
  }
  const manager = isElsewhere(place) ? undefined : dragManagerOf(app);
  const link = place.path + subpathOf(place.passage);
  manager?.onDragStart?.(event, manager.dragLink?.(event, link, "", title));
  event.dataTransfer?.setData("text/plain", linkTo(app, place));
}
