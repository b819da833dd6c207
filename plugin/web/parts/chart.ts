/** A bar chart of notes over time, with gaps marked; each bar can be selected. */

import type { ArchaeologyReply, Bucket } from "../../src/contract";
import { s } from "../lib/dom";
import { at, axisOf, dayNumber, ticks } from "../lib/timeline";
import { count } from "../../src/format";

const HEIGHT = 190;
const FLOOR = HEIGHT - 26;

/** The width in SVG units; narrower on small screens, so that labels keep their size. */
const WIDE = 900;
const NARROW = 400;

export function chart(found: ArchaeologyReply, choose: (start: string, end: string) => void): SVGSVGElement {
  const axis = axisOf(found.buckets);
  const most = Math.max(...found.buckets.map(({ count: n }) => n), 1);
  const width = matchMedia("(max-width: 760px)").matches ? NARROW : WIDE;
  const x = (day: number): number => at(axis, day) * width;
  return s(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", "aria-label": "Notes over time" },
    ...found.gaps.map(({ start, end }) => band(x(dayNumber(start)), x(dayNumber(end) + 1))),
    s("path", { class: "axis", d: `M0 ${FLOOR}H${width}` }),
    ...ticks(axis, width / 70).map(({ day, label }) => tick(x(day), label, width)),
    ...found.buckets.map((bucket) => bar(bucket, x, most, choose)),
  );
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
  const when = bucket.start === bucket.end ? bucket.start : `${bucket.start} to ${bucket.end}`;
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
