/** Small texts that several views show. */

import type { Passage, Result } from "../contract";

export function count(n: number, one: string, many: string): string {
  return `${n.toLocaleString()} ${n === 1 ? one : many}`;
}

export function scoreText(score: number): string {
  return score.toFixed(2);
}

/** The parts of a score that were computed, a line each. */
export function scoreParts(result: Result): string {
  const { scores, raw } = result;
  const lines = [`score: ${scoreText(result.score)}`];
  for (const [name, value] of Object.entries({ ...scores, ...raw })) {
    if (value !== null) lines.push(`${name}: ${scoreText(value)}`);
  }
  return lines.join("\n");
}

/** "Hives › Spring", with the list item a passage hangs under; empty above the first heading. */
export function breadcrumb(passage: Passage): string {
  const steps = passage.heading?.split(" > ") ?? [];
  if (passage.parent) steps.push(passage.parent);
  return steps.join(" › ");
}

/** The folder of a path, without its last slash; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
