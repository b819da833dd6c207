/** A few icons drawn for the host, and tooltips. An icon that is missing here fails the tests. */

import type { IconName, TooltipOptions } from "obsidian";

const SVG = "http://www.w3.org/2000/svg";

/** Paths in a box of 24. */
const PATHS: Record<string, string> = {
  activity: "M3 12h4l3-8 4 16 3-8h4",
  "alert-triangle": "M12 4 2 20h20zM12 10v5M12 17v1",
  "arrow-down": "M12 4v16M6 14l6 6 6-6",
  "arrow-up": "M12 20V4M6 10l6-6 6 6",
  "arrow-up-narrow-wide": "M6 20V4M3 7l3-3 3 3M12 6h3M12 12h6M12 18h9",
  bot: "M5 9h14v10H5zM12 9V4M9 13v2M15 13v2",
  "check-square": "M9 11l3 3 9-9M20 12v8H4V4h11",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  "eye-off": "M3 3l18 18M5 8c-2 2-3 4-3 4s4 6 10 6c2 0 3 0 5-1M9 6c8-2 13 6 13 6l-3 3",
  file: "M6 2h8l5 5v15H6zM14 2v5h5",
  "file-plus": "M6 2h8l5 5v15H6zM14 2v5h5M9 15h6M12 12v6",
  files: "M9 2h7l4 4v11H9zM5 7v15h11",
  history: "M4 12a8 8 0 1 0 3-6L4 8M4 3v5h5M12 8v4l3 2",
  info: "M12 3a9 9 0 1 0 .1 0M12 11v6M12 7v1",
  link: "M10 14a5 5 0 0 1 0-7l2-2a5 5 0 0 1 7 7l-1 1M14 10a5 5 0 0 1 0 7l-2 2a5 5 0 0 1-7-7l1-1",
  "list-tree": "M4 4v14h5M4 11h5M12 4h9M12 11h9M12 18h9",
  "message-square": "M4 4h16v12H9l-5 4z",
  "move-vertical": "M12 3v18M8 7l4-4 4 4M8 17l4 4 4-4",
  pause: "M8 4v16M16 4v16",
  pin: "M12 16v6M7 3h10l-2 6 3 5H6l3-5z",
  play: "M7 4l13 8-13 8z",
  plug: "M9 2v6M15 2v6M6 8h12v3a6 6 0 0 1-12 0zM12 17v5",
  plus: "M12 5v14M5 12h14",
  power: "M12 3v9M7 6a8 8 0 1 0 10 0",
  "power-off": "M3 3l18 18M12 3v5M6 7a8 8 0 0 0 11 12M18 7a8 8 0 0 1 2 7",
  "refresh-cw": "M20 11A8 8 0 0 0 6 6L3 9M3 4v5h5M4 13a8 8 0 0 0 14 5l3-3M21 20v-5h-5",
  "right-triangle": "M9 6l7 6-7 6z",
  search: "M10 3a7 7 0 1 0 .1 0M15 15l6 6",
  "separator-vertical": "M12 3v18M8 8l-4 4 4 4M16 8l4 4-4 4",
  settings: "M12 8a4 4 0 1 0 .1 0M12 2v4M12 18v4M2 12h4M18 12h4M5 5l3 3M16 16l3 3M19 5l-3 3M8 16l-3 3",
  vault: "M3 4h18v14H3zM12 8a3 3 0 1 0 .1 0M6 18v2M18 18v2",
  sparkles: "M12 3l2 6 6 3-6 3-2 6-2-6-6-3 6-3zM20 2v4M18 4h4M4 18v3",
  sprout: "M7 20h10M12 20v-8M12 12c0-4 3-6 8-6 0 4-3 6-8 6M12 14c0-3-3-5-8-5 0 3 3 5 8 5",
  star: "M12 2l3 7 7 1-5 5 1 7-6-4-6 4 1-7-5-5 7-1z",
  "trash-2": "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6",
  unlink: "M10 14a5 5 0 0 1 0-7l2-2a5 5 0 0 1 7 7M14 10a5 5 0 0 1 0 7l-2 2a5 5 0 0 1-7-7M3 3l4 4M17 17l4 4",
  x: "M5 5l14 14M19 5L5 19",
  zap: "M13 2 4 14h7l-1 8 9-12h-7z",
};

/** Icons of plugins, in a box of 100. */
const added = new Map<string, string>();

export function addIcon(name: string, content: string): void {
  added.set(name, content);
}

export function setIcon(parent: HTMLElement, name: IconName): void {
  parent.empty();
  const own = added.get(name);
  if (own) {
    const drawn = new DOMParser().parseFromString(`<svg xmlns="${SVG}" class="svg-icon ${name}" viewBox="0 0 100 100">${own}</svg>`, "image/svg+xml");
    parent.append(parent.doc.importNode(drawn.documentElement, true));
    return;
  }
  const path = PATHS[name.replace(/^lucide-/, "")];
  if (!path) throw new Error(`The host has no icon “${name}”; draw it in tests/host/icons.ts.`);
  const svg = parent.doc.createElementNS(SVG, "svg");
  svg.setAttribute("class", `svg-icon lucide-${name}`);
  svg.setAttribute("viewBox", "0 0 24 24");
  const line = parent.doc.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  parent.append(svg);
}

export function setTooltip(el: HTMLElement, text: string, _options?: TooltipOptions): void {
  el.setAttribute("aria-label", text);
}
