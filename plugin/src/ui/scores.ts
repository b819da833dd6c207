/** Formats scores for the views. */

import type { Result } from "../contract";

export function scoreText(score: number): string {
  return score.toFixed(2);
}

/** The components of a score that are known, one a line. */
export function scoreParts({ score, scores, raw }: Result): string {
  return Object.entries({ score, ...scores, ...raw })
    .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scoreText(value)}`]))
    .join("\n");
}
