/** Draws the graph of notes on a canvas, and finds the dot at a position. */

import type { Dot, Edge, Picture } from "./forces";

export interface Viewport {
  /** The world position at the centre of the canvas, and the zoom factor. */
  x: number;
  y: number;
  scale: number;
}

interface Colours {
  readonly ink: string;
  readonly paper: string;
  readonly line: string;
  readonly accent: string;
  readonly semantic: string;
  readonly faint: string;
}

const LABELS = 60; // most labels drawn at once, for legibility

export class Canvas {
  readonly el: HTMLCanvasElement;
  readonly viewport: Viewport = { x: 0, y: 0, scale: 1 };
  showsLinks = true;
  showsSimilarity = true;
  chosen: Dot | null = null;
  #picture: Picture = { dots: [], edges: [] };
  #near: ReadonlySet<Dot> = new Set();
  #isDrawRequested = false;

  constructor(el: HTMLCanvasElement) {
    this.el = el;
  }

  set picture(picture: Picture) {
    this.#picture = picture;
    this.requestDraw();
  }

  /** Selects a dot; it and its neighbours are emphasised. */
  choose(dot: Dot | null): void {
    this.chosen = dot;
    const near = this.#visible().filter(({ source, target }) => source === dot || target === dot);
    this.#near = new Set(near.flatMap(({ source, target }) => [source, target]));
    this.requestDraw();
  }

  /** Draws in the next frame, at most once. */
  requestDraw(): void {
    if (this.#isDrawRequested) return;
    this.#isDrawRequested = true;
    requestAnimationFrame(() => {
      this.#isDrawRequested = false;
      this.#draw();
    });
  }

  /** Fits all dots into view. */
  fit(): void {
    const { dots } = this.#picture;
    const { clientWidth: width, clientHeight: height } = this.el;
    if (dots.length === 0 || !width || !height) return;
    const xs = dots.map(({ x = 0 }) => x);
    const ys = dots.map(({ y = 0 }) => y);
    const [left, right, top, bottom] = [min(xs), max(xs), min(ys), max(ys)];
    this.viewport.x = (left + right) / 2;
    this.viewport.y = (top + bottom) / 2;
    const scale = Math.min(width / (right - left + 90), height / (bottom - top + 70));
    this.viewport.scale = Math.min(1.6, Math.max(0.05, scale));
    this.requestDraw();
  }

  /** The dot at a position of the canvas, or within `room` pixels of it. */
  at(x: number, y: number, room: number): Dot | null {
    const place = this.toWorld(x, y);
    let nearest: Dot | null = null;
    let best = Number.POSITIVE_INFINITY;
    for (const dot of this.#picture.dots) {
      const away = Math.hypot((dot.x ?? 0) - place.x, (dot.y ?? 0) - place.y) - dot.radius;
      if (away < best) [nearest, best] = [dot, away];
    }
    return best <= room / this.viewport.scale ? nearest : null;
  }

  toWorld(x: number, y: number): { x: number; y: number } {
    const { viewport, el } = this;
    return { x: (x - el.clientWidth / 2) / viewport.scale + viewport.x, y: (y - el.clientHeight / 2) / viewport.scale + viewport.y };
  }

  #visible(): readonly Edge[] {
    return this.#picture.edges.filter(({ isSimilarity }) => (isSimilarity ? this.showsSimilarity : this.showsLinks));
  }

  #draw(): void {
    const pen = this.el.getContext("2d");
    const { clientWidth: width, clientHeight: height } = this.el;
    if (!pen || !width) return;
    const ratio = window.devicePixelRatio || 1;
    if (this.el.width !== Math.round(width * ratio)) this.el.width = Math.round(width * ratio);
    if (this.el.height !== Math.round(height * ratio)) this.el.height = Math.round(height * ratio);
    const colours = coloursOf(this.el);
    const { x, y, scale } = this.viewport;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.el.width, this.el.height);
    pen.setTransform(scale * ratio, 0, 0, scale * ratio, (width / 2 - x * scale) * ratio, (height / 2 - y * scale) * ratio);
    this.#drawEdges(pen, colours);
    this.#drawDots(pen, colours);
    this.#drawNames(pen, colours);
  }

  /** Draws one path for each kind of edge, because strokes are slow. */
  #drawEdges(pen: CanvasRenderingContext2D, colours: Colours): void {
    const edges = this.#visible();
    const { chosen } = this;
    const isNear = ({ source, target }: Edge): boolean => source === chosen || target === chosen;
    const stroke = (some: readonly Edge[], colour: string, thickness: number, dash: number[], alpha: number): void => {
      pen.beginPath();
      for (const { source, target } of some) {
        pen.moveTo(source.x ?? 0, source.y ?? 0);
        pen.lineTo(target.x ?? 0, target.y ?? 0);
      }
      pen.strokeStyle = colour;
      pen.lineWidth = thickness / this.viewport.scale;
      pen.setLineDash(dash.map((length) => length / this.viewport.scale));
      pen.globalAlpha = alpha;
      pen.stroke();
    };
    const far = chosen ? 0.3 : 0.75;
    const rest = edges.filter((edge) => !isNear(edge));
    const near = edges.filter(isNear);
    const kinds = [false, true] as const; // similarity is drawn over links between the same notes
    for (const isSimilarity of kinds) {
      const dash = isSimilarity ? [4, 5] : [];
      const colour = isSimilarity ? colours.semantic : colours.line;
      stroke(rest.filter((edge) => edge.isSimilarity === isSimilarity), colour, 1, dash, isSimilarity ? far * 0.7 : far);
      stroke(near.filter((edge) => edge.isSimilarity === isSimilarity), isSimilarity ? colour : colours.accent, 1.8, dash, 1);
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  #drawDots(pen: CanvasRenderingContext2D, colours: Colours): void {
    const { chosen } = this;
    for (const dot of this.#picture.dots) {
      pen.beginPath();
      pen.arc(dot.x ?? 0, dot.y ?? 0, dot.radius, 0, 2 * Math.PI);
      pen.globalAlpha = chosen && dot !== chosen && !this.#near.has(dot) ? 0.3 : 1;
      pen.fillStyle = dot.isStart ? colours.accent : dot.isSimilar ? colours.semantic : colours.faint;
      if (dot === chosen) pen.fillStyle = colours.ink;
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  /** Labels the most important visible dots, where labels do not overlap. */
  #drawNames(pen: CanvasRenderingContext2D, colours: Colours): void {
    const { scale } = this.viewport;
    const size = 12.5 / scale;
    pen.font = `${size}px ${getComputedStyle(this.el).fontFamily}`;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 3.5 / scale;
    pen.strokeStyle = colours.paper;
    pen.fillStyle = colours.ink;
    const placed: [x: number, y: number, half: number][] = [];
    for (const dot of this.#byImportance()) {
      if (placed.length >= LABELS) break;
      const text = dot.title.length > 34 ? `${dot.title.slice(0, 33)}…` : dot.title;
      const [x, y] = [dot.x ?? 0, (dot.y ?? 0) + dot.radius + size * 1.1];
      const half = (text.length * size) / 3.6;
      const isFree = placed.every(([tx, ty, th]) => Math.abs(ty - y) > size * 1.25 || Math.abs(tx - x) > th + half);
      if (!isFree && dot !== this.chosen && !dot.isStart) continue;
      placed.push([x, y, half]);
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    }
  }

  #byImportance(): Dot[] {
    const weight = (dot: Dot): number =>
      (dot === this.chosen ? 1e6 : 0) + (dot.isStart ? 1e5 : 0) + (this.#near.has(dot) ? 1e4 : 0) + dot.radius;
    const { viewport, el } = this;
    const [w, h] = [el.clientWidth / 2 / viewport.scale, el.clientHeight / 2 / viewport.scale];
    return this.#picture.dots
      .filter(({ x = 0, y = 0 }) => Math.abs(x - viewport.x) < w && Math.abs(y - viewport.y) < h)
      .sort((one, other) => weight(other) - weight(one));
  }
}

function coloursOf(el: Element): Colours {
  const style = getComputedStyle(el);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ink: of("--ink"),
    paper: of("--sheet"),
    line: of("--line-strong"),
    accent: of("--accent"),
    semantic: of("--semantic"),
    faint: of("--faint"),
  };
}

function min(values: readonly number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
}

function max(values: readonly number[]): number {
  return values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
}
