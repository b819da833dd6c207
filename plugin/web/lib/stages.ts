/** What a stage did to the order: who rose, who fell, who came and went among the first. */

import type { StageTrace } from "../../src/contract";

export interface Moved {
  readonly path: string;
  readonly place: number;
  /** Places won since the stage before; null where it was not among the first then. */
  readonly by: number | null;
}

/** The first of each stage, compared with those of the last stage before that named any. */
export function movements(stages: readonly StageTrace[]): readonly (readonly Moved[])[] {
  let before: ReadonlyMap<string, number> | null = null;
  return stages.map(({ top }) => {
    const known = before;
    const moved = top.map((path, n): Moved => {
      const was = known?.get(path);
      const by = known === null ? 0 : was === undefined ? null : was - n;
      return { path, place: n + 1, by };
    });
    if (top.length) before = new Map(top.map((path, n) => [path, n]));
    return moved;
  });
}
