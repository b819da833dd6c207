/** What to find similar notes for: a note, the section around its cursor, or a text. */

import { TFile, type App, type HeadingCache } from "obsidian";
import { dragManagerOf, noteInUse } from "./open";

export type Target =
  | { readonly kind: "note"; readonly path: string }
  | { readonly kind: "section"; readonly path: string; readonly name: string; readonly text: string }
  | { readonly kind: "text"; readonly text: string };

const SHORTEST_SECTION = 40; // characters; for shorter sections the whole note is used
const LONGEST_TEXT = 8_000;

/** The active note, or the section at its cursor; null where no note is active. */
export function activeTarget(app: App, followSection: boolean): Target | null {
  const file = app.workspace.getActiveFile();
  if (file?.extension !== "md") return null;
  const note: Target = { kind: "note", path: file.path };
  const view = followSection ? noteInUse(app) : null;
  if (view?.file !== file) return note;
  const headings = app.metadataCache.getFileCache(file)?.headings ?? [];
  const { editor } = view;
  const section = sectionAt(headings, editor.getCursor().line, editor.lastLine());
  if (!section) return note;
  const end = { line: section.end, ch: editor.getLine(section.end).length };
  const text = clip(editor.getRange({ line: section.start, ch: 0 }, end));
  if (text.trim().length < SHORTEST_SECTION) return note;
  return { kind: "section", path: file.path, name: section.name, text };
}

export function textTarget(text: string): Target {
  return { kind: "text", text: clip(text) };
}

/** The target in a view's saved state; null where it is not valid. */
export function restoredTarget(state: unknown): Target | null {
  const { kind, path, text } = (state ?? {}) as Record<string, unknown>;
  if (kind === "text" && typeof text === "string") return textTarget(text);
  if (typeof path === "string") return { kind: "note", path };
  return null;
}

export function isSameTarget(one: Target | null, other: Target | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The lines from the heading above `line` to the next heading of its level or a higher one. */
export function sectionAt(
  headings: readonly HeadingCache[],
  line: number,
  lastLine: number,
): { readonly name: string; readonly start: number; readonly end: number } | null {
  const at = headings.findLastIndex((heading) => heading.position.start.line <= line);
  const own = headings[at];
  if (!own) return null;
  const next = headings.slice(at + 1).find((heading) => heading.level <= own.level);
  const end = next ? next.position.start.line - 1 : lastLine;
  return { name: own.heading, start: own.position.start.line, end: Math.min(end, lastLine) };
}

/** The name of a target, as a panel shows it. */
export function titleOf(target: Target): string {
  if (target.kind === "note") return target.path.replace(/^.*\/|\.md$/g, "");
  return target.kind === "section" ? target.name : `“${target.text.trim().slice(0, 80)}”`;
}

function clip(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}

/** The target that was dropped: a note from the app, or text. */
export function dropped(app: App, event: DragEvent): Target | null {
  const draggable = dragManagerOf(app)?.draggable;
  if (draggable?.file instanceof TFile) return { kind: "note", path: draggable.file.path };
  const text = event.dataTransfer?.getData("text/plain").trim();
  return text ? textTarget(text) : null;
}
