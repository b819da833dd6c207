/** Formats counts, scores, headings and durations for the views. */

import type { Passage, Result } from "../contract";

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString()} ${n === 1 ? one : many}`;
}

export function scoreText(score: number): string {
  return score.toFixed(2);
}

/** The components of a score that are known, one a line. */
export function scoreParts({ score, scores, raw }: Result): string {
  return Object.entries({ score, ...scores, ...raw })
    .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scoreText(value)}`]))
    .join("\n");
}

/**
 * The headings above a passage, as "Hives › Spring", and its parent list item; empty above the first
 * heading. A first heading that repeats the note's title is left out.
 */
export function breadcrumb({ heading, parent }: Passage, title: string): string {
  const steps = heading?.split(" > ") ?? [];
  if (steps[0] === title) steps.shift();
  if (parent) steps.push(parent);
  return steps.join(" › ");
}

/** The folder of a path, without its last slash; empty in the vault's root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
