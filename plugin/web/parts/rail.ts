/** What surrounds a note: its outline, properties, links in and out, and similar notes. */

import type { NoteReply, Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { nameOf } from "../lib/format";
import { isBase } from "../lib/links";
import { properties } from "./properties";
import { folderText, noteAddress } from "./resultRow";
import { t } from "../../src/texts";

const MOST_LINKS = 30;

/** Fills the rail with what is known of a note; `similar`, which comes first below the outline, is filled once those are known. */
export function fillRail(rail: HTMLElement, context: ViewContext, note: NoteReply, similar: HTMLElement): void {
  const into = [...new Set(note.links_in.flatMap(({ path }) => path ?? []))];
  const out = [...new Set(note.links_out.flatMap(({ path }) => path ?? []))].filter((path) => path !== note.path);
  fill(
    rail,
    outline(context, note),
    similar,
    linkSection(context, t("Linked from"), into),
    linkSection(context, t("Links to"), out),
    properties(note.properties),
    versions(context, note.path),
    into.length + out.length > 0 ? around(context, note.path) : null,
  );
}

/** A small drawing of the note and those linked with it, made once it is opened. */
function around(context: ViewContext, path: string): HTMLElement {
  const drawing = h("section", { class: "near" });
  const draw = (): void => void import("./localGraph").then(({ drawLocalGraph }) => drawLocalGraph(drawing, context, path), () => undefined);
  return folded(t("Around this note"), drawing, draw);
}

/** The headings, each leading to its place; a note with one heading needs no outline. */
function outline(context: ViewContext, note: NoteReply): HTMLElement | null {
  const headings = note.headings.filter(({ text }, n) => n > 0 || text.trim() !== note.title);
  if (headings.length < 2 || isBase(note.path)) return null;
  const top = Math.min(...headings.map(({ level }) => level));
  const items = headings.map(({ text, level, line }) =>
    h("li", { vars: { "--depth": String(Math.min(level - top, 4)) } }, h("a", { href: noteAddress(context, note.path, line), dir: "auto" }, text)),
  );
  return h("details", { class: "outline properties", open: true }, h("summary", {}, t("Outline")), h("ul", {}, ...items));
}

/** The changes of the note, where the vault has a history; they are asked for once they are opened. */
export function versions(context: ViewContext, path: string): HTMLElement | null {
  if (!context.hasPast) return null;
  const body = h("div", {});
  const open = (): void => void import("./past").then(({ drawVersions }) => drawVersions(body, context, path), () => undefined);
  return folded(t("Earlier versions"), body, open);
}

/** A fold whose content is asked for when it is first opened. */
function folded(title: string, body: HTMLElement, open: () => void): HTMLElement {
  const el = h("details", { class: "properties" }, h("summary", {}, title), body);
  el.addEventListener("toggle", open, { once: true });
  return el;
}

function linkSection(context: ViewContext, title: string, paths: readonly string[]): HTMLElement | null {
  if (paths.length === 0) return null;
  const rest = paths.length - MOST_LINKS;
  const rows = paths.slice(0, MOST_LINKS).map((path) => ({ path, title: nameOf(path) }));
  return h(
    "section",
    { class: "near" },
    h("h2", {}, `${title} · ${paths.length}`),
    noteLinks(context, rows),
    rest > 0 ? h("p", { class: "faint" }, t("and {n} more", { n: rest })) : null,
  );
}

export function noteLinks(context: ViewContext, notes: readonly Pick<Result, "path" | "title">[]): HTMLElement {
  const links = notes.map(({ path, title }) =>
    h(
      "li",
      {},
      h("a", { href: noteAddress(context, path), dir: "auto" }, title),
      folderText(path),
    ),
  );
  return h("ul", { class: "note-links" }, ...links);
}
