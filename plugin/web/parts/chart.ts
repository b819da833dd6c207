/** Bars over time, with the silences between them; each bar can be chosen. */

import type { Archaeology, Bucket } from "../app/contract";
import { s } from "../lib/dom";
import { at, axisOf, dayNumber, ticks, type Axis } from "../lib/timeline";
import { count } from "../lib/words";

const WIDTH = 900;
const HEIGHT = 190;
const FLOOR = HEIGHT - 26;

export function chart(found: Archaeology, choose: (start: string, end: string) => void): SVGSVGElement {
  const axis = axisOf(found.buckets);
  const most = Math.max(...found.buckets.map(({ count: n }) => n), 1);
  const x = (day: number): number => at(axis, day) * WIDTH;
  return s(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Notes over time" },
    ...found.gaps.map(({ start, end }) => band(x(dayNumber(start)), x(dayNumber(end) + 1))),
    s("path", { class: "axis", d: `M0 ${FLOOR}H${WIDTH}` }),
    ...ticks(axis, 12).map(({ day, label }) => tick(x(day), label)),
    ...found.buckets.map((bucket) => bar(bucket, axis, most, choose)),
  );
}

function band(from: number, to: number): SVGElement {
  return s("rect", { class: "gap", x: from, y: 8, width: Math.max(0, to - from), height: FLOOR - 8 });
}

function tick(x: number, label: string): SVGElement {
  const anchor = x > WIDTH - 30 ? "end" : "start";
  return s(
    "g",
    { class: "tick", "aria-hidden": "true" },
    s("path", { d: `M${x} ${FLOOR}v6` }),
    s("text", { x: anchor === "end" ? WIDTH : x, y: HEIGHT - 5, "text-anchor": anchor }, label),
  );
}

function bar(bucket: Bucket, axis: Axis, most: number, choose: (start: string, end: string) => void): SVGElement {
  const left = at(axis, dayNumber(bucket.start)) * WIDTH;
  const right = at(axis, dayNumber(bucket.end) + 1) * WIDTH;
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
