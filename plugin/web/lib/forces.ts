/** Where the notes of a picture come to rest: d3-force, with springs for links and weaker ones for likeness. */

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
import type { NeighborhoodReply } from "../../src/contract";

export interface Dot extends SimulationNodeDatum {
  readonly path: string;
  readonly title: string;
  readonly isStart: boolean;
  /** Shown for its likeness alone: no link within reach leads to it. */
  readonly isAlike: boolean;
  readonly radius: number;
}
export interface Edge extends SimulationLinkDatum<Dot> {
  readonly source: Dot;
  readonly target: Dot;
  readonly isLikeness: boolean;
}
export interface Picture {
  readonly dots: readonly Dot[];
  readonly edges: readonly Edge[];
}

/** Dots begin in rings around the start, so that they need not cross each other to get there. */
export function pictureOf({ path: around, nodes, links, similar }: NeighborhoodReply): Picture {
  const dots = nodes.map(({ path, title, hops, links: all }, n): Dot => {
    const turn = n * 2.399963; // the golden angle spreads them evenly
    const away = 30 * Math.sqrt(n);
    const place = { x: Math.cos(turn) * away, y: Math.sin(turn) * away };
    const isStart = hops === 0;
    const radius = Math.min(16, (isStart ? 5 : 3) + Math.sqrt(all));
    return { path, title, isStart, isAlike: around !== null && hops === null, radius, ...place };
  });
  const edge = (isLikeness: boolean) => ([one = -1, other = -1]: readonly number[]): Edge[] => {
    const source = dots[one];
    const target = dots[other];
    return source && target ? [{ source, target, isLikeness }] : [];
  };
  return { dots, edges: [...links.flatMap(edge(false)), ...similar.flatMap(edge(true))] };
}

/** Moves the dots until they rest; `moved` is called after each step. */
export function settle({ dots, edges }: Picture, moved: () => void): Simulation<Dot, undefined> {
  const springs = forceLink<Dot, Edge>([...edges])
    .distance(({ isLikeness }) => (isLikeness ? 90 : 55))
    .strength(({ isLikeness }) => (isLikeness ? 0.02 : 0.25));
  const many = dots.length > 800;
  return forceSimulation<Dot>([...dots])
    .force("springs", springs)
    .force("apart", forceManyBody<Dot>().strength(many ? -40 : -140).distanceMax(500).theta(many ? 1.2 : 0.9))
    .force("room", many ? null : forceCollide<Dot>(({ radius }) => radius + 3))
    .force("x", forceX<Dot>().strength(0.04))
    .force("y", forceY<Dot>().strength(0.05))
    .alphaDecay(many ? 0.045 : 0.03)
    .on("tick", moved);
}
