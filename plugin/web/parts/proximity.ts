/** How near notes are, by links, to the first ones of a list. */

import { asServerError } from "../../src/client";
import type { Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";

const FIRST = 3;

/** For each path that is within two links of one of the first results: 1 for itself, ½, ¼. */
export async function proximityToFirst(context: ViewContext, results: readonly Result[]): Promise<ReadonlyMap<string, number>> {
  const proximity = new Map<string, number>();
  const first = results.slice(0, FIRST);
  const near = await Promise.all(first.map(({ path }) => neighbors(context, path)));
  for (const [path, score] of near.flat()) proximity.set(path, Math.max(score, proximity.get(path) ?? 0));
  return proximity;
}

async function neighbors(context: ViewContext, path: string): Promise<[string, number][]> {
  try {
    const found = await context.vaultClient.neighbors(path, 2, 1000);
    return found.neighbors.map(({ path: other, score }) => [other, score]);
  } catch (error) {
    asServerError(error);
    return []; // a note that was removed meanwhile has no neighbours
  }
}
