/** Searches of this browser: the latest, and those that were saved. They never leave it. */

import type { VaultInfo } from "../../src/replies";
import { StoredList } from "../lib/storage";

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
