/** The graph that is drawn: a reply of the server with a place, a size and a label for each note. */

import Graph from "graphology";
import type { NeighborhoodNote, NeighborhoodReply } from "../../../src/contract";
import type { Places } from "../../lib/keptLayouts";
import type { LayoutStart } from "../../lib/layoutMessages";

export interface Dot {
  readonly note: number;
  x: number;
  y: number;
  readonly size: number;
  readonly label: string;
}
export interface Line {
  readonly isSimilarity: boolean;
}
export type Drawn = Graph<Dot, Line>;

const LABEL_CHARS = 34;
const MANY_NOTES = 1_500; // of which the dots are smaller, so that they leave room for each other
const GOLDEN_ANGLE = 2.399963; // spreads the notes of a spiral evenly

/** A graph whose nodes are named by their position in the reply. Notes without a kept place begin on a spiral. */
export function pictureOf({ nodes, links, similar }: NeighborhoodReply, kept: Places): Drawn {
  const graph: Drawn = new Graph({ type: "undirected", multi: true });
  const least = nodes.length > MANY_NOTES ? 1.5 : 2.5;
  nodes.forEach((note, n) => {
    const [x, y] = kept.get(note.path) ?? onSpiral(n);
    graph.addNode(n, { note: n, x, y, size: sizeOf(note, least), label: shortened(note.title) });
  });
  const add = (isSimilarity: boolean, [one = -1, other = -1]: readonly number[]): void => {
    if (one !== other && one in nodes && other in nodes) graph.addEdge(one, other, { isSimilarity });
  };
  for (const link of links) add(false, link);
  for (const pair of similar) add(true, pair);
  return graph;
}

/** The pairs of a reply as the layout takes them: links first. */
export function endsOf({ links, similar }: NeighborhoodReply): Int32Array {
  return Int32Array.from([...links, ...similar].flatMap(([one = -1, other = -1]) => [one, other]));
}

/** How many notes have a kept place: with most of them, the layout needs little time; with all, none. */
export function knownPlaces(nodes: readonly NeighborhoodNote[], kept: Places): LayoutStart["known"] {
  const known = nodes.filter(({ path }) => kept.has(path)).length;
  if (known === 0 || known < 0.9 * nodes.length) return "none";
  return known === nodes.length ? "all" : "most";
}

function sizeOf({ hops, links }: NeighborhoodNote, least: number): number {
  return Math.min(14, (hops === 0 ? 5 : least) + Math.sqrt(links));
}

function shortened(title: string): string {
  return title.length > LABEL_CHARS ? `${title.slice(0, LABEL_CHARS - 1)}…` : title;
}

function onSpiral(n: number): [x: number, y: number] {
  const distance = 30 * Math.sqrt(n);
  return [Math.cos(n * GOLDEN_ANGLE) * distance, Math.sin(n * GOLDEN_ANGLE) * distance];
}
