/** The interactive graph: a simulation places the dots, and they can be dragged. Loaded with the graph view only. */

import type { NeighborhoodReply } from "../../src/contract";
import { Canvas } from "../lib/canvas";
import { h } from "../lib/dom";
import { pictureOf, settle, type Dot } from "../lib/forces";
import { PointerControls, type PointerHandlers } from "../lib/pointerControls";

const FITTED_STEPS = [1, 20, 60, 120]; // simulation steps after which the view is fitted

export class GraphScene {
  readonly canvas = new Canvas(h("canvas", { role: "img", tabindex: "0" }));
  readonly #controls: PointerControls;
  readonly #picture;
  readonly #size = new ResizeObserver(() => this.canvas.requestDraw());
  #simulation: ReturnType<typeof settle> | null = null;
  #steps = 0;
  #isTouched = false;

  constructor(found: NeighborhoodReply, handlers: Pick<PointerHandlers, "chosen" | "opened">) {
    this.#picture = pictureOf(found);
    this.#controls = new PointerControls(this.canvas, {
      chosen: (dot) => {
        this.canvas.choose(dot);
        handlers.chosen(dot);
      },
      opened: handlers.opened,
      dragged: (dot, place) => this.#drag(dot, place),
    });
    const touch = (): void => {
      this.#isTouched = true;
    };
    this.canvas.el.addEventListener("pointerdown", touch);
    this.canvas.el.addEventListener("wheel", touch, { passive: true });
    this.canvas.el.addEventListener("keydown", (event) => this.#key(event));
  }

  start(): void {
    this.canvas.picture = this.#picture;
    this.#size.observe(this.canvas.el);
    this.#simulation = settle(this.#picture, () => this.#step());
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.#settleAtOnce();
  }

  stop(): void {
    this.#simulation?.stop();
    this.#size.disconnect();
  }

  layers({ links, similarity }: { links?: boolean; similarity?: boolean }): void {
    if (links !== undefined) this.canvas.showsLinks = links;
    if (similarity !== undefined) this.canvas.showsSimilarity = similarity;
    this.canvas.choose(this.canvas.chosen);
  }

  zoom(by: number): void {
    this.#isTouched = true;
    this.#controls.zoom(by);
  }

  #step(): void {
    this.#steps += 1;
    if (!this.#isTouched && FITTED_STEPS.includes(this.#steps)) this.canvas.fit();
    else this.canvas.requestDraw();
  }

  #settleAtOnce(): void {
    this.#simulation?.stop().tick(150);
    this.canvas.fit();
  }

  #drag(dot: Dot, place: { x: number; y: number } | null): void {
    dot.fx = place?.x ?? null;
    dot.fy = place?.y ?? null;
    this.#simulation?.alphaTarget(place ? 0.2 : 0).restart();
  }

  #key(event: KeyboardEvent): void {
    const { viewport } = this.canvas;
    const step = 60 / viewport.scale;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => (viewport.x -= step),
      ArrowRight: () => (viewport.x += step),
      ArrowUp: () => (viewport.y -= step),
      ArrowDown: () => (viewport.y += step),
      "+": () => this.#controls.zoom(1.3),
      "-": () => this.#controls.zoom(0.77),
      "0": () => this.canvas.fit(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.#isTouched = true;
    move();
    this.canvas.requestDraw();
  }
}
