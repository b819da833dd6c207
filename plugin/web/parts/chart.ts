/** A bar chart of notes over time, with gaps marked; each bar can be selected, and a period by dragging. */

import type { ArchaeologyReply, Bucket } from "../../src/contract";
import { s } from "../lib/dom";
import { at, axisOf, dateAt, dayNumber, ticks, type Axis } from "../lib/timeline";
import { count } from "../../src/format";
import { t } from "../../src/texts";

const HEIGHT = 190;
const FLOOR = HEIGHT - 26;
const DRAG_PX = 6; // a shorter way of the pointer is a click

/** The width in SVG units; narrower on small screens, so that labels keep their size. */
const WIDE = 900;
const NARROW = 400;

export function chart(found: ArchaeologyReply, choose: (start: string, end: string) => void): SVGSVGElement {
  const axis = axisOf(found.buckets);
  const most = Math.max(...found.buckets.map(({ count: n }) => n), 1);
  const width = matchMedia("(max-width: 760px)").matches ? NARROW : WIDE;
  const x = (day: number): number => at(axis, day) * width;
  const svg = s(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", "aria-label": t("Notes over time") },
    ...found.gaps.map(({ start, end }) => band(x(dayNumber(start)), x(dayNumber(end) + 1))),
    s("path", { class: "axis", d: `M0 ${FLOOR}H${width}` }),
    ...ticks(axis, width / 70).map(({ day, label }) => tick(x(day), label, width)),
    ...found.buckets.map((bucket) => bar(bucket, x, most, choose)),
  );
  selectByDragging(svg, axis, width, choose);
  return svg;
}

/** Marks the period between where the pointer went down and where it is, and chooses it when it goes up. */
function selectByDragging(svg: SVGSVGElement, axis: Axis, width: number, choose: (start: string, end: string) => void): void {
  const marked = s("rect", { class: "selection", y: 8, height: FLOOR - 8 });
  let from: number | null = null;
  let isDragged = false;
  const share = ({ clientX }: PointerEvent): number => {
    const { left, width: drawn } = svg.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / drawn));
  };
  svg.addEventListener("pointerdown", (event) => {
    from = event.button === 0 ? share(event) : null;
    isDragged = false;
  });
  svg.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const [start, end] = [Math.min(from, share(event)), Math.max(from, share(event))];
    if (!isDragged && (end - start) * width < DRAG_PX) return;
    if (!isDragged) {
      isDragged = true;
      svg.setPointerCapture(event.pointerId);
      svg.append(marked);
    }
    marked.setAttribute("x", String(start * width));
    marked.setAttribute("width", String((end - start) * width));
  });
  const end = (event: PointerEvent): void => {
    marked.remove();
    if (from !== null && isDragged && event.type === "pointerup") {
      const [first, last] = [Math.min(from, share(event)), Math.max(from, share(event))];
      choose(dateAt(axis, first), dateAt(axis, last));
    }
    from = null;
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
  // The end of a drag is no click on the bar it began on.
  svg.addEventListener("click", (event) => isDragged && event.stopPropagation(), { capture: true });
}

function band(from: number, to: number): SVGElement {
  return s("rect", { class: "gap", x: from, y: 8, width: Math.max(0, to - from), height: FLOOR - 8 });
}

function tick(x: number, label: string, width: number): SVGElement {
  const anchor = x > width - 30 ? "end" : "start";
  return s(
    "g",
    { class: "tick", "aria-hidden": "true" },
    s("path", { d: `M${x} ${FLOOR}v6` }),
    s("text", { x: anchor === "end" ? width : x, y: HEIGHT - 5, "text-anchor": anchor }, label),
  );
}

function bar(bucket: Bucket, x: (day: number) => number, most: number, choose: (start: string, end: string) => void): SVGElement {
  const left = x(dayNumber(bucket.start));
  const right = x(dayNumber(bucket.end) + 1);
  const width = Math.max(4, Math.min(46, right - left - 2));
  const height = Math.max(5, (bucket.count / most) * (FLOOR - 14));
  const when = bucket.start === bucket.end ? bucket.start : t("{start} to {end}", { start: bucket.start, end: bucket.end });
  const label = `${when}: ${count(bucket.count, "note", "notes")}`;
  const act = (): void => choose(bucket.start, bucket.end);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  };
  return s(
    "rect",
    {
      class: "column-bar",
      x: left + (right - left - width) / 2,
      y: FLOOR - height,
      width,
      height,
      rx: 2,
      role: "button",
      tabindex: 0,
      "aria-label": label,
      on: { click: act, keydown: onKey },
    },
    s("title", {}, label),
  );
}
