/** The layout of a graph by d3-force: springs for links, and weaker ones for similarity. */

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
  /** Shown for its similarity only: no path of links leads to it. */
  readonly isSimilar: boolean;
  readonly radius: number;
}
export interface Edge extends SimulationLinkDatum<Dot> {
  readonly source: Dot;
  readonly target: Dot;
  readonly isSimilarity: boolean;
}
export interface Picture {
  readonly dots: readonly Dot[];
  readonly edges: readonly Edge[];
}

/** Builds the graph. Dots begin on a spiral around the start note, so that few have to cross. */
export function pictureOf({ path: centre, nodes, links, similar }: NeighborhoodReply): Picture {
  const dots = nodes.map(({ path, title, hops, links: all }, n): Dot => {
    const angle = n * 2.399963; // the golden angle spreads them evenly
    const distance = 30 * Math.sqrt(n);
    const place = { x: Math.cos(angle) * distance, y: Math.sin(angle) * distance };
    const isStart = hops === 0;
    const radius = Math.min(16, (isStart ? 5 : 3) + Math.sqrt(all));
    return { path, title, isStart, isSimilar: centre !== null && hops === null, radius, ...place };
  });
  const edge = (isSimilarity: boolean) => ([one = -1, other = -1]: readonly number[]): Edge[] => {
    const source = dots[one];
    const target = dots[other];
    return source && target ? [{ source, target, isSimilarity }] : [];
  };
  return { dots, edges: [...links.flatMap(edge(false)), ...similar.flatMap(edge(true))] };
}

/** Moves the dots until they rest; `moved` is called after each step. */
export function settle({ dots, edges }: Picture, moved: () => void): Simulation<Dot, undefined> {
  const springs = forceLink<Dot, Edge>([...edges])
    .distance(({ isSimilarity }) => (isSimilarity ? 90 : 55))
    .strength(({ isSimilarity }) => (isSimilarity ? 0.02 : 0.25));
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
