/** The notes of a graph as a list beside it: to find one by name, for the keyboard and for screen readers. */

import type { NeighborhoodReply } from "../../../src/contract";
import { closest, fill, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { t } from "../../../src/texts";

const MOST_ROWS = 200;

export interface NoteListHandlers {
  readonly chosen: (note: number) => void;
  /** Which notes match the words typed, and whether the others are to be hidden; null without words. */
  readonly filtered: (matching: ReadonlySet<number> | null, hidesOthers: boolean) => void;
}

export class NoteList {
  readonly el: HTMLElement;
  readonly #reply: NeighborhoodReply;
  readonly #handlers: NoteListHandlers;
  readonly #field = h("input", { type: "search", placeholder: t("Find: name, folder or #tag"), "aria-label": t("Find in this graph"), autocomplete: "off", spellcheck: "false" });
  readonly #only = h("input", { type: "checkbox" });
  readonly #rows = h("ul", { class: "graph-notes" });
  readonly #summary = h("p", { class: "faint", role: "status" });

  constructor(reply: NeighborhoodReply, handlers: NoteListHandlers) {
    this.#reply = reply;
    this.#handlers = handlers;
    this.#field.addEventListener("input", () => this.#find());
    this.#only.addEventListener("change", () => this.#find());
    this.#rows.addEventListener("click", (event) => this.#click(event));
    this.el = h(
      "aside",
      { class: "graph-list", "aria-label": t("Notes of this graph") },
      this.#field,
      h("label", {}, this.#only, t("Draw only these")),
      this.#summary,
      this.#rows,
    );
    this.el.addEventListener("keydown", (event) => this.#key(event));
    this.#draw(reply.nodes.map((_, n) => n));
  }

  /** Marks the selected note, where it is listed. */
  mark(note: number | null): void {
    for (const row of this.#rows.querySelectorAll<HTMLElement>("button")) {
      row.toggleAttribute("aria-current", row.dataset["note"] === String(note));
    }
  }

  #find(): void {
    const words = this.#field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const found = this.#reply.nodes.flatMap(({ path, title, tags }, n) => {
      const text = [title, path, ...tags.map((tag) => `#${tag}`)].join("\n").toLocaleLowerCase();
      return words.every((word) => text.includes(word)) ? [n] : [];
    });
    this.#draw(found);
    this.#handlers.filtered(words.length > 0 ? new Set(found) : null, this.#only.checked);
  }

  #draw(notes: readonly number[]): void {
    const { nodes, total } = this.#reply;
    const rows = notes.slice(0, MOST_ROWS).flatMap((n) => {
      const note = nodes[n];
      if (!note) return [];
      const far = note.hops === null || note.hops === 0 ? "" : `${count(note.hops, "link away", "links away")}, `;
      const facts = h("span", { class: "faint" }, `${far}${count(note.links, "link", "links")}`);
      return [h("li", {}, h("button", { type: "button", "data-note": n }, h("span", { dir: "auto" }, note.title), facts))];
    });
    fill(this.#rows, ...rows);
    const all = notes.length === nodes.length ? t("{notes} of {total}", { notes: count(nodes.length, "note", "notes"), total }) : t("{n} of {notes}", { n: notes.length, notes: count(nodes.length, "note", "notes") });
    fill(this.#summary, notes.length > MOST_ROWS ? t("{all}; the first {n} are listed", { all, n: MOST_ROWS }) : all);
  }

  #click(event: Event): void {
    const note = closest(event, "[data-note]")?.dataset["note"];
    if (note !== undefined) this.#handlers.chosen(Number(note));
  }

  /** Arrow keys move between the field and the rows. */
  #key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const stops = [this.#field, ...this.#rows.querySelectorAll<HTMLElement>("button")];
    const here = stops.findIndex((stop) => stop === document.activeElement);
    stops[Math.min(stops.length - 1, Math.max(0, here + step))]?.focus();
  }
}
