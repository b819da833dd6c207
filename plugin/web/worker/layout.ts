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

/** Of one whose notes begin beside those of their community. */
const SEEDED_ALPHA = 0.5;
const SEED_TICKS = 120;
const ROOM = 16; // for a note of a community, in each direction
const GOLDEN_ANGLE = 2.399963; // spreads the notes of a spiral evenly

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

function start({ places, radii, ends, links, communities, known, atOnce }: LayoutStart): void {
  simulation?.stop();
  dots = Array.from(radii, (radius, n) => ({ radius, x: places[2 * n] ?? 0, y: places[2 * n + 1] ?? 0 }));
  const isNew = known === "none";
  const isSeeded = isNew && communities.some((one) => one >= 0);
  if (isSeeded) seed(dots, ends, communities);
  answer(false);
  simulation = forcesOn(dots, springs(ends, links)).alpha(isSeeded ? SEEDED_ALPHA : isNew ? 1 : KNOWN_ALPHA);
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

interface Disc extends SimulationNodeDatum {
  readonly members: Dot[];
  readonly radius: number;
}

/** Begins with the shape: communities are laid out as discs, linked ones near each other, and their notes in them. */
function seed(all: readonly Dot[], ends: Int32Array, communities: Int32Array): void {
  const groups = new Map<number, Dot[]>();
  all.forEach((dot, n) => {
    const members = groups.get(communities[n] ?? -1);
    if (members) members.push(dot);
    else groups.set(communities[n] ?? -1, [dot]);
  });
  const alone = groups.get(-1) ?? [];
  groups.delete(-1);
  const discs = new Map([...groups].map(([name, members], n): [number, Disc] => [name, { members, radius: ROOM * Math.sqrt(members.length), ...onSpiral(n, 60) }]));
  spread([...discs.values()], bondsOf(discs, ends, communities));
  let edge = 0;
  for (const { members, radius, x = 0, y = 0 } of discs.values()) {
    edge = Math.max(edge, Math.hypot(x, y) + radius);
    members.forEach((dot, n) => Object.assign(dot, shifted(onSpiral(n, ROOM), x, y)));
  }
  const inside = (edge / ROOM) ** 2; // notes of no community stand around the others
  alone.forEach((dot, n) => Object.assign(dot, onSpiral(inside + n, ROOM)));
}

interface Bond {
  readonly source: Disc;
  readonly target: Disc;
}

/** The pairs of communities between which a line leads, each once. */
function bondsOf(discs: ReadonlyMap<number, Disc>, ends: Int32Array, communities: Int32Array): Bond[] {
  const bonds = new Map<string, Bond>();
  const nameOf = (note: number | undefined): number => communities[note ?? -1] ?? -1;
  for (let n = 0; n < ends.length; n += 2) {
    const [one, other] = [nameOf(ends[n]), nameOf(ends[n + 1])];
    const [source, target] = [discs.get(one), discs.get(other)];
    if (source && target && source !== target) bonds.set(`${Math.min(one, other)} ${Math.max(one, other)}`, { source, target });
  }
  return [...bonds.values()];
}

/** Lays discs out so that none covers another, and those with a bond are near. */
function spread(discs: Disc[], bonds: Bond[]): void {
  const rough = forceSimulation(discs)
    .force("bonds", forceLink<Disc, Bond>(bonds).distance(({ source, target }) => source.radius + target.radius).strength(0.1))
    .force("room", forceCollide<Disc>(({ radius }) => radius).iterations(2))
    .force("x", forceX<Disc>().strength(0.06))
    .force("y", forceY<Disc>().strength(0.07));
  rough.stop().tick(SEED_TICKS);
}

function onSpiral(n: number, room: number): { x: number; y: number } {
  const distance = room * Math.sqrt(n);
  return { x: Math.cos(n * GOLDEN_ANGLE) * distance, y: Math.sin(n * GOLDEN_ANGLE) * distance };
}

function shifted(place: { x: number; y: number }, x: number, y: number): { x: number; y: number } {
  return { x: place.x + x, y: place.y + y };
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
