/** What the graph view and the worker that computes its layout tell each other. */

/** A graph to lay out. `ends` holds pairs of positions; the first `links` pairs are links, the rest similarities. */
export interface LayoutStart {
  readonly kind: "start";
  /** x and y of each note in turn. */
  readonly places: Float32Array;
  readonly radii: Float32Array;
  readonly ends: Int32Array;
  readonly links: number;
  /** The community of each note, from 0 for the largest; -1 for a note of none. */
  readonly communities: Int32Array;
  /** How many of the places are those of an earlier layout: then little has to move, or nothing. */
  readonly known: "all" | "most" | "none";
  /** Whether to answer once, at the end, instead of while the notes move. */
  readonly atOnce: boolean;
}
/** Holds a note at a place while it is dragged. */
export interface LayoutHold {
  readonly kind: "hold";
  readonly note: number;
  readonly x: number;
  readonly y: number;
}
export interface LayoutRelease {
  readonly kind: "release";
  readonly note: number;
}
/** The last answer was drawn: the next one may come. */
export interface LayoutDrawn {
  readonly kind: "drawn";
}
export type LayoutRequest = LayoutStart | LayoutHold | LayoutRelease | LayoutDrawn;

export interface LayoutMoved {
  readonly places: Float32Array;
  readonly isAtRest: boolean;
}
