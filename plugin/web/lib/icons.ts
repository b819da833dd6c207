/** The icons of the interface, as SVG paths on a grid of 24. */

import { s } from "./dom";

const PATHS = {
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16.2 16.2L21 21",
  ask: "M4 5h16v11H11l-4.5 4v-4H4zM8.5 9h7M8.5 12h4.5",
  explore: "M5 4v16M12 4v16M19 4v16M3 9h4M10 15h4M17 7h4",
  stages: "M4 6h16M6 12h12M9 18h6",
  graph: "M6 7a2 2 0 1 0 0 .1M18 6a2 2 0 1 0 0 .1M13 18a2 2 0 1 0 0 .1M7.6 8.2l4.6 8M16.8 7.8l-3.6 8.4M8 7l8-.6",
  past: "M4 20h16M6 16v-4M10 16V8M14 16v-6M18 16V5",
  manage: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  similar: "M9 5a6 6 0 1 0 0 12a6 6 0 0 0 0-12M15 7a6 6 0 1 1 0 12",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1.2 1.2M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1.2-1.2",
  star: "M12 4l2.4 5.1 5.6.7-4.1 3.9 1 5.5-4.9-2.7-4.9 2.7 1-5.5L4 9.8l5.6-.7z",
  compact: "M4 6h16M4 10h16M4 14h16M4 18h16",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14 5l-7 7 7 7",
  help: "M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2.1M12 17.4v.2M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18",
  clock: "M12 4a8 8 0 1 0 0 16a8 8 0 0 0 0-16M12 8v4.4l3 1.8",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  share: "M12 15V4M8 7.6L12 4l4 3.6M5 12v8h14v-8",
  down: "M6 9l6 6 6-6",
  up: "M6 15l6-6 6 6",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon, hidden from screen readers. */
export function icon(name: IconName): SVGSVGElement {
  const path = s("path", { d: PATHS[name] });
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

/** The logo of Notewell: a page with a highlighted passage. */
export function mark(): SVGSVGElement {
  return s(
    "svg",
    { class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" },
    s("path", { class: "mark-line", d: "M5 6h14M5 18h9" }),
    s("path", { class: "mark-passage", d: "M5 12h12" }),
  );
}
