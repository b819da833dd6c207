/** The notes that were read lately in this browser, the latest first. They never leave it. */

import type { VaultInfo } from "../../src/replies";
import { StoredList } from "./searchHistory";

const KEPT = 60; // of all vaults

interface ReadNote {
  readonly vault: string;
  readonly path: string;
}

const read = new StoredList<ReadNote>("lately", KEPT);

export function rememberRead(path: string, vault: VaultInfo | null): void {
  if (vault) read.add({ vault: vault.id, path }, (other) => other.vault === vault.id && other.path === path);
}

/** The paths of the notes of a vault. */
export function readLately(vault: VaultInfo | null): readonly string[] {
  return read.all.filter((note) => note.vault === vault?.id).map(({ path }) => path);
}

export function forgetRead(vault: VaultInfo | null): void {
  read.remove((note) => note.vault === vault?.id);
}
