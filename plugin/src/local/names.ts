/** Notes by the beginning of their names, which needs no index: a look at every name is quick enough. */

import type { Facts } from "./facts";
import { namesOf } from "./facts";
import { fold } from "./words";

/** Whether a query is a name, begins one, or begins a word of one; lower is better. */
export const RANK = { whole: 0, start: 1, word: 2, none: 3 } as const;

export interface NamedNote {
  readonly path: string;
  readonly rank: number;
}

export class Names {
  readonly #folded = new Map<string, readonly string[]>();
  readonly #paths: () => Iterable<string>;
  readonly #facts: (path: string) => Facts | null;

  constructor(paths: () => Iterable<string>, facts: (path: string) => Facts | null) {
    this.#paths = paths;
    this.#facts = facts;
  }

  /** A note was changed, renamed or removed: its names are looked up anew. */
  changed(path: string): void {
    this.#folded.delete(path);
  }

  /** The notes with a name that is or begins like `query`, or has a word that does; the best first. */
  find(query: string, limit: number): NamedNote[] {
    const wanted = fold(query);
    if (!wanted) return [];
    const found: (NamedNote & { readonly length: number })[] = [];
    for (const path of this.#paths()) {
      const names = this.of(path);
      const ranks = names.map((name) => rankOf(name, wanted));
      const rank = Math.min(...ranks);
      if (rank < RANK.none) found.push({ path, rank, length: names[ranks.indexOf(rank)]?.length ?? 0 });
    }
    found.sort((one, other) => one.rank - other.rank || one.length - other.length || (one.path < other.path ? -1 : 1));
    return found.slice(0, limit);
  }

  /** The names of a note, folded. */
  of(path: string): readonly string[] {
    let names = this.#folded.get(path);
    if (!names) {
      const facts = this.#facts(path);
      names = facts ? namesOf(facts) : [];
      this.#folded.set(path, names);
    }
    return names;
  }
}

function rankOf(name: string, wanted: string): number {
  if (name === wanted) return RANK.whole;
  if (name.startsWith(wanted)) return RANK.start;
  return name.includes(` ${wanted}`) || name.includes(`-${wanted}`) ? RANK.word : RANK.none;
}
