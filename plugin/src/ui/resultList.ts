/**
 * A list of results with hover previews, keyboard navigation, dragging and long presses. The search
 * view and the similar notes view both show one.
 */

import type { HoverParent, Menu } from "obsidian";
import type { Result } from "../contract";
import { folderOf } from "../format";
import { Timer } from "../support";
import { handleKey } from "./controls";
import type { ViewContext } from "./viewContext";
import { resultMenu, type MenuOwner } from "./menu";
import { asksForLink, insertLinks, isElsewhere, openPlace, paneFor, startDrag, subpathOf } from "./open";
import { merged } from "./ranking";
import { BEST_FIRST, groupText } from "./scores";
import { focus, ResultRow, type Hit, type RowLook } from "./resultRow";
import { Selection } from "./selection";
import { t } from "../texts";

/** The view that a list is a part of. */
export interface ListOwner extends MenuOwner, HoverParent {
  readonly context: ViewContext;
  /** The view's type, which identifies the source of hover previews. */
  getViewType(): string;
  getDisplayText(): string;
  badges(result: Result): readonly string[];
  /** Called when a result is opened. */
  onChosen(): void;
  /** Escape was pressed. */
  focusEditor(): void;
  /** Up was pressed on the first row. */
  focusTop(): void;
  /** The pointer left the list, so that what is above it may change its height. */
  pointerLeft(): void;
}

const ROWS_AT_ONCE = 100;
const LONG_PRESS_MS = 600; // longer than a phone takes to send its own contextmenu event
const COMPACT_SNIPPET_CHARS = 120;
const SNIPPET_CHARS = 300;
const LONG_SNIPPET_CHARS = 1_200;

export class ResultList {
  readonly el: HTMLElement;
  moreContext = false;
  /** Rows without excerpts. */
  titlesOnly = false;
  /** Whether the notes come in groups by folder, which the rows then need not name. */
  byFolder = false;
  /** Whether they come by how well they match, which is then said once above those that match alike. */
  byMatch = true;
  shown: readonly Result[] = [];
  #rows: ResultRow[] = [];
  #latest: readonly Result[] = []; // what is shown once no row has to stay in place
  #rowLimit = ROWS_AT_ONCE;
  #hovered: ResultRow | null = null;
  #isPressed = false;
  #moreEl: HTMLElement | null = null;
  readonly #longPress = new Timer();
  readonly #afterRelease = new Timer();
  readonly #owner: ListOwner;
  readonly #selection: Selection;

  constructor(parent: HTMLElement, owner: ListOwner) {
    this.#owner = owner;
    this.el = parent.createDiv({
      cls: "search-results-children notewell-results",
      attr: { role: "tree", "aria-label": owner.getDisplayText(), "aria-multiselectable": "true" },
    });
    this.#selection = new Selection(parent, owner.app, () => this.#rows);
    this.#listen();
  }

  /** Shows `results`; rows up to the one under the pointer or with the focus stay in place. */
  merge(results: readonly Result[]): void {
    this.#latest = results;
    if (this.#isPressed) return; // a click needs the same element at press and release
    const { activeElement } = this.el.doc;
    const lastFixed = this.#rows.findLastIndex(
      (row) => row === this.#hovered || row.el.contains(activeElement),
    );
    this.#draw(merged(this.shown, results, lastFixed));
  }

  /** Shows `results` in their own order, without keeping rows in place. */
  replace(results: readonly Result[]): void {
    this.#hovered = null;
    this.#latest = results;
    this.#rowLimit = ROWS_AT_ONCE;
    this.#draw(results);
  }

  /** Draws the results again, after a setting changed. */
  redraw(): void {
    this.#draw(this.shown);
  }

  expandAll(isOpen: boolean): void {
    for (const row of this.#rows) row.expand(isOpen);
  }

  focusFirst(): void {
    focus(this.#hits[0]);
  }

  get #hits(): Hit[] {
    return this.#rows.flatMap((row) => row.hits);
  }

  #draw(results: readonly Result[]): void {
    this.shown = results;
    const known = new Map(this.#rows.map((row) => [row.result.path, row]));
    let least = -1; // how well the notes of the group match
    this.#rows = results.slice(0, this.#rowLimit).map((result, index) => {
      const rank = result.match ? BEST_FIRST.indexOf(result.match) : -1;
      const isFirst = rank > least;
      least = Math.max(least, rank);
      const row = known.get(result.path) ?? new ResultRow(this.el);
      known.delete(result.path);
      row.show(result, this.#look(result, results[index - 1], this.#match(result, isFirst, rank === least)));
      // Moving an element that is already in place would take the focus from it.
      const there = this.el.children[index];
      if (there !== row.el) this.el.insertBefore(row.el, there ?? null);
      return row;
    });
    for (const row of known.values()) row.el.remove();
    this.#selection.update(results);
    this.#drawMore();
    this.#hits[0]?.el.setAttr("tabindex", 0);
  }

  /** How well it matches: said above the first of those that match alike, or beside one that is not `isWithin` such a group. */
  #match({ match }: Result, isFirst: boolean, isWithin: boolean): Pick<RowLook, "score" | "heading"> {
    const { score } = this.#owner.context.settings.chosen;
    if (!this.byMatch || this.byFolder || score !== "match") return { score, heading: null };
    const isAlone = match !== "weak" && this.shown.every((other) => other.match === match);
    return { score: isWithin ? "off" : score, heading: isFirst && match && !isAlone ? groupText(match) : null };
  }

  #look(result: Result, before: Result | undefined, { score, heading }: Pick<RowLook, "score" | "heading">): RowLook {
    const { density } = this.#owner.context.settings.chosen;
    const usual = density === "compact" ? COMPACT_SNIPPET_CHARS : SNIPPET_CHARS;
    const folder = folderOf(result.path);
    const isNewFolder = this.byFolder && (!before || folderOf(before.path) !== folder);
    return {
      score,
      snippetChars: this.moreContext ? LONG_SNIPPET_CHARS : usual,
      badges: this.#owner.badges(result),
      titlesOnly: this.titlesOnly,
      heading: isNewFolder ? folder || t("Top folder") : heading,
      withFolder: !this.byFolder,
    };
  }

  #drawMore(): void {
    this.#moreEl?.remove();
    const rest = this.shown.length - this.#rows.length;
    if (rest <= 0) return;
    this.#moreEl = this.el.createEl("button", { text: t("Show {min} more", { min: Math.min(rest, ROWS_AT_ONCE) }) });
    this.#moreEl.onclick = (): void => {
      this.#rowLimit += ROWS_AT_ONCE;
      this.redraw();
    };
  }

  #hitAt(event: UIEvent): Hit | undefined {
    const node = event.targetNode;
    return this.#hits.find(({ el }) => el.contains(node));
  }

  #click(hit: Hit, event: MouseEvent): void {
    if (event.defaultPrevented) return;
    event.preventDefault();
    const target = event.targetNode;
    const isToggle = target?.instanceOf(Element) && target.closest(".collapse-icon");
    if (isToggle) hit.row.expand(!hit.row.isOpen);
    else if (!this.#selection.click(event, hit)) this.#open(hit, event);
  }

  #open({ place }: Hit, event: MouseEvent | KeyboardEvent): void {
    const { app, context } = this.#owner;
    this.#owner.onChosen();
    void openPlace(app, place, paneFor(event, context.settings.chosen.openInNewTab));
  }

  #hover({ el, row, place }: Hit, event: MouseEvent): void {
    this.#hovered = row;
    if (isElsewhere(place)) return; // the app previews notes of its own vault
    this.#owner.app.workspace.trigger("hover-link", {
      event,
      source: this.#owner.getViewType(),
      hoverParent: this.#owner,
      targetEl: el,
      linktext: place.path + subpathOf(place.passage),
      sourcePath: place.path,
    });
  }

  /** The pointer left the list: shows the latest order as a whole. */
  #pointerLeft(): void {
    this.#hovered = null;
    this.#isPressed = false;
    this.#applyLatest();
    this.#owner.pointerLeft();
  }

  /** Whether a row is under the pointer; nothing may move it then. */
  get isPointedAt(): boolean {
    return this.#hovered !== null;
  }

  /** Waits for the click event, which comes after the release, before the list may change. */
  #release(): void {
    this.#isPressed = false;
    this.#afterRelease.set(0, () => this.#applyLatest());
  }

  #applyLatest(): void {
    if (this.#latest !== this.shown) this.merge(this.#latest);
  }

  #key(event: KeyboardEvent): void {
    const hits = this.#hits;
    const at = hits.findIndex(({ el }) => el === this.el.doc.activeElement);
    const hit = hits[at];
    if (!hit) return;
    const { row, place } = hit;
    if (this.#selection.key(event, hit)) return;
    handleKey(event, {
      ArrowDown: () => focus(hits[at + 1]),
      ArrowUp: () => (at === 0 ? this.#owner.focusTop() : focus(hits[at - 1])),
      Home: () => focus(hits[0]),
      End: () => focus(hits.at(-1)),
      ArrowRight: () => row.expand(true),
      ArrowLeft: () => {
        row.expand(false);
        focus(row.hits[0]);
      },
      Enter: () =>
        asksForLink(event) ? insertLinks(this.#owner.app, this.#selection.around(place)) : this.#open(hit, event),
      Escape: () => this.#owner.focusEditor(),
    });
  }

  /** Adds the listeners; they are removed with the element. */
  #listen(): void {
    const { el } = this;
    /** Adds a listener for events on a title or a passage. */
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      act: (hit: Hit, event: HTMLElementEventMap[K] & UIEvent) => void,
    ): void =>
      el.addEventListener(
        type,
        (event) => {
          const hit = this.#hitAt(event as HTMLElementEventMap[K] & UIEvent);
          if (hit) act(hit, event as HTMLElementEventMap[K] & UIEvent);
        },
        { passive: type === "touchstart" },
      );
    on("click", (hit, event) => this.#click(hit, event));
    on("auxclick", (hit, event) => {
      if (event.button === 1) this.#click(hit, event);
    });
    on("contextmenu", (hit, event) => {
      event.preventDefault();
      this.#longPress.clear();
      this.#menu(hit).showAtMouseEvent(event);
    });
    on("mouseover", (hit, event) => this.#hover(hit, event));
    on("dragstart", ({ place, row }, event) => {
      startDrag(this.#owner.app, event, this.#selection.around(place), row.result.title);
    });
    on("touchstart", (hit, event) => this.#touch(hit, event));
    for (const end of ["touchend", "touchmove", "touchcancel"]) {
      el.addEventListener(end, () => this.#longPress.clear(), { passive: true });
    }
    el.onpointerdown = (): void => void (this.#isPressed = true);
    el.onpointerup = el.onpointercancel = (): void => this.#release();
    el.onmouseleave = (): void => this.#pointerLeft();
    el.onkeydown = (event): void => this.#key(event);
  }

  /** Opens the menu at a long press, because some phones send no `contextmenu` event. */
  #touch(hit: Hit, { touches }: TouchEvent): void {
    this.#hovered = hit.row;
    const [touch] = touches;
    if (!touch) return;
    const { clientX: x, clientY: y } = touch;
    this.#longPress.set(LONG_PRESS_MS, () => {
      if (this.el.isConnected) this.#menu(hit).showAtPosition({ x, y }, this.el.doc);
    });
  }

  #menu(hit: Hit): Menu {
    const { place } = hit;
    const title = this.#selection.has(place) ? t("Unselect") : t("Select");
    return resultMenu(this.#owner, place, this.#selection.around(place), [title, () => this.#selection.toggle(hit)]);
  }
}
