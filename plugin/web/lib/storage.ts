/** What this browser keeps for its person: lists of words under a name, in local storage. */

export class StoredList<T> {
  readonly #name: string;
  readonly #limit: number;

  /** At most `limit` entries are kept, the latest first. */
  constructor(name: string, limit: number) {
    this.#name = `notewell:${name}`;
    this.#limit = limit;
  }

  get all(): readonly T[] {
    try {
      const found: unknown = JSON.parse(localStorage.getItem(this.#name) ?? "[]");
      return Array.isArray(found) ? (found as T[]) : [];
    } catch {
      return []; // another program wrote there, or the browser keeps nothing
    }
  }

  /** Puts an entry first; one that `isSame` as it gives way. */
  add(entry: T, isSame: (other: T) => boolean): void {
    this.set([entry, ...this.all.filter((other) => !isSame(other))]);
  }

  remove(isSame: (other: T) => boolean): void {
    this.set(this.all.filter((other) => !isSame(other)));
  }

  set(entries: readonly T[]): void {
    try {
      localStorage.setItem(this.#name, JSON.stringify(entries.slice(0, this.#limit)));
    } catch {
      // A private window keeps nothing; the page works without.
    }
  }
}
