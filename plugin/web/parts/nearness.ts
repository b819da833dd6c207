/** How near notes are, by links, to the first ones of a list. */

import { asServerError } from "../../src/client";
import type { Result } from "../app/contract";
import type { Desk } from "../app/desk";

const FIRST = 3;

/** For each path that is within two links of one of the first results: 1 for itself, ½, ¼. */
export async function nearFirst(desk: Desk, results: readonly Result[]): Promise<ReadonlyMap<string, number>> {
  const nearness = new Map<string, number>();
  const first = results.slice(0, FIRST);
  const near = await Promise.all(first.map(({ path }) => neighbors(desk, path)));
  for (const [path, score] of near.flat()) nearness.set(path, Math.max(score, nearness.get(path) ?? 0));
  return nearness;
}

async function neighbors(desk: Desk, path: string): Promise<[string, number][]> {
  try {
    const found = await desk.asking.neighbors(path, 2, 1000);
    return found.neighbors.map(({ path: other, score }) => [other, score]);
  } catch (error) {
    asServerError(error);
    return []; // a note that was removed meanwhile has no neighbours
  }
}
