/**
 * A list of results that can be pointed at, walked through by keyboard, dragged from and held on.
 * The search view and the similar notes view both show one.
 */

import type { HoverParent } from "obsidian";
import type { Result } from "../contract";
import { Timer } from "../support";
import { doByKey } from "./controls";
import type { ViewContext } from "./viewContext";
import { resultMenu, type MenuOwner } from "./menu";
import { asksForLink, insertLink, openPlace, paneFor, startDrag, subpathOf } from "./open";
import { merged } from "./ranking";
import { ResultRow, type Hit } from "./resultRow";

/** The view that a list is a part of. */
export interface ListOwner extends MenuOwner, HoverParent {
  readonly context: ViewContext;
  /** The view's type, by which hover previews are told apart. */
  getViewType(): string;
  getDisplayText(): string;
  badges(result: Result): readonly string[];
  /** A result is opened. */
  onChosen(): void;
  /** Escape was pressed. */
  leave(): void;
  /** Up was pressed on the first row. */
  goAbove(): void;
}

const ROWS_AT_ONCE = 100;
const LONG_PRESS_MS = 600; // a phone's own contextmenu event comes before that
const SNIPPET_CHARS = 300;
const LONG_SNIPPET_CHARS = 1_200;

export class ResultList {
  readonly el: HTMLElement;
  moreContext = false;
  shown: readonly Result[] = [];
  #rows: ResultRow[] = [];
  #better: readonly Result[] = []; // what is shown once nothing is held in place any more
  #room = ROWS_AT_ONCE;
  #pointed: ResultRow | null = null;
  #isPressed = false;
  #moreEl: HTMLElement | null = null;
  readonly #press = new Timer();
  readonly #later = new Timer();
  readonly #owner: ListOwner;

  constructor(parent: HTMLElement, owner: ListOwner) {
    this.#owner = owner;
    this.el = parent.createDiv({
      cls: "search-results-children notewell-results",
      attr: { role: "tree", "aria-label": owner.getDisplayText() },
    });
    this.#listen();
  }

  /** Shows `results`; rows up to the one a person points at stay where they are. */
  merge(results: readonly Result[]): void {
    this.#better = results;
    if (this.#isPressed) return; // the node that was pressed must be the one that is released
    const { activeElement } = this.el.doc;
    const held = this.#rows.findLastIndex(
      (row) => row === this.#pointed || row.el.contains(activeElement),
    );
    this.#draw(merged(this.shown, results, held));
  }

  /** Shows `results` in their own order, from the first on. */
  replace(results: readonly Result[]): void {
    this.#pointed = null;
    this.#better = results;
    this.#room = ROWS_AT_ONCE;
    this.#draw(results);
  }

  /** Draws what is shown once more, after a setting changed. */
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
    const { context } = this.#owner;
    const snippetChars = this.moreContext ? LONG_SNIPPET_CHARS : SNIPPET_CHARS;
    const known = new Map(this.#rows.map((row) => [row.result.path, row]));
    this.#rows = results.slice(0, this.#room).map((result, index) => {
      const row = known.get(result.path) ?? new ResultRow(this.el);
      known.delete(result.path);
      const badges = this.#owner.badges(result);
      row.show(result, { score: context.settings.chosen.score, snippetChars, badges });
      // Moving a node that is in place already would take the focus from it.
      const there = this.el.children[index];
      if (there !== row.el) this.el.insertBefore(row.el, there ?? null);
      return row;
    });
    for (const row of known.values()) row.el.remove();
    this.#drawMore();
    this.#hits[0]?.el.setAttr("tabindex", 0);
  }

  #drawMore(): void {
    this.#moreEl?.remove();
    const rest = this.shown.length - this.#rows.length;
    if (rest <= 0) return;
    this.#moreEl = this.el.createEl("button", { text: `Show ${Math.min(rest, ROWS_AT_ONCE)} more` });
    this.#moreEl.onclick = (): void => {
      this.#room += ROWS_AT_ONCE;
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
    const isFold = target?.instanceOf(Element) && target.closest(".collapse-icon");
    if (isFold) hit.row.expand(!hit.row.isOpen);
    else this.#open(hit, event);
  }

  #open({ place }: Hit, event: MouseEvent | KeyboardEvent): void {
    const { app, context } = this.#owner;
    this.#owner.onChosen();
    void openPlace(app, place, paneFor(event, context.settings.chosen.openInNewTab));
  }

  #point({ el, row, place }: Hit, event: MouseEvent): void {
    this.#pointed = row;
    this.#owner.app.workspace.trigger("hover-link", {
      event,
      source: this.#owner.getViewType(),
      hoverParent: this.#owner,
      targetEl: el,
      linktext: place.path + subpathOf(place.passage),
      sourcePath: place.path,
    });
  }

  /** Nobody points here any more: take the better order as a whole. */
  #leave(): void {
    this.#pointed = null;
    this.#isPressed = false;
    this.#catchUp();
  }

  /** The click comes after this, and should find what was pressed. */
  #release(): void {
    this.#isPressed = false;
    this.#later.set(0, () => this.#catchUp());
  }

  #catchUp(): void {
    if (this.#better !== this.shown) this.merge(this.#better);
  }

  #key(event: KeyboardEvent): void {
    const hits = this.#hits;
    const at = hits.findIndex(({ el }) => el === this.el.doc.activeElement);
    const hit = hits[at];
    if (!hit) return;
    const { row, place } = hit;
    doByKey(event, {
      ArrowDown: () => focus(hits[at + 1]),
      ArrowUp: () => (at === 0 ? this.#owner.goAbove() : focus(hits[at - 1])),
      Home: () => focus(hits[0]),
      End: () => focus(hits.at(-1)),
      ArrowRight: () => row.expand(true),
      ArrowLeft: () => {
        row.expand(false);
        focus(row.hits[0]);
      },
      Enter: () =>
        asksForLink(event) ? insertLink(this.#owner.app, place) : this.#open(hit, event),
      Escape: () => this.#owner.leave(),
    });
  }

  /** The listeners need no end of their own: they end with the element. */
  #listen(): void {
    const { el } = this;
    /** Listens for what happens on a title or a passage. */
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
    on("contextmenu", ({ place }, event) => {
      event.preventDefault();
      this.#press.clear();
      resultMenu(this.#owner, place).showAtMouseEvent(event);
    });
    on("mouseover", (hit, event) => this.#point(hit, event));
    on("dragstart", ({ place, row }, event) => {
      startDrag(this.#owner.app, event, place, row.result.title);
    });
    on("touchstart", (hit, event) => this.#touch(hit, event));
    for (const end of ["touchend", "touchmove", "touchcancel"]) {
      el.addEventListener(end, () => this.#press.clear(), { passive: true });
    }
    el.onpointerdown = (): void => void (this.#isPressed = true);
    el.onpointerup = el.onpointercancel = (): void => this.#release();
    el.onmouseleave = (): void => this.#leave();
    el.onkeydown = (event): void => this.#key(event);
  }

  /** Phones have no right button; some send no `contextmenu` for a long press either. */
  #touch({ row, place }: Hit, { touches }: TouchEvent): void {
    this.#pointed = row;
    const [touch] = touches;
    if (!touch) return;
    const { clientX: x, clientY: y } = touch;
    this.#press.set(LONG_PRESS_MS, () => {
      if (this.el.isConnected) resultMenu(this.#owner, place).showAtPosition({ x, y }, this.el.doc);
    });
  }
}

function focus(hit: Hit | undefined): void {
  hit?.el.focus();
  hit?.el.scrollIntoView({ block: "nearest" });
}
