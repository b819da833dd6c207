/**
 * The palette: one field, a list that is never empty, and the passage beside it.
 *
 * What was listed stays until there is something better, so that the list does not flicker while somebody types.
 */

import { asServerError } from "../../src/client";
import { Timer } from "../../src/support";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { paletteStyles } from "../lib/viewStyles";
import { remember } from "../parts/searchHistory";
import { Preview } from "./preview";
import { copyLink, openOutside, rowActions } from "./rowActions";
import { actionsAlone, belonging, known, someActions, typed, type NotePlace, type PaletteGroup, type PaletteRow } from "./rows";
import { t } from "../../src/texts";

const PAUSE_MS = 90; // between two searches while somebody types

export class Palette {
  readonly #context: ViewContext;
  readonly #preview: Preview;
  readonly #pause = new Timer();
  readonly #input = h("input", {
    type: "text",
    role: "combobox",
    placeholder: t("Type to search, or pick"),
    "aria-label": t("Find a note or an action"),
    "aria-autocomplete": "list",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    enterkeyhint: "go",
    maxlength: "4096",
  });
  readonly #list = h("div", { id: "palette-list", role: "listbox", "aria-label": t("Notes and actions") });
  readonly #keys = h("p", { class: "palette-keys faint" });
  readonly #el: HTMLDialogElement;
  #rows: readonly PaletteRow[] = [];
  #at = 0;
  #isMoved = false; // whether a row was chosen since something was typed
  #sequence = 0;
  /** The list that the actions of a row stand in the place of. */
  #before: { readonly groups: readonly PaletteGroup[]; readonly at: number } | null = null;
  #groups: readonly PaletteGroup[] = [];

  constructor(context: ViewContext) {
    this.#context = context;
    this.#preview = new Preview(context);
    const field = h("div", { class: "palette-field" }, icon("search"), this.#input);
    this.#el = h("dialog", { class: "palette", "aria-label": t("Find") }, field, h("div", { class: "palette-columns" }, this.#list, this.#preview.el), this.#keys);
    this.#input.addEventListener("input", () => this.#typed());
    this.#el.addEventListener("keydown", (event) => this.#key(event));
    this.#el.addEventListener("click", (event) => this.#click(event));
    this.#el.addEventListener("cancel", (event) => {
      if (!this.#before) return;
      event.preventDefault(); // Esc leaves the actions first
      this.#leaveActions();
    });
  }

  async open(): Promise<void> {
    await paletteStyles().catch(() => undefined); // it can be used without
    if (!this.#el.isConnected) document.body.append(this.#el);
    if (this.#el.open) return;
    this.#input.value = "";
    this.#before = null;
    this.#preview.reset();
    this.#el.showModal();
    this.#input.focus();
    await this.#empty();
  }

  get isOpen(): boolean {
    return this.#el.open;
  }

  /** What belongs here, before a letter is typed: what the browser knows at once, and then what the server does. */
  async #empty(): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const own = known(this.#context);
    this.#show(own.length > 0 ? own : someActions(this.#context));
    const { near, changed } = await belonging(this.#context);
    const all = [...near, ...own, ...changed];
    if (sequence === this.#sequence && all.length > 0) this.#show(all, this.#isMoved);
  }

  #typed(): void {
    this.#before = null;
    this.#isMoved = false;
    const q = this.#input.value.trim();
    if (!q) {
      this.#pause.clear();
      void this.#empty();
    } else if (!this.#pause.isSet) this.#pause.set(PAUSE_MS, () => void this.#search());
  }

  async #search(): Promise<void> {
    this.#pause.clear();
    this.#sequence += 1;
    const sequence = this.#sequence;
    const q = this.#input.value.trim();
    if (!q) return;
    let found: readonly PaletteGroup[];
    try {
      found = await typed(this.#context, q);
    } catch (error) {
      asServerError(error);
      found = actionsAlone(this.#context, q);
    }
    if (sequence === this.#sequence) this.#show(found, this.#isMoved);
  }

  /** Shows other rows; one that was chosen stays chosen where it is among them. */
  #show(all: readonly PaletteGroup[], keep = false): void {
    const chosen = keep ? this.#rows[this.#at] : undefined;
    this.#groups = all;
    this.#rows = all.flatMap(({ rows }) => rows);
    const same = chosen ? this.#rows.findIndex(({ label, note }) => label === chosen.label && note?.path === chosen.note?.path) : 0;
    this.#at = Math.max(0, same);
    this.#draw();
  }

  #draw(): void {
    let n = -1;
    const drawn = this.#groups.map(({ title, rows }, at) =>
      h(
        "div",
        { role: "group", "aria-labelledby": `palette-group-${at}` },
        h("h3", { id: `palette-group-${at}`, role: "presentation", dir: "auto" }, title),
        ...rows.map((row) => {
          n += 1;
          return h(
            "div",
            { id: `palette-${n}`, role: "option", "data-n": n, "aria-selected": "false" },
            h("span", { class: "label", dir: "auto" }, row.label),
            row.detail && h("span", { class: "faint", dir: "auto" }, row.detail),
          );
        }),
      ),
    );
    fill(this.#list, ...drawn);
    this.#choose(this.#at);
  }

  #choose(n: number): void {
    const count = this.#rows.length;
    this.#at = count ? (n + count) % count : 0;
    this.#list.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    const row = this.#list.querySelector(`#palette-${this.#at}`);
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    if (row) this.#input.setAttribute("aria-activedescendant", row.id);
    else this.#input.removeAttribute("aria-activedescendant");
    const note = this.#rows[this.#at]?.note ?? null;
    this.#preview.show(note);
    fill(this.#keys, this.#hints(note !== null));
  }

  #hints(isNote: boolean): string {
    if (this.#before) return t("↵ do it · Esc back");
    const ofNote = t("↵ open · Tab more · Alt ↵ copy link · Ctrl ↵ in Obsidian · Space scroll");
    return isNote ? ofNote : t("↵ go");
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const act = this.#actionOf(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #actionOf(event: KeyboardEvent): (() => unknown) | null {
    const note = this.#rows[this.#at]?.note ?? null;
    const general: Readonly<Record<string, () => unknown>> = {
      ArrowDown: () => this.#move(1),
      ArrowUp: () => this.#move(-1),
      Enter: () => this.#take(this.#at),
      Tab: () => (this.#before ? this.#leaveActions() : this.#showActions()),
      "shift Tab": () => this.#leaveActions(),
      "mod k": () => this.#el.close(),
    };
    return general[nameOfKey(event)] ?? (note && this.#actionOn(note, nameOfKey(event)));
  }

  #actionOn(note: NotePlace, key: string): (() => unknown) | null {
    const isScrolling = this.#isMoved || !this.#input.value; // else a space is typed
    const ofNote: Readonly<Record<string, (() => unknown) | false>> = {
      "alt Enter": () => this.#leave(() => void copyLink(this.#context, note)),
      "mod Enter": () => this.#leave(() => void openOutside(this.#context, note)),
      " ": isScrolling && (() => this.#preview.page(1)),
      "shift  ": isScrolling && (() => this.#preview.page(-1)),
    };
    return ofNote[key] || null;
  }

  #move(by: number): void {
    this.#isMoved = true;
    this.#choose(this.#at + by);
  }

  #click(event: MouseEvent): void {
    if (event.target === this.#el) this.#el.close(); // beside it
    const target = event.target as Element;
    const row = target.closest<HTMLElement>("[data-n]");
    if (row) this.#take(Number(row.dataset["n"]));
    else if (target.closest("a[href]")) this.#el.close(); // a link in the passage
  }

  #take(n: number): void {
    const row = this.#rows[n];
    if (!row) return;
    if (row.query !== undefined) {
      this.#input.value = `${row.query}${/[:[]$/.test(row.query) ? "" : " "}`;
      this.#input.focus();
      void this.#search();
      return;
    }
    const q = this.#input.value.trim();
    if (q && !this.#before) remember(q, this.#context.vault);
    this.#leave(row.run);
  }

  #leave(act: () => void): void {
    this.#el.close();
    act();
  }

  #showActions(): void {
    const row = this.#rows[this.#at];
    if (!row?.note) return;
    this.#before = { groups: this.#groups, at: this.#at };
    this.#show([{ title: row.label, rows: rowActions(this.#context, row.note, row.run, this.#input.value.trim()) }]);
  }

  #leaveActions(): void {
    if (!this.#before) return;
    const { groups: all, at } = this.#before;
    this.#before = null;
    this.#show(all);
    this.#choose(at);
  }
}

/** A key with those that are held, as "mod Enter"; Mod is Ctrl or, on a Mac, Cmd. */
function nameOfKey({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const held = [ctrlKey || metaKey ? "mod " : "", altKey ? "alt " : "", shiftKey ? "shift " : ""].join("");
  return held + key;
}
