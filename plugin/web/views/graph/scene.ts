/** Draws a graph with WebGL by sigma.js: colours, selection, filters, a path, and dragging. */

import Sigma from "sigma";
import { NodePointProgram } from "sigma/rendering";
import type { EdgeDisplayData, MouseCoords, NodeDisplayData } from "sigma/types";
import type { NeighborhoodReply } from "../../../src/contract";
import type { Places } from "../../lib/keptLayouts";
import type { Grouping } from "./grouping";
import { Labels } from "./labels";
import { Layout } from "./layout";
import { coloursOf, dotLook, drawHovered, lineLook, type Colours, type Focus } from "./looks";
import { knownPlaces, pictureOf, type Dot, type Drawn, type Line } from "./picture";

export interface SceneHandlers {
  /** A note was selected, by its position in the reply; null when none is any more. */
  readonly chosen: (note: number | null) => void;
  readonly opened: (note: number) => void;
}

const ZOOM = 1.5;
/** Of more notes than this, only the lines of the one that is pointed at or selected are drawn. */
const MANY_NOTES = 1_000;
/** With more lines than this, lines and labels are left out while the picture moves, so that it follows the hand. */
const MANY_LINES = 3_000;
/** Between labels, in pixels: where there are many lines, a label has a longer stretch for itself. */
const LABEL_CELL = { few: 110, many: 190 };

export class GraphScene {
  readonly #el: HTMLElement;
  readonly #reply: NeighborhoodReply;
  readonly #graph: Drawn;
  readonly #layout: Layout;
  readonly #labels = new Labels();
  readonly #sigma: Sigma<Dot, Line>;
  readonly #handlers: SceneHandlers;
  readonly #scheme = matchMedia("(prefers-color-scheme: dark)");
  #grouping: Grouping = { groups: [], of: [] };
  #colours: Colours;
  #focus: Focus = { chosen: null, near: new Set(), path: [], found: null };
  #hovered: number | null = null;
  #isShown: (note: number) => boolean = () => true;
  #shows = { links: true, similarity: true };
  #held: number | null = null;

  constructor(el: HTMLElement, name: string, reply: NeighborhoodReply, kept: Places, handlers: SceneHandlers) {
    this.#el = el;
    this.#reply = reply;
    this.#handlers = handlers;
    this.#colours = coloursOf(el, this.#grouping);
    this.#graph = pictureOf(reply, kept);
    const isCrowded = this.#graph.size > MANY_LINES;
    this.#sigma = new Sigma<Dot, Line>(this.#graph, el, {
      ...this.#lettering(),
      defaultDrawNodeLabel: (pen, dot, settings) => this.#labels.draw(pen, dot, settings),
      defaultDrawNodeHover: (pen, dot, settings) => drawHovered(pen, dot, settings, this.#colours),
      nodeReducer: (_, dot) => this.#dot(dot),
      edgeReducer: (edge, line) => this.#line(edge, line),
      zoomToSizeRatioFunction: () => 1, // dots keep their size on the screen
      // Points, not one shape for each dot: without a graphics card, a whole vault is drawn four times as fast.
      nodeProgramClasses: { circle: NodePointProgram },
      labelDensity: 0.6,
      labelGridCellSize: isCrowded ? LABEL_CELL.many : LABEL_CELL.few,
      labelRenderedSizeThreshold: 3,
      hideEdgesOnMove: isCrowded,
      hideLabelsOnMove: isCrowded,
      zIndex: true,
      allowInvalidContainer: true, // a window may be made so small that nothing of it is left
      minCameraRatio: 0.01,
      maxCameraRatio: 8,
      stagePadding: 40,
    });
    this.#layout = new Layout(name, reply, this.#graph, (isAtRest) => {
      el.toggleAttribute("data-placed", true); // what is drawn before has no shape yet
      el.toggleAttribute("data-at-rest", isAtRest);
      this.#sigma.refresh();
    });
    this.#sigma.on("beforeRender", () => this.#labels.begin(this.#sigma.getDimensions().width));
    this.#listen();
    this.#layout.start(reply, knownPlaces(reply.nodes, kept));
  }

  stop(): void {
    this.#layout.stop();
    this.#scheme.removeEventListener("change", this.#recolour);
    this.#sigma.kill();
  }

  /** Selects a note; with `isCentred` the picture moves to it. */
  choose(note: number | null, isCentred = false): void {
    const near = new Set(note === null ? [] : this.#graph.neighbors(note).map(Number));
    this.#focus = { ...this.#focus, chosen: note, near };
    this.#redraw();
    const data = note === null ? undefined : this.#sigma.getNodeDisplayData(String(note));
    if (data && isCentred) void this.#sigma.getCamera().animate({ x: data.x, y: data.y, ratio: 0.35 }, { duration: this.#moveMs });
    this.#handlers.chosen(note);
  }

  /** Emphasises a path; an empty one none. */
  showPath(notes: readonly number[]): void {
    this.#focus = { ...this.#focus, path: notes };
    this.#redraw();
  }

  /** Sets all other notes aside; null none. */
  find(found: ReadonlySet<number> | null): void {
    this.#focus = { ...this.#focus, found };
    if (found) this.#el.dataset["found"] = String(found.size);
    else delete this.#el.dataset["found"];
    this.#redraw();
  }

  colour(grouping: Grouping): void {
    this.#grouping = grouping;
    this.#recolour();
  }

  /** Draws only the notes for which `isShown` holds. */
  filter(isShown: (note: number) => boolean): void {
    this.#isShown = isShown;
    this.#redraw();
  }

  layers(layers: { links?: boolean; similarity?: boolean }): void {
    this.#shows = { ...this.#shows, ...layers };
    this.#redraw();
  }

  zoomIn(): void {
    void this.#sigma.getCamera().animatedZoom({ factor: ZOOM, duration: this.#moveMs });
  }

  zoomOut(): void {
    void this.#sigma.getCamera().animatedUnzoom({ factor: ZOOM, duration: this.#moveMs });
  }

  fit(): void {
    this.#sigma.setCustomBBox(null).refresh();
    void this.#sigma.getCamera().animatedReset({ duration: this.#moveMs });
  }

  get #moveMs(): number {
    return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200;
  }

  #redraw(): void {
    this.#sigma.refresh({ skipIndexation: true });
  }

  readonly #recolour = (): void => {
    this.#colours = coloursOf(this.#el, this.#grouping);
    this.#sigma.setSettings(this.#lettering());
    this.#redraw();
  };

  #lettering(): { labelFont: string; labelSize: number; labelColor: { color: string } } {
    return { labelFont: getComputedStyle(this.#el).fontFamily, labelSize: 12, labelColor: { color: this.#colours.ink } };
  }

  #dot(dot: Dot): Partial<NodeDisplayData> {
    const { hops } = this.#reply.nodes[dot.note] ?? { hops: null };
    const isSimilarOnly = this.#reply.path !== null && hops === null;
    const group = this.#colours.groups[this.#grouping.of[dot.note] ?? -1];
    const plain = hops === 0 ? this.#colours.accent : isSimilarOnly ? this.#colours.semantic : this.#colours.faint;
    const look = dotLook(dot, this.#focus, this.#colours, group ?? plain);
    return { ...look, hidden: !this.#isShown(dot.note), forceLabel: look.forceLabel || hops === 0 };
  }

  #line(edge: string, { isSimilarity }: Line): Partial<EdgeDisplayData> {
    const [one = -1, other = -1] = this.#graph.extremities(edge).map(Number);
    const isOn = isSimilarity ? this.#shows.similarity : this.#shows.links;
    const isCrowded = this.#graph.size > MANY_LINES;
    const look = lineLook(one, other, { isSimilarity, isCrowded }, this.#focus, this.#colours);
    return { ...look, hidden: !isOn || !this.#isTold(one, other) || !this.#isShown(one) || !this.#isShown(other) };
  }

  /** Whether a line is drawn: where there are many, only those of the note that is looked at, and of a path. */
  #isTold(one: number, other: number): boolean {
    if (this.#graph.order <= MANY_NOTES || this.#focus.path.length > 0) return true;
    const looked = [this.#hovered, this.#focus.chosen];
    return looked.includes(one) || looked.includes(other);
  }

  #hover(note: number | null): void {
    const touched = [this.#hovered, note].flatMap((one) => (one === null ? [] : this.#graph.edges(one)));
    this.#hovered = note;
    if (this.#graph.order > MANY_NOTES) this.#sigma.refresh({ partialGraph: { nodes: [], edges: touched }, skipIndexation: true });
  }

  #listen(): void {
    const sigma = this.#sigma;
    sigma.on("enterNode", ({ node }) => this.#hover(Number(node)));
    sigma.on("leaveNode", () => this.#hover(null));
    sigma.on("clickNode", ({ node }) => this.choose(Number(node)));
    sigma.on("clickStage", () => this.choose(null));
    sigma.on("doubleClickNode", (event) => {
      event.preventSigmaDefault();
      this.#handlers.opened(Number(event.node));
    });
    sigma.on("downNode", ({ node }) => {
      this.#held = Number(node);
      sigma.setCustomBBox(sigma.getCustomBBox() ?? sigma.getBBox()); // the picture must not shrink while a note is dragged
    });
    sigma.on("moveBody", (moved) => {
      if (this.#held === null) return;
      moved.preventSigmaDefault();
      const { x, y } = sigma.viewportToGraph(moved.event);
      this.#layout.hold(this.#held, x, y);
    });
    const drop = (): void => {
      if (this.#held !== null) this.#layout.release(this.#held);
      this.#held = null;
    };
    sigma.on("upNode", drop);
    sigma.on("upStage", drop);
    this.#lookForNotesBetweenFrames();
    this.#scheme.addEventListener("change", this.#recolour);
    this.#el.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Looks for the note under the pointer once a frame at most, and not while the picture is dragged:
   * each look waits for the graphics card, and a mouse moves several times in a frame.
   */
  #lookForNotesBetweenFrames(): void {
    const captor = this.#sigma.getMouseCaptor();
    const lookers = captor.listeners("mousemove");
    let last: MouseCoords | null = null;
    captor.removeAllListeners("mousemove");
    captor.on("mousemove", (moved: MouseCoords) => {
      const isWaiting = last !== null;
      last = moved;
      if (isWaiting) return;
      requestAnimationFrame(() => {
        if (last && !captor.isMouseDown) for (const look of lookers) look(last);
        last = null;
      });
    });
  }

  #key(event: KeyboardEvent): void {
    const camera = this.#sigma.getCamera();
    const { x, y, ratio } = camera.getState();
    const step = 0.15 * ratio;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => camera.setState({ x: x - step }),
      ArrowRight: () => camera.setState({ x: x + step }),
      ArrowUp: () => camera.setState({ y: y + step }),
      ArrowDown: () => camera.setState({ y: y - step }),
      "+": () => this.zoomIn(),
      "-": () => this.zoomOut(),
      "0": () => this.fit(),
      Escape: () => this.choose(null),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }
}
