/** A look at a result where the window is too narrow for a note beside the list: where the pointer rests, by a hold, or by Space. */

import type { Result } from "../../src/contract";
import { Timer } from "../../src/support";
import type { ViewContext } from "../app/viewContext";
import { h } from "../lib/dom";
import { paletteStyles } from "../lib/viewStyles";
import type { Preview } from "../palette/preview";
import { t } from "../../src/texts";

const REST_MS = 450; // of the pointer on a title
const HOLD_MS = 450; // of a finger on a row
const LEAVE_MS = 250; // to get from the title to what it opened
const SLIP_PX = 10; // a finger that moves further scrolls
const MARGIN = 8; // px around what is shown
const LEAST_HEIGHT = 240; // px

/** Has looks at the results of `list`; `resultOf` gives the result of a row by its key, or none while no look is needed. */
export function lookAtResults(context: ViewContext, list: HTMLElement, resultOf: ResultOf): void {
  new QuickLook(context, resultOf).follow(list);
}

type ResultOf = (key: string) => Result | undefined;

class QuickLook {
  readonly #context: ViewContext;
  readonly #resultOf: ResultOf;
  readonly #el = h("div", { class: "quick-look", popover: "manual", role: "dialog", "aria-label": t("Quick look") });
  readonly #opening = new Timer();
  readonly #leaving = new Timer();
  #preview: Preview | null = null;
  #heldAt: readonly [x: number, y: number] | null = null;
  #isDone = false; // the finger that is down has opened or closed a look, and follows no link

  constructor(context: ViewContext, resultOf: ResultOf) {
    this.#context = context;
    this.#resultOf = resultOf;
    this.#el.addEventListener("pointerenter", () => this.#leaving.clear());
    this.#el.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#left());
    window.addEventListener("hashchange", () => this.#close());
    document.addEventListener("pointerdown", (event) => this.#pressed(event), { capture: true });
    document.addEventListener("keydown", (event) => this.#escaped(event), { capture: true });
  }

  follow(list: HTMLElement): void {
    list.after(this.#el);
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("pointerover", (event) => this.#pointed(event));
    list.addEventListener("pointerout", (event) => event.pointerType === "mouse" && this.#left());
    list.addEventListener("pointerdown", (event) => this.#held(event));
    list.addEventListener("pointermove", (event) => this.#slipped(event));
    for (const type of ["pointerup", "pointercancel"]) list.addEventListener(type, () => this.#opening.clear());
    list.addEventListener("contextmenu", (event) => this.#isDone && event.preventDefault());
    list.addEventListener("click", (event) => this.#clicked(event), { capture: true });
  }

  /** Space opens and closes the look at the focused result. */
  #key(event: KeyboardEvent): void {
    const row = event.target instanceof HTMLElement && event.target.matches("[data-result]") ? event.target : null;
    if (event.key !== " " || !row || !this.#resultOf(row.dataset["result"] ?? "")) return;
    event.preventDefault();
    if (this.#isOpen) this.#close();
    else void this.#open(row);
  }

  /** Escape closes the look, and nothing else. */
  #escaped(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.#isOpen) return;
    event.stopPropagation();
    this.#close();
  }

  /** A press beside the look closes it, and a finger does no more. */
  #pressed({ target, pointerType }: PointerEvent): void {
    this.#isDone = false;
    if (!this.#isOpen || this.#el.contains(target as Node)) return;
    this.#isDone = pointerType === "touch";
    this.#close();
  }

  get #isOpen(): boolean {
    return this.#el.matches(":popover-open");
  }

  #close(): void {
    this.#opening.clear();
    if (this.#isOpen) this.#el.hidePopover();
  }

  #pointed({ target, pointerType }: PointerEvent): void {
    const title = pointerType === "mouse" ? rowAt(target, "h2") : null;
    if (!title) return;
    this.#leaving.clear();
    this.#opening.set(REST_MS, () => void this.#open(title));
  }

  #left(): void {
    this.#opening.clear();
    this.#leaving.set(LEAVE_MS, () => this.#close());
  }

  #held({ target, pointerType, clientX, clientY }: PointerEvent): void {
    const row = pointerType === "touch" && !this.#isDone && !(target as Element).closest(".actions") ? rowAt(target, ".result") : null;
    if (!row) return;
    this.#heldAt = [clientX, clientY];
    this.#opening.set(HOLD_MS, () => {
      this.#isDone = true;
      void this.#open(row);
    });
  }

  #slipped({ pointerType, clientX, clientY }: PointerEvent): void {
    const [x, y] = this.#heldAt ?? [clientX, clientY];
    if (pointerType === "touch" && Math.hypot(clientX - x, clientY - y) > SLIP_PX) this.#opening.clear();
  }

  #clicked(event: Event): void {
    if (!this.#isDone) return;
    this.#isDone = false;
    event.preventDefault();
    event.stopPropagation();
  }

  async #open(row: HTMLElement): Promise<void> {
    const result = this.#resultOf(row.dataset["result"] ?? "");
    if (!result || result.vault) return; // of several vaults, only the open one can be read here
    const [{ Preview: Shown }] = await Promise.all([import("../palette/preview"), paletteStyles()]);
    if (!row.isConnected) return;
    if (!this.#preview) {
      this.#preview = new Shown(this.#context);
      this.#el.append(this.#preview.el);
    }
    const { path, title, line, uri } = result;
    this.#preview.show({ path, title, line, uri, result, heading: null });
    this.#place(row.closest(".result") ?? row);
    if (!this.#isOpen) this.#el.showPopover();
  }

  /** Below the row, or above it where there is more room. */
  #place(row: Element): void {
    const { top, bottom } = row.getBoundingClientRect();
    const [below, above] = [innerHeight - bottom, top];
    const side = below >= above ? { top: `${Math.min(bottom + MARGIN, innerHeight - LEAST_HEIGHT)}px`, bottom: "auto" } : { top: "auto", bottom: `${Math.min(innerHeight - top + MARGIN, innerHeight - LEAST_HEIGHT)}px` };
    Object.assign(this.#el.style, side);
    this.#el.style.maxHeight = `${Math.max(LEAST_HEIGHT, Math.max(below, above) - 2 * MARGIN)}px`;
  }
}

/** The title of the result around what an event is about, within a part of its row. */
function rowAt(target: EventTarget | null, part: string): HTMLElement | null {
  const within = target instanceof Element ? target.closest(part) : null;
  return within?.closest(".result")?.querySelector<HTMLElement>("[data-result]") ?? null;
}
