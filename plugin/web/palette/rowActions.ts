/** What can be done with a note of the palette, each with its key. */

import { asServerError } from "../../src/client";
import type { VaultInfo } from "../../src/replies";
import type { ViewContext } from "../app/viewContext";
import { copyText } from "../lib/copyText";
import { obsidianLink } from "../lib/links";
import { nameOf } from "../lib/format";
import { leftOut, pinned } from "../parts/ownMarks";
import type { TextsByVault } from "../parts/searchHistory";
import type { NotePlace, PaletteRow } from "./rows";
import { t } from "../../src/texts";

const ENDING = /\.(md|markdown)$/i;

/** The rows that Tab opens. */
export function rowActions(context: ViewContext, note: NotePlace, open: () => void, query: string): readonly PaletteRow[] {
  const row = (label: string, detail: string, run: () => unknown): PaletteRow => ({ label, detail, note, run: () => void run() });
  const { path } = note;
  return [
    row(t("Open"), "↵", open),
    row(t("Open in Obsidian"), t("Ctrl ↵"), () => openOutside(context, note)),
    row(t("Copy link"), t("Alt ↵"), () => copyLink(context, note)),
    ...(note.result?.snippet ? [row(t("Copy passage with link"), "", () => copy(context, `> ${note.result?.snippet.replace(/\n/g, "\n> ") ?? ""}\n\n${wikilink(note)}`))] : []),
    row(t("Copy embed"), "", () => copy(context, `!${wikilink(note)}`)),
    row(t("Similar notes"), "", () => context.go("search", { like: path })),
    row(t("Graph"), "", () => context.go("graph", { path })),
    ...(context.vault ? markRows(context, context.vault, path, row) : []),
    ...(query && note.result ? [row(t("Why this result?"), "", () => context.go("search", { q: query, note: path, why: "yes" }))] : []),
  ];
}

/** Pinning a note, and leaving it out of the palette before a letter is typed; each is taken back in its place. */
function markRows(context: ViewContext, vault: VaultInfo, path: string, row: (label: string, detail: string, run: () => unknown) => PaletteRow): readonly PaletteRow[] {
  const toggle = (list: TextsByVault, is: boolean, done: string) => (): void => {
    if (is) list.remove(path, vault);
    else list.add(path, vault);
    context.showNotice(done);
  };
  const [isPinned, isOut] = [pinned.of(vault).includes(path), leftOut.of(vault).includes(path)];
  return [
    row(isPinned ? t("Unpin") : t("Pin"), "", toggle(pinned, isPinned, isPinned ? t("No longer pinned") : t("Pinned: it comes first before you type"))),
    row(isOut ? t("Suggest again") : t("Do not suggest"), "", toggle(leftOut, isOut, isOut ? t("Suggested again") : t("No longer suggested before you type; searches find it"))),
  ];
}

/** Opens the note in Obsidian; one that is known by its name alone is looked up first. */
export async function openOutside(context: ViewContext, { path, uri }: NotePlace): Promise<void> {
  try {
    const link = obsidianLink(uri ?? (await context.vaultClient.fullNote(path)).uri);
    if (link) location.assign(link);
  } catch (error) {
    context.showNotice(asServerError(error).message);
  }
}

export function copyLink(context: ViewContext, note: NotePlace): Promise<void> {
  return copy(context, wikilink(note));
}

function wikilink({ path, heading }: NotePlace): string {
  const name = ENDING.test(path) ? nameOf(path) : path;
  return `[[${name}${heading ? `#${heading.replace(/[#^|:%[\]\\]/g, " ").trim()}` : ""}]]`;
}

async function copy(context: ViewContext, text: string): Promise<void> {
  context.showNotice((await copyText(text)) ? t("Copied") : text); // where it cannot be copied the person does it
}
