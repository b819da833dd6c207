/** Computes the layout of a graph by d3-force, in a thread of its own: springs for links, weaker ones for similarity. */

import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from "d3-force";
import type { LayoutMoved, LayoutRequest, LayoutStart } from "../lib/layoutMessages";

declare const self: DedicatedWorkerGlobalScope;

interface Dot extends SimulationNodeDatum {
  readonly radius: number;
}
interface Spring extends SimulationLinkDatum<Dot> {
  readonly isSimilarity: boolean;
}

/** The page draws at most this often while notes move; drawing a whole vault takes longer than a part of it. */
const ANSWER_MS = 100;
const ANSWER_OF_MANY_MS = 500;
const MANY = 800;
/** The warmth with which a layout begins whose places are mostly known. */
const KNOWN_ALPHA = 0.05;

let dots: Dot[] = [];
let simulation: Simulation<Dot, undefined> | null = null;
let answeredAt = 0;
let isDrawn = true; // the page has drawn the last answer; a slow one gets no more than it can draw

self.addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  if (data.kind === "start") start(data);
  else if (data.kind === "drawn") isDrawn = true;
  else if (data.kind === "hold") move(data.note, data.x, data.y, 0.2);
  else move(data.note, null, null, 0);
});

function start({ places, radii, ends, links, known, atOnce }: LayoutStart): void {
  simulation?.stop();
  dots = Array.from(radii, (radius, n) => ({ radius, x: places[2 * n] ?? 0, y: places[2 * n + 1] ?? 0 }));
  simulation = forcesOn(dots, springs(ends, links)).alpha(known === "none" ? 1 : KNOWN_ALPHA);
  if (known === "all") {
    simulation.stop();
    answer(true);
  } else if (atOnce) {
    simulation.stop();
    while (simulation.alpha() > simulation.alphaMin()) simulation.tick();
    answer(true);
  }
  simulation.on("tick", () => answer(false)).on("end", () => answer(true));
  if (known !== "all" && !atOnce) simulation.restart();
}

function springs(ends: Int32Array, links: number): Spring[] {
  const found: Spring[] = [];
  for (let n = 0; n < ends.length / 2; n += 1) {
    const source = dots[ends[2 * n] ?? -1];
    const target = dots[ends[2 * n + 1] ?? -1];
    if (source && target) found.push({ source, target, isSimilarity: n >= links });
  }
  return found;
}

function forcesOn(all: Dot[], pulled: Spring[]): Simulation<Dot, undefined> {
  const many = all.length > MANY;
  const pull = forceLink<Dot, Spring>(pulled)
    .distance(({ isSimilarity }) => (isSimilarity ? 90 : 55))
    .strength(({ isSimilarity }) => (isSimilarity ? 0.02 : 0.25));
  return forceSimulation<Dot>(all)
    .force("springs", pull)
    .force("apart", forceManyBody<Dot>().strength(many ? -40 : -140).distanceMax(500).theta(many ? 1.2 : 0.9))
    .force("room", many ? null : forceCollide<Dot>(({ radius }) => 2 * radius + 3))
    .force("x", forceX<Dot>().strength(0.04))
    .force("y", forceY<Dot>().strength(0.05))
    .alphaDecay(many ? 0.045 : 0.03);
}

function move(note: number, x: number | null, y: number | null, warmth: number): void {
  const dot = dots[note];
  if (!dot || !simulation) return;
  dot.fx = x;
  dot.fy = y;
  simulation.alphaTarget(warmth).restart();
}

function answer(isAtRest: boolean): void {
  const now = performance.now();
  if (!isAtRest && (!isDrawn || now - answeredAt < (dots.length > MANY ? ANSWER_OF_MANY_MS : ANSWER_MS))) return;
  answeredAt = now;
  isDrawn = false;
  const places = new Float32Array(2 * dots.length);
  dots.forEach(({ x = 0, y = 0 }, n) => places.set([x, y], 2 * n));
  const moved: LayoutMoved = { places, isAtRest };
  self.postMessage(moved, [places.buffer]);
}
