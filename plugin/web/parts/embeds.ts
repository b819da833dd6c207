/** What a note shows of other files: pictures, pages of PDFs, and other notes, two levels deep. */

import { asServerError } from "../../src/client";
import type { NoteReply } from "../../src/contract";
import { pageKeyHeaders } from "../app/pageKey";
import { isBase } from "../lib/links";
import { drawBase } from "./baseTable";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { t } from "../../src/texts";

const DEPTH = 2;
const MOST_NOTES = 12; // of one page, so that a note of embeds alone does not ask for a whole vault

/** Makes the text of a note into elements. */
export type Draw = (note: NoteReply) => DocumentFragment;

/** Fills in the pictures and notes that `prose`, the text of `note`, embeds. */
export async function fillEmbeds(context: ViewContext, prose: HTMLElement, note: NoteReply, draw: Draw): Promise<void> {
  const budget = { notes: MOST_NOTES };
  showFiles(context, prose, note.path);
  await showNotes(context, prose, note, draw, new Set([note.path]), budget);
}

async function showNotes(context: ViewContext, prose: HTMLElement, note: NoteReply, draw: Draw, above: ReadonlySet<string>, budget: { notes: number }): Promise<void> {
  for (const link of prose.querySelectorAll<HTMLAnchorElement>("a.embed")) {
    const [name = "", part = ""] = (link.dataset["target"] ?? "").split("#", 2);
    const path = embedded(note, name.trim());
    if (!path || above.has(path) || budget.notes === 0) continue;
    budget.notes -= 1;
    if (isBase(path) && context.has("base")) {
      place(link, drawBase(h("div", { class: "base" }), context, { path, view: part.trim(), within: note.path }));
      continue;
    }
    try {
      const other = await context.vaultClient.fullNote(path);
      const box = place(link, draw({ ...other, content: section(other, part.trim()) }));
      showFiles(context, box, path);
      const below = new Set([...above, path]);
      if (below.size <= DEPTH) await showNotes(context, box, other, draw, below, budget);
    } catch (error) {
      asServerError(error); // the link to it stays
    }
  }
}

/** Puts what a link embeds into its place, in a box below the link. */
function place(link: HTMLAnchorElement, content: Node): HTMLElement {
  const box = h("div", { class: "embedded", dir: "auto" }, link.cloneNode(true), content);
  // The lines in it are another note's.
  for (const el of box.querySelectorAll<HTMLElement>("[data-line]")) delete el.dataset["line"];
  link.replaceWith(box);
  for (const inner of box.children) inner.classList.remove("embed");
  return box;
}

/** The path of the note that a note embeds under a name. */
function embedded(note: NoteReply, name: string): string | null {
  return note.links_out.find(({ embed, target }) => embed && target.split("#", 1)[0]?.trim() === name)?.path ?? null;
}

/** The part of a note under a heading, or with a block's id; the whole where it has neither, or none is named. */
function section({ content, headings }: NoteReply, wanted: string): string {
  if (!wanted) return content;
  const lines = content.split("\n");
  if (wanted.startsWith("^")) {
    const at = lines.findIndex((line) => line.trimEnd().endsWith(wanted));
    return at < 0 ? content : (lines[at] ?? "");
  }
  const at = headings.findIndex(({ text }) => text.trim().toLowerCase() === wanted.toLowerCase());
  const found = headings[at];
  if (!found) return content;
  const next = headings.slice(at + 1).find(({ level }) => level <= found.level);
  return lines.slice(found.line - 1, next ? next.line - 1 : undefined).join("\n");
}

/** Loads pictures when they come near the window. */
function showFiles(context: ViewContext, prose: HTMLElement, note: string): void {
  const near = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue;
        near.unobserve(target);
        void showPicture(context, target, note);
      }
    },
    { rootMargin: "400px" },
  );
  for (const el of prose.querySelectorAll<HTMLElement>(".picture[data-file]")) {
    near.observe(el);
  }
}

/** The file that an embed names; of a PDF a page too, the first if none is named. A picture with a place is one within a line: `x.svg#icon`. */
function fileOf(name: string): { readonly asked: { readonly path: string; readonly page?: string }; readonly look: "page" | "in-line" | null } {
  const [, path = name, place = ""] = /^(.+\.\w{3,4})(#.*)?$/.exec(name) ?? [];
  if (!/\.pdf$/i.test(path)) return { asked: { path }, look: place ? "in-line" : null };
  return { asked: { path, page: /page=(\d{1,6})/.exec(place)?.[1] ?? "1" }, look: "page" };
}

async function showPicture(context: ViewContext, el: HTMLElement, note: string): Promise<void> {
  const { asked, look } = fileOf(el.dataset["file"] ?? "");
  delete el.dataset["file"]; // once is enough
  const query = new URLSearchParams({ ...asked, from: note, ...(context.vault && { vault: context.vault.id }) });
  try {
    const answer = await fetch(`/api/file?${query}`, { headers: pageKeyHeaders() });
    if (!answer.ok) throw new TypeError(String(answer.status));
    const picture = h("img", { class: look, src: await dataUrl(await answer.blob()), alt: el.textContent });
    if (el.tagName === "A") fill(el, picture, h("span", {}, el.textContent)); // leads to the text of the file
    else el.replaceWith(picture);
  } catch {
    el.title = t("This picture could not be loaded");
  }
}

/** The page's policy allows pictures as data, and no address that would need the key of the page. */
function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(new TypeError(t("The picture cannot be read."))));
    reader.readAsDataURL(blob);
  });
}
