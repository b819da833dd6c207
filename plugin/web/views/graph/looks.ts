/** How the notes and lines of a graph look: their colours, sizes and labels, by what is selected. */

import type { NodeHoverDrawingFunction } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData } from "sigma/types";
import type { Grouping } from "./grouping";
import type { Dot, Line } from "./picture";

const FEW = 12; // notes that were found, of which each is named

/** What is emphasised: a selected note with its neighbours, or the notes of a path in order. */
export interface Focus {
  readonly chosen: number | null;
  readonly near: ReadonlySet<number>;
  readonly path: readonly number[];
  /** The notes that were looked for by words; null where none are. */
  readonly found: ReadonlySet<number> | null;
}

export interface Colours {
  readonly ink: string;
  readonly paper: string;
  readonly line: string;
  readonly lineAside: string;
  readonly aside: string;
  readonly accent: string;
  readonly semantic: string;
  /** Of a similarity among thousands, which would hide the dots in full colour. */
  readonly semanticFaint: string;
  readonly faint: string;
  readonly groups: readonly string[];
}

export function coloursOf(el: Element, { groups }: Grouping): Colours {
  const style = getComputedStyle(el);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ink: of("--ink"),
    paper: of("--paper"),
    line: of("--graph-line"),
    lineAside: of("--graph-line-aside"),
    aside: of("--graph-aside"),
    accent: of("--accent"),
    semantic: of("--semantic"),
    semanticFaint: of("--graph-similar"),
    faint: of("--faint"),
    groups: groups.map(({ colour }) => of(colour)),
  };
}

/** The label of the note under the pointer or selected, on a slip of paper, so that lines do not cross it. */
export function drawHovered(...[pen, dot, settings, colours]: [...Parameters<NodeHoverDrawingFunction<Dot, Line>>, Colours]): void {
  if (typeof dot.label !== "string") return;
  const { labelSize, labelFont } = settings;
  pen.font = `600 ${labelSize}px ${labelFont}`;
  const width = pen.measureText(dot.label).width + 12;
  const [left, top, height] = [dot.x + dot.size + 2, dot.y - labelSize * 0.85, labelSize * 1.7];
  pen.beginPath();
  pen.roundRect(left, top, width, height, 4);
  pen.fillStyle = colours.paper;
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle = colours.line;
  pen.stroke();
  pen.fillStyle = colours.ink;
  pen.fillText(dot.label, left + 6, dot.y + labelSize / 3);
}

/** A note in its own colour, or set aside where something else is emphasised. */
export function dotLook(dot: Dot, focus: Focus, colours: Colours, own: string): Partial<NodeDisplayData> & { forceLabel: boolean } {
  const { note, x, y, size, label } = dot;
  const isChosen = note === focus.chosen;
  const isOnPath = focus.path.includes(note);
  const isFirst = isChosen || isOnPath;
  const isAside = !isFirst && isSetAside(note, focus);
  return {
    x,
    y,
    label: isAside ? "" : label,
    size: isChosen ? size + 3 : size,
    color: isAside ? colours.aside : isOnPath ? colours.accent : own,
    forceLabel: isFirst || (focus.found?.has(note) === true && focus.found.size <= FEW),
    highlighted: isChosen,
    zIndex: isFirst ? 2 : isAside ? 0 : 1,
  };
}

function isSetAside(note: number, { chosen, near, path, found }: Focus): boolean {
  return path.length > 0 || (chosen !== null && !near.has(note)) || (chosen === null && found !== null && !found.has(note));
}

export interface LineKind {
  readonly isSimilarity: boolean;
  /** One of thousands in the picture. */
  readonly isCrowded: boolean;
}

/** A line between two notes; those of the selected note and of the path are emphasised. */
export function lineLook(...[one, other, line, focus, colours]: [number, number, LineKind, Focus, Colours]): Partial<EdgeDisplayData> {
  const isOnPath = !line.isSimilarity && areNextTo(one, other, focus.path);
  const isNear = isOnPath || one === focus.chosen || other === focus.chosen;
  if (!isNear && areSetAside(one, other, focus)) return { color: colours.lineAside, size: 0.8, zIndex: 0 };
  return { color: lineColour(line, isNear, colours), size: isOnPath ? 4 : isNear ? 2 : 0.8, zIndex: isNear ? 1 : 0 };
}

/** Whether a line is not of what is emphasised: one that leads away from it, or is not of the notes found. */
function areSetAside(one: number, other: number, { chosen, path, found }: Focus): boolean {
  return chosen !== null || path.length > 0 || (found !== null && !(found.has(one) && found.has(other)));
}

function lineColour({ isSimilarity, isCrowded }: LineKind, isNear: boolean, colours: Colours): string {
  if (isSimilarity) return isCrowded && !isNear ? colours.semanticFaint : colours.semantic;
  return isNear ? colours.accent : colours.line;
}

function areNextTo(one: number, other: number, path: readonly number[]): boolean {
  const place = path.indexOf(one);
  return place >= 0 && (path[place - 1] === other || path[place + 1] === other);
}
