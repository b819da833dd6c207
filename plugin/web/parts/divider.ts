/** A bar between two columns: dragged, or moved by the arrow keys. The width stays in this browser; a double click or Home undoes it. */

import { h } from "../lib/dom";
import { preference, setPreference } from "../lib/preferences";

export type Side = "list" | "rail";

const LEAST = 200;
const MOST = 640;
const STEP = 24;

/** `el` has the columns, whose widths are its properties `--list-width` and `--rail-width`; `column` is the one beside the bar. */
export function divider(el: HTMLElement, column: HTMLElement, side: Side, name: string): HTMLElement {
  const bar = h("div", { class: `divider of-${side}`, role: "separator", "aria-orientation": "vertical", "aria-label": name, "aria-valuemin": LEAST, "aria-valuemax": MOST, tabindex: "0" });
  const outward = side === "list" ? 1 : -1; // the way that makes the column wider, from left to right
  const property = `--${side}-width`;

  const set = (width: number): void => {
    const bounded = Math.round(Math.min(MOST, Math.max(LEAST, width)));
    el.style.setProperty(property, `${bounded}px`);
    bar.setAttribute("aria-valuenow", String(bounded));
  };
  const keep = (): void => setPreference(property, el.style.getPropertyValue(property));
  const reset = (): void => {
    el.style.removeProperty(property);
    keep();
  };
  const now = (): number => column.getBoundingClientRect().width;
  const direction = (): number => (getComputedStyle(el).direction === "rtl" ? -outward : outward);

  bar.addEventListener("pointerdown", (event) => {
    const [from, before] = [event.clientX, now()];
    bar.setPointerCapture(event.pointerId);
    const move = ({ clientX }: PointerEvent): void => set(before + (clientX - from) * direction());
    bar.addEventListener("pointermove", move);
    const drop = (): void => {
      bar.removeEventListener("pointermove", move);
      keep();
    };
    bar.addEventListener("lostpointercapture", drop, { once: true });
    event.preventDefault(); // no text is selected meanwhile
  });
  bar.addEventListener("dblclick", reset);
  bar.addEventListener("keydown", (event) => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -STEP, ArrowRight: STEP };
    const step = steps[event.key];
    if (event.key === "Home") reset();
    else if (step === undefined) return;
    else {
      set(now() + step * direction());
      keep();
    }
    event.preventDefault();
    event.stopPropagation(); // the list answers to Home as well
  });

  const kept = parseInt(preference(property));
  bar.setAttribute("aria-valuenow", String(kept || LEAST));
  if (kept) set(kept);
  return bar;
}
