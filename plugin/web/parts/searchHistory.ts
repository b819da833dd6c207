/** Searches of this browser: the latest, and those that were saved. They never leave it. */

import type { VaultInfo } from "../../src/replies";

/** Entries under a name in the local storage of this browser, the latest first. */
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

interface Asked {
  readonly vault: string;
  readonly q: string;
}

const earlier = new StoredList<Asked>("history", 200);
const marked = new StoredList<Asked>("saved", 200);

export function history(vault: VaultInfo | null): readonly string[] {
  return of(earlier, vault);
}

export function saved(vault: VaultInfo | null): readonly string[] {
  return of(marked, vault);
}

export function remember(q: string, vault: VaultInfo | null): void {
  if (q && vault) earlier.add({ vault: vault.id, q }, same(q, vault));
}

export function forget(vault: VaultInfo | null): void {
  earlier.remove(({ vault: of }) => of === vault?.id);
}

export function isSaved(q: string, vault: VaultInfo | null): boolean {
  return saved(vault).includes(q);
}

/** Whether the search is saved now. */
export function toggleSaved(q: string, vault: VaultInfo | null): boolean {
  if (!q || !vault) return false;
  if (isSaved(q, vault)) {
    marked.remove(same(q, vault));
    return false;
  }
  marked.add({ vault: vault.id, q }, same(q, vault));
  return true;
}

function of(kept: StoredList<Asked>, vault: VaultInfo | null): readonly string[] {
  return kept.all.filter((asked) => asked.vault === vault?.id).map(({ q }) => q);
}

function same(q: string, { id }: VaultInfo): (other: Asked) => boolean {
  return (other) => other.q === q && other.vault === id;
}
