/** The note that is read and those linked with it, as a small drawing in the rail; the lists below it name the same notes. */

import { asServerError } from "../../src/client";
import type { NeighborhoodReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { closest, fill, h, s } from "../lib/dom";
import { count } from "../../src/format";
import { noteAddress } from "./resultRow";
import { t } from "../../src/texts";

const MOST = 25; // notes, the one that is read among them
const SIZE = 240;
const MIDDLE = SIZE / 2;
const NAMED = 8; // with more notes around it, none is named in the drawing
const LABEL_CHARS = 14;

/** Fills `el` once the links are known; with nothing for a note without links. */
export async function drawLocalGraph(el: HTMLElement, context: ViewContext, path: string): Promise<void> {
  if (!context.has("graph_neighborhood")) return;
  try {
    const found = await context.vaultClient.neighborhood({ path, hops: 1, limit: MOST, similar: false });
    const around = found.nodes.filter(({ hops }) => hops === 1);
    if (!el.isConnected || around.length === 0) return;
    const whole = h("a", { href: context.to("graph", { path }) }, t("Graph"));
    fill(el, drawing(found, context), h("p", {}, whole));
  } catch (error) {
    asServerError(error); // the note is read without it
  }
}

function drawing({ nodes, links }: NeighborhoodReply, context: ViewContext): SVGSVGElement {
  const around = nodes.filter(({ hops }) => hops === 1);
  const places = new Map(nodes.map((node, n) => [n, node.hops === 1 ? onCircle(around.indexOf(node), around.length) : [MIDDLE, MIDDLE] as const]));
  const lines = links.flatMap(([one = -1, other = -1]) => {
    const [from, to] = [places.get(one), places.get(other)];
    return from && to ? [s("path", { d: `M${from.join(" ")}L${to.join(" ")}` })] : [];
  });
  const dots = nodes.map(({ title, path, links: own, hops }, n) => {
    const [x, y] = places.get(n) ?? [MIDDLE, MIDDLE];
    const isNamed = hops === 1 && around.length <= NAMED;
    const label = isNamed ? s("text", { x, y: y + (y < MIDDLE ? -10 : 18), "text-anchor": x < MIDDLE - 40 ? "start" : x > MIDDLE + 40 ? "end" : "middle" }, shortened(title)) : null;
    return s("g", { "data-path": path, class: hops === 1 ? null : "is-own" }, s("title", {}, title), s("circle", { cx: x, cy: y, r: Math.min(8, 3 + Math.sqrt(own) / 2) }), label);
  });
  const label = t("Drawing: this note and {notes} linked with it", { notes: count(around.length, "note", "notes") });
  const svg = s("svg", { class: "local-graph", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": label }, ...lines, ...dots);
  svg.addEventListener("click", (event) => {
    const path = closest(event, "[data-path]")?.dataset["path"];
    if (path) location.hash = noteAddress(context, path);
  });
  return svg;
}

function onCircle(n: number, of: number): readonly [x: number, y: number] {
  const angle = (2 * Math.PI * n) / of - Math.PI / 2;
  const radius = of > 12 && n % 2 ? MIDDLE - 48 : MIDDLE - 26; // of many, every other one stands further in
  return [Math.round(MIDDLE + Math.cos(angle) * radius), Math.round(MIDDLE + Math.sin(angle) * radius)];
}

function shortened(title: string): string {
  return title.length > LABEL_CHARS ? `${title.slice(0, LABEL_CHARS - 1)}…` : title;
}
