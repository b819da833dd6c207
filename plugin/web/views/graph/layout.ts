/** Places the notes of a graph by a worker, and keeps the places for the next visit. */

import type { NeighborhoodReply } from "../../../src/contract";
import { keepPlaces } from "../../lib/keptLayouts";
import type { LayoutMoved, LayoutRequest, LayoutStart } from "../../lib/layoutMessages";
import { workerAddress } from "../../lib/workerAddress";
import { endsOf, type Drawn } from "./picture";

/** Set by the build: where the worker lies. */
declare const LAYOUT_WORKER: string;

export class Layout {
  readonly #worker = new Worker(workerAddress(LAYOUT_WORKER));
  readonly #graph: Drawn;
  #isNew = false; // other places than those that are kept

  /** `name` tells this graph from others; `moved` is called after notes moved, and when they rest. */
  constructor(name: string, reply: NeighborhoodReply, graph: Drawn, moved: (isAtRest: boolean) => void) {
    this.#graph = graph;
    this.#worker.addEventListener("message", ({ data: { places, isAtRest } }: MessageEvent<LayoutMoved>) => {
      this.#place(places);
      moved(isAtRest);
      requestAnimationFrame(() => this.#ask({ kind: "drawn" }));
      if (isAtRest && this.#isNew) void keepPlaces(name, reply.nodes.map(({ path }) => path), places);
    });
  }

  start(reply: NeighborhoodReply, known: LayoutStart["known"]): void {
    this.#isNew = known !== "all";
    const atOnce = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const places = new Float32Array(2 * reply.nodes.length);
    const radii = new Float32Array(reply.nodes.length);
    this.#graph.forEachNode((_, { note, x, y, size }) => {
      places.set([x, y], 2 * note);
      radii[note] = size;
    });
    const communities = Int32Array.from(reply.nodes, ({ community }) => community ?? -1);
    this.#ask({ kind: "start", places, radii, ends: endsOf(reply), links: reply.links.length, communities, known, atOnce });
  }

  hold(note: number, x: number, y: number): void {
    this.#isNew = true;
    this.#ask({ kind: "hold", note, x, y });
  }

  release(note: number): void {
    this.#ask({ kind: "release", note });
  }

  stop(): void {
    this.#worker.terminate();
  }

  #ask(request: LayoutRequest): void {
    this.#worker.postMessage(request);
  }

  #place(places: Float32Array): void {
    this.#graph.updateEachNodeAttributes((_, dot) => {
      dot.x = places[2 * dot.note] ?? 0;
      dot.y = places[2 * dot.note + 1] ?? 0;
      return dot;
    });
  }
}
