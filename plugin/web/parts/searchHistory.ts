/** The search history and saved searches of this browser. They never leave it. */

import type { VaultInfo } from "../../src/replies";

/** Entries under a name in the local storage of this browser, the latest first. */
export class StoredList<T> {
  readonly #name: string;
  readonly #limit: number;

  /** Stores at most `limit` entries, the latest first. */
  constructor(name: string, limit: number) {
    this.#name = `notewell:${name}`;
    this.#limit = limit;
  }

  get all(): readonly T[] {
    try {
      const found: unknown = JSON.parse(localStorage.getItem(this.#name) ?? "[]");
      return Array.isArray(found) ? (found as T[]) : [];
    } catch {
      return []; // the stored value is not ours, or storage is unavailable
    }
  }

  /** Puts an entry first, and removes the ones that `isSame` matches. */
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
      // Storage may be unavailable, as in a private window; the page works without.
    }
  }
}

interface Entry {
  readonly vault: string;
  readonly q: string;
}

/** Texts of each vault, the latest first. */
export class TextsByVault {
  readonly #list: StoredList<Entry>;

  constructor(name: string, limit: number) {
    this.#list = new StoredList(name, limit);
  }

  of(vault: VaultInfo | null): readonly string[] {
    return this.#list.all.filter((entry) => entry.vault === vault?.id).map(({ q }) => q);
  }

  /** Puts a text first. */
  add(q: string, vault: VaultInfo | null): void {
    if (q && vault) this.#list.add({ vault: vault.id, q }, isSame(q, vault));
  }

  remove(q: string, vault: VaultInfo): void {
    this.#list.remove(isSame(q, vault));
  }

  clear(vault: VaultInfo | null): void {
    this.#list.remove((entry) => entry.vault === vault?.id);
  }
}

const earlier = new TextsByVault("history", 200);
const savedSearches = new TextsByVault("saved", 200);

export function history(vault: VaultInfo | null): readonly string[] {
  return earlier.of(vault);
}

export function saved(vault: VaultInfo | null): readonly string[] {
  return savedSearches.of(vault);
}

export function remember(q: string, vault: VaultInfo | null): void {
  earlier.add(q, vault);
}

export function forget(vault: VaultInfo | null): void {
  earlier.clear(vault);
}

export function isSaved(q: string, vault: VaultInfo | null): boolean {
  return saved(vault).includes(q);
}

/** Whether the search is saved now. */
export function toggleSaved(q: string, vault: VaultInfo | null): boolean {
  if (!q || !vault) return false;
  if (isSaved(q, vault)) {
    savedSearches.remove(q, vault);
    return false;
  }
  savedSearches.add(q, vault);
  return true;
}

function isSame(q: string, { id }: VaultInfo): (other: Entry) => boolean {
  return (other) => other.q === q && other.vault === id;
}
