/** The sum without a server is the server's, by the cases that its own test reads. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { meaningWeight, weigh, type NoteEvidence, type QueryEvidence } from "../../plugin/src/local/evidence";

interface Case {
  readonly query: QueryEvidence;
  readonly notes: readonly (NoteEvidence & { readonly cosine: number | null; readonly meanCosine: number | null })[];
  readonly weight: number;
  readonly totals: readonly number[];
  readonly matches: readonly string[];
}

const CASES = JSON.parse(readFileSync(join(import.meta.dirname, "..", "search", "rank", "phone_cases.json"), "utf8")) as readonly Case[];

it.each(CASES.map((each, at) => [at, each] as const))("case %i", (_, { query, notes, weight, totals, matches }) => {
  const given = notes.map((note) => ({ ...note, cosine: note.cosine ?? NaN, meanCosine: note.meanCosine ?? NaN }));
  expect(meaningWeight(given, query)).toBeCloseTo(weight, 2);
  const found = weigh(given, query);
  found.forEach(({ total }, at) => expect(Math.abs(total - (totals[at] ?? 0))).toBeLessThan(0.005));
  expect(found.map(({ match }) => match)).toEqual(matches);
});
