/** Formats scores for the views. */

import type { Match, Result } from "../contract";

export function scoreText(score: number): string {
  return score.toFixed(2);
}

const MATCHES: Readonly<Record<Match, string>> = { strong: "strong match", related: "related", weak: "weak" };

const BEST_FIRST: readonly Match[] = ["strong", "related", "weak"];

/** Whether a note matches at least so well; one that was not judged, as by words alone, does. */
export function isAtLeast({ match }: Pick<Result, "match">, least: Match): boolean {
  return !match || BEST_FIRST.indexOf(match) <= BEST_FIRST.indexOf(least);
}

/** How well a note matches, in words; empty where that says nothing, as for a query of conditions alone. */
export function matchText({ match }: Pick<Result, "match">): string {
  return (match && MATCHES[match]) ?? "";
}

/** The components of a score that are known, one a line. */
export function scoreParts({ score, scores, raw }: Result): string {
  return Object.entries({ score, ...scores, ...raw })
    .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scoreText(value)}`]))
    .join("\n");
}
