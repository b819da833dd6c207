/** Pointer and wheel events on the canvas: pans and zooms it, drags a dot, selects and opens one. */

import type { Canvas } from "./canvas";
import type { Dot } from "./forces";

export interface PointerHandlers {
  readonly chosen: (dot: Dot | null) => void;
  readonly opened: (dot: Dot) => void;
  /** A dot is dragged to a position; null when it is released. */
  readonly dragged: (dot: Dot, place: { x: number; y: number } | null) => void;
}

const TAP_PX = 6;

export class PointerControls {
  readonly #canvas: Canvas;
  readonly #handlers: PointerHandlers;
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #held: Dot | null = null;
  #travelled = 0;

  constructor(canvas: Canvas, handlers: PointerHandlers) {
    this.#canvas = canvas;
    this.#handlers = handlers;
    const { el } = canvas;
    el.addEventListener("pointerdown", (event) => this.#down(event));
    el.addEventListener("pointermove", (event) => this.#move(event));
    el.addEventListener("pointerup", (event) => this.#up(event));
    el.addEventListener("pointercancel", (event) => this.#up(event));
    el.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    el.addEventListener("dblclick", (event) => this.#open(event));
  }

  zoom(by: number, x = this.#canvas.el.clientWidth / 2, y = this.#canvas.el.clientHeight / 2): void {
    const { viewport } = this.#canvas;
    const before = this.#canvas.toWorld(x, y);
    viewport.scale = Math.min(6, Math.max(0.04, viewport.scale * by));
    const after = this.#canvas.toWorld(x, y);
    viewport.x += before.x - after.x;
    viewport.y += before.y - after.y;
    this.#canvas.requestDraw();
  }

  #down(event: PointerEvent): void {
    const place = { x: event.offsetX, y: event.offsetY };
    this.#canvas.el.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, place);
    this.#travelled = 0;
    this.#held = this.#pointers.size === 1 ? this.#canvas.at(place.x, place.y, room(event)) : null;
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.offsetX, y: event.offsetY };
    const others = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    this.#pointers.set(event.pointerId, now);
    this.#travelled += Math.hypot(now.x - before.x, now.y - before.y);
    const [other] = others;
    if (other) this.#pinch(before, now, other);
    else if (this.#travelled > TAP_PX) this.#drag(before, now);
  }

  #drag(before: { x: number; y: number }, now: { x: number; y: number }): void {
    if (this.#held) {
      this.#handlers.dragged(this.#held, this.#canvas.toWorld(now.x, now.y));
      return;
    }
    const { viewport } = this.#canvas;
    viewport.x -= (now.x - before.x) / viewport.scale;
    viewport.y -= (now.y - before.y) / viewport.scale;
    this.#canvas.requestDraw();
  }

  #pinch(before: { x: number; y: number }, now: { x: number; y: number }, other: { x: number; y: number }): void {
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
    if (was > 0) this.zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  #up(event: PointerEvent): void {
    this.#pointers.delete(event.pointerId);
    if (this.#held && this.#travelled > TAP_PX) this.#handlers.dragged(this.#held, null);
    else if (event.type === "pointerup" && this.#travelled <= TAP_PX) this.#handlers.chosen(this.#held);
    this.#held = null;
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY);
  }

  #open(event: MouseEvent): void {
    const dot = this.#canvas.at(event.offsetX, event.offsetY, 4);
    if (dot) this.#handlers.opened(dot);
  }
}

/** The tolerance in pixels for hitting a dot: larger for touch. */
function room(event: PointerEvent): number {
  return event.pointerType === "touch" ? 16 : 4;
}
