/** Several results selected at once, whose links are inserted, copied or dragged together. */

import { Platform, type App } from "obsidian";
import type { Result } from "../contract";
import { handleKey, link, STATUS } from "./controls";
import { copyText } from "./menu";
import { asksForLink, insertLinks, linkList, type Place } from "./open";
import { focus, type Hit, type ResultRow } from "./resultRow";
import { t, tn } from "../texts";

export class Selection {
  #chosen: ReadonlyMap<string, Place> = new Map(); // by path: a note is selected once, with one of its passages
  #anchor = ""; // the note that a range begins at
  readonly #app: App;
  readonly #rows: () => readonly ResultRow[];
  readonly #barEl: HTMLElement;

  /** `rows` are those that are shown. What can be done with the selection stands at the end of `parent`. */
  constructor(parent: HTMLElement, app: App, rows: () => readonly ResultRow[]) {
    this.#app = app;
    this.#rows = rows;
    this.#barEl = parent.createDiv("notewell-selection");
  }

  get isEmpty(): boolean {
    return this.#chosen.size === 0;
  }

  has({ path }: Pick<Result, "path">): boolean {
    return this.#chosen.has(path);
  }

  /** What an action on `place` is about: all that is selected where the place's note is, else the place. */
  around(place: Place): readonly Place[] {
    return this.has(place) ? this.#places : [place];
  }

  toggle({ row, place }: Hit): void {
    const { path } = row.result;
    const chosen = new Map(this.#chosen);
    if (!chosen.delete(path)) chosen.set(path, place);
    this.#anchor = path;
    this.#set(chosen);
  }

  /** Selects all rows between the one that was selected last, or `from`, and `to`. */
  extend(to: ResultRow, from: ResultRow | undefined): void {
    const rows = this.#rows();
    if (!this.#chosen.has(this.#anchor)) this.#anchor = (from ?? rows[0] ?? to).result.path;
    const ends = [rows.findIndex(({ result }) => result.path === this.#anchor), rows.indexOf(to)];
    this.#select(rows.slice(Math.min(...ends), Math.max(...ends) + 1));
  }

  all(): void {
    this.#select(this.#rows());
  }

  clear(): void {
    this.#set(new Map());
  }

  /** Drops what is shown no longer, and marks the rows that are drawn anew. */
  update(shown: readonly Result[]): void {
    if (this.isEmpty) return;
    const paths = new Set(shown.map(({ path }) => path));
    this.#set(new Map([...this.#chosen].filter(([path]) => paths.has(path))));
  }

  copy(): void {
    const places = this.#places;
    void copyText(linkList(this.#app, places), tn(places.length, "{n} link copied.", "{n} links copied."));
  }

  /**
   * Handles a click on `hit` that selects: with Alt one, with Shift up to it, as in the app's file explorer;
   * on a phone any, once something is selected. Returns whether it was one.
   */
  click(event: MouseEvent, hit: Hit): boolean {
    const { shiftKey, ctrlKey, metaKey } = event;
    if (asksForLink(event) || (Platform.isMobile && !this.isEmpty)) this.toggle(hit);
    else if (shiftKey && !ctrlKey && !metaKey) this.extend(hit.row, undefined);
    else return false;
    return true;
  }

  /** Handles a key on `hit` that selects, or that is about what is selected. Returns whether it was one. */
  key(event: KeyboardEvent, hit: Hit): boolean {
    const isAny = !this.isEmpty;
    const keys: Record<string, (() => void) | false> = {
      "shift ArrowDown": () => this.#step(hit.row, 1),
      "shift ArrowUp": () => this.#step(hit.row, -1),
      " ": () => this.toggle(hit),
      "mod a": () => this.all(),
      "mod c": isAny && ((): void => this.copy()),
      Escape: isAny && ((): void => this.clear()),
    };
    const mod = event.ctrlKey || event.metaKey ? "mod " : "";
    const act = keys[`${mod}${event.shiftKey ? "shift " : ""}${event.key}`];
    if (act) handleKey(event, { [event.key]: act });
    return Boolean(act);
  }

  /** Goes to the next row, and selects up to it. */
  #step(from: ResultRow, step: 1 | -1): void {
    const rows = this.#rows();
    const to = rows[rows.indexOf(from) + step];
    if (to) this.extend(to, from);
    focus(to?.hits[0]);
  }

  /** In the order of the list. */
  get #places(): readonly Place[] {
    return this.#rows().flatMap(({ result }) => this.#chosen.get(result.path) ?? []);
  }

  #select(rows: readonly ResultRow[]): void {
    const places = rows.flatMap(({ hits }) => hits[0]?.place ?? []);
    this.#set(new Map(places.map((place) => [place.path, this.#chosen.get(place.path) ?? place])));
  }

  #set(chosen: ReadonlyMap<string, Place>): void {
    this.#chosen = chosen;
    for (const row of this.#rows()) row.select(this.has(row.result));
    this.#drawBar();
  }

  /** The buttons stay while the number changes, so that one that has the focus keeps it. */
  #drawBar(): void {
    if (this.isEmpty) this.#barEl.empty();
    else if (!this.#barEl.hasChildNodes()) {
      this.#barEl.createSpan({ attr: STATUS });
      link(this.#barEl, t("Insert links"), () => insertLinks(this.#app, this.#places));
      link(this.#barEl, t("Copy links"), () => this.copy());
      link(this.#barEl, t("Clear"), () => this.clear());
    }
    this.#barEl.firstElementChild?.setText(t("{n} selected", { n: this.#chosen.size }));
  }
}
