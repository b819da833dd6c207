/** The names beside the dots of a graph, none over another one and none cut off at the edge. */

import type { NodeLabelDrawingFunction } from "sigma/rendering";
import type { Dot, Line } from "./picture";

const GAP = 3; // pixels between a dot and its name, and between two names

interface Box {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

type Drawing = Parameters<NodeLabelDrawingFunction<Dot, Line>>;

export class Labels {
  #taken: Box[] = [];
  #width = 0;

  /** Begins a picture that is `width` pixels wide. */
  begin(width: number): void {
    this.#taken = [];
    this.#width = width;
  }

  /** Draws a name where there is room, at the left of a dot near the right edge; the name of an emphasised dot always. */
  draw(...[pen, dot, { labelSize, labelFont, labelWeight, labelColor }]: Drawing): void {
    const { label, x, y, size } = dot;
    if (typeof label !== "string" || label === "") return;
    pen.font = [labelWeight, `${labelSize}px`, labelFont].join(" ");
    const width = pen.measureText(label).width;
    const isRight = x + size + GAP + width <= this.#width || x - size - GAP - width < 0;
    const left = isRight ? x + size + GAP : x - size - GAP - width;
    const box = { left, right: left + width, y };
    const isFree = this.#taken.every((other) => box.right + GAP < other.left || other.right + GAP < box.left || Math.abs(other.y - y) > labelSize + GAP);
    if (!isFree && !("forceLabel" in dot && dot.forceLabel)) return;
    this.#taken.push(box);
    pen.fillStyle = labelColor.color ?? "#000";
    pen.fillText(label, left, y + labelSize / 3);
  }
}
