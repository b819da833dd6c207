/**
 * A list of results that can be pointed at, walked through by keyboard, dragged from and held on.
 * The search view and the similar notes view both show one.
 */

import type { App, HoverParent, Menu, WorkspaceLeaf } from "obsidian";
import type { Passage, Result } from "../contract";
import type { Settings } from "../settings";
import { Timer } from "../timer";
import { startDrag } from "./drag";
import { insertLink, openPlace, paneFor, subpathOf, type Place } from "./open";
import { merged } from "./ranking";
import { resultMenu } from "./menu";
import { ResultRow, type RowLook } from "./resultRow";

export interface ListParts {
  readonly app: App;
  readonly settings: Settings;
  readonly leaf: WorkspaceLeaf;
  readonly hover: HoverParent;
  /** The view's type, by which hover previews are told apart. */
  readonly source: string;
  readonly label: string;
  readonly badges?: (result: Result) => readonly string[];
  readonly addItems?: (menu: Menu, place: Place) => void;
  readonly onOpen?: () => void;
  /** Escape was pressed, or up above the first row. */
  readonly onLeave: (where: "editor" | "above") => void;
}

interface Hit {
  readonly row: ResultRow;
  readonly passage: Passage;
  readonly el: HTMLElement;
}

const ROWS_AT_ONCE = 100;
const LONG_PRESS_MS = 600; // a phone's own contextmenu event comes before that

export class ResultList {
  readonly el: HTMLElement;
  moreContext = false;
  #rows: ResultRow[] = [];
  #results: readonly Result[] = [];
  #better: readonly Result[] = []; // what is shown once nothing is held in place any more
  #room = ROWS_AT_ONCE;
  #pointed: ResultRow | null = null;
  #isPressed = false;
  #moreEl: HTMLElement | null = null;
  readonly #press = new Timer();
  readonly #later = new Timer();

  readonly #parts: ListParts;

  constructor(
    parent: HTMLElement,
    parts: ListParts,
  ) {
    this.#parts = parts;
    this.el = parent.createDiv({
      cls: "search-results-children recollect-results",
      attr: { role: "tree", "aria-label": parts.label },
    });
    this.#listen();
  }

  get shown(): readonly Result[] {
    return this.#results;
  }

  /** Shows `results`; rows up to the one a person points at stay where they are. */
  merge(results: readonly Result[]): void {
    this.#better = results;
    if (this.#isPressed) return; // the node that was pressed must be the one that is released
    const { activeElement } = this.el.doc;
    const held = this.#rows.findLastIndex(
      (row) => row === this.#pointed || row.el.contains(activeElement),
    );
    this.#draw(merged(this.#results, results, held));
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
    this.#draw(this.#results);
  }

  expandAll(open: boolean): void {
    for (const row of this.#rows) row.expand(open);
  }

  focusFirst(): boolean {
    const first = this.#targets()[0];
    first?.el.focus();
    return first !== undefined;
  }

  #draw(results: readonly Result[]): void {
    this.#results = results;
    const look: RowLook = {
      score: this.#parts.settings.vault.score,
      moreContext: this.moreContext,
      badges: this.#parts.badges ?? ((): readonly string[] => []),
    };
    const known = new Map(this.#rows.map((row) => [row.result.path, row]));
    this.#rows = results.slice(0, this.#room).map((result, index) => {
      const row = known.get(result.path) ?? new ResultRow(this.el, result, look);
      known.delete(result.path);
      row.update(result, look);
      // Moving a node that is in place already would take the focus from it.
      const there = this.el.children[index];
      if (there !== row.el) this.el.insertBefore(row.el, there ?? null);
      return row;
    });
    for (const row of known.values()) row.el.remove();
    this.#drawMore();
    this.#targets()[0]?.el.setAttr("tabindex", 0);
  }

  #drawMore(): void {
    this.#moreEl?.remove();
    const rest = this.#results.length - this.#rows.length;
    if (rest <= 0) return;
    this.#moreEl = this.el.createEl("button", { text: `Show ${Math.min(rest, ROWS_AT_ONCE)} more` });
    this.#moreEl.onclick = (): void => {
      this.#room += ROWS_AT_ONCE;
      this.redraw();
    };
  }

  #targets(): Hit[] {
    return this.#rows.flatMap((row) =>
      [...row.targets].map(([el, passage]) => ({ row, passage, el })),
    );
  }

  #hitAt(event: UIEvent): Hit | undefined {
    const node = event.targetNode;
    const row = this.#rows.find((candidate) => node !== null && candidate.el.contains(node));
    if (!row) return undefined;
    for (const [el, passage] of row.targets) {
      if (el.contains(node)) return { row, passage, el };
    }
    return undefined;
  }

  #click(event: MouseEvent): void {
    const hit = this.#hitAt(event);
    if (!hit || event.defaultPrevented) return;
    event.preventDefault();
    const target = event.targetNode;
    if (target?.instanceOf(Element) && target.closest(".collapse-icon")) {
      hit.row.expand(!hit.row.isExpanded);
    } else {
      this.#open(hit, event);
    }
  }

  #open(hit: Hit, event: MouseEvent | KeyboardEvent): void {
    this.#parts.onOpen?.();
    const pane = paneFor(event, this.#parts.settings.vault.openInNewTab);
    void openPlace(this.#parts.app, placeOf(hit), pane);
  }

  #contextMenu(event: MouseEvent): void {
    const hit = this.#hitAt(event);
    if (!hit) return;
    event.preventDefault();
    this.#press.clear();
    resultMenu(this.#parts, placeOf(hit)).showAtMouseEvent(event);
  }

  #point(event: MouseEvent): void {
    const hit = this.#hitAt(event);
    this.#pointed = hit?.row ?? null;
    if (!hit) return;
    this.#parts.app.workspace.trigger("hover-link", {
      event,
      source: this.#parts.source,
      hoverParent: this.#parts.hover,
      targetEl: hit.el,
      linktext: hit.row.result.path + subpathOf(hit.passage),
      sourcePath: hit.row.result.path,
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
    if (this.#better !== this.#results) this.merge(this.#better);
  }

  #drag(event: DragEvent): void {
    const hit = this.#hitAt(event);
    if (hit) startDrag(this.#parts.app, event, placeOf(hit), hit.row.result.title);
  }

  #key(event: KeyboardEvent): void {
    const targets = this.#targets();
    const at = targets.findIndex((target) => target.el === this.el.doc.activeElement);
    const hit = targets[at];
    if (!hit) return;
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(targets[at + 1]),
      ArrowUp: () => (at === 0 ? this.#parts.onLeave("above") : focus(targets[at - 1])),
      Home: () => focus(targets[0]),
      End: () => focus(targets.at(-1)),
      ArrowRight: () => hit.row.expand(true),
      ArrowLeft: () => {
        hit.row.expand(false);
        focus(this.#targets().find((target) => target.row === hit.row));
      },
      Enter: () => (event.altKey && !event.ctrlKey && !event.metaKey
        ? insertLink(this.#parts.app, placeOf(hit))
        : this.#open(hit, event)),
      Escape: () => this.#parts.onLeave("editor"),
    };
    const move = moves[event.key];
    if (!move || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  /** The listeners need no end of their own: they end with the element. */
  #listen(): void {
    const { el } = this;
    el.onclick = (event): void => this.#click(event);
    el.onauxclick = (event): void => {
      if (event.button === 1) this.#click(event);
    };
    el.oncontextmenu = (event): void => this.#contextMenu(event);
    el.onmouseover = (event): void => this.#point(event);
    el.onpointerdown = (): void => void (this.#isPressed = true);
    el.onpointerup = el.onpointercancel = (): void => this.#release();
    el.onmouseleave = (): void => this.#leave();
    el.ondragstart = (event): void => this.#drag(event);
    el.onkeydown = (event): void => this.#key(event);
    el.addEventListener("touchstart", (event) => this.#touch(event), { passive: true });
    for (const end of ["touchend", "touchmove", "touchcancel"]) {
      el.addEventListener(end, () => this.#press.clear(), { passive: true });
    }
  }

  /** Phones have no right button; some send no `contextmenu` for a long press either. */
  #touch(event: TouchEvent): void {
    const hit = this.#hitAt(event);
    const touch = event.touches[0];
    this.#pointed = hit?.row ?? null;
    if (!hit || !touch) return;
    const { clientX: x, clientY: y } = touch;
    this.#press.set(LONG_PRESS_MS, () => {
      if (this.el.isConnected) resultMenu(this.#parts, placeOf(hit)).showAtPosition({ x, y }, this.el.doc);
    });
  }
}

function placeOf(hit: Hit): Place {
  return { path: hit.row.result.path, passage: hit.passage };
}

function focus(hit: Hit | undefined): void {
  hit?.el.focus();
  hit?.el.scrollIntoView({ block: "nearest" });
}
