/** Formats scores for the views. */

import type { Match, Result } from "../contract";
import { number, t } from "../texts";

export function scoreText(score: number): string {
  return number(score, 2);
}

const matches = (): Readonly<Record<Match, string>> => ({ strong: t("strong match"), related: t("related"), weak: t("weak") });

export const BEST_FIRST: readonly Match[] = ["strong", "related", "weak"];

/** Whether a note matches at least so well; one that was not judged, as by words alone, does. */
export function isAtLeast({ match }: Pick<Result, "match">, least: Match): boolean {
  return !match || BEST_FIRST.indexOf(match) <= BEST_FIRST.indexOf(least);
}

/** How well a note matches, in words; empty where that says nothing, as for a query of conditions alone. */
export function matchText({ match }: Pick<Result, "match">): string {
  return (match && matches()[match]) ?? "";
}

/** The word above the notes that match so well. */
export function groupText(match: Match): string {
  return { strong: t("Best"), related: t("Related"), weak: t("Weak matches") }[match];
}

/** The components of a score that are known, one a line. */
export function scoreParts({ score, scores, raw }: Result): string {
  return Object.entries({ score, ...scores, ...raw })
    .flatMap(([name, value]) => (value === null ? [] : [`${name}: ${scoreText(value)}`]))
    .join("\n");
}
