/**
 * The changes in the vault that the server has not received, merged to the fewest that have the same
 * effect: a rename chain a→b→c is one rename, a note created and deleted is nothing, many edits are one.
 *
 * It has two parts, in the order in which the server gets them: a log of changes that were taken out
 * for sending and not acknowledged, and the merged changes after it. It lives in memory only: what is
 * lost at exit is found by comparing the vault with the server's manifest at the next connect.
 */

import type { Change } from "./contract";

interface Entry {
  /** The path under which the server has the note; null where it does not have it. */
  readonly serverPath: string | null;
  readonly isModified: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
}

const MOVE_PAUSE_MS = 500; // after creating, moving or deleting: events of a folder's notes come one by one
const EDIT_PAUSE_MS = 2_000; // after an edit: while the user types, the app saves every two seconds
const MAX_WAIT_MS = 30_000; // and no edit waits longer than this

export class ChangeQueue {
  #log: Change[] = [];
  readonly #entries = new Map<string, Entry>(); // by current path
  readonly #deleted = new Map<string, number>(); // by the path on the server → time of deletion
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#log.length + this.#entries.size + this.#deleted.size;
  }

  /** The paths of all queued changes, for the diagnostics view. */
  paths(): readonly string[] {
    const logged = this.#log.map((change) => change.path);
    return [...new Set([...logged, ...this.#deleted.keys(), ...this.#entries.keys()])];
  }

  created(path: string): void {
    // Deleted and created again: for the server this is a modification.
    if (this.#deleted.delete(path)) this.#put(path, path, true);
    else if (!this.#entries.has(path)) this.#put(path, null, true);
  }

  modified(path: string): void {
    const entry = this.#entries.get(path);
    this.#put(path, entry ? entry.serverPath : path, true);
  }

  deleted(path: string): void {
    const entry = this.#entries.get(path);
    this.#entries.delete(path);
    const serverPath = entry ? entry.serverPath : path;
    if (serverPath !== null) this.#deleted.set(serverPath, this.#now());
  }

  renamed(from: string, to: string): void {
    const moved = this.#entries.get(from);
    const present = this.#entries.get(to);
    // The app reports a folder's rename for the folder and for each note in it.
    if (!moved && present?.serverPath === from) return;
    if (present) this.deleted(to);
    this.#entries.delete(from);
    const serverPath = moved ? moved.serverPath : from;
    const isModified = moved?.isModified ?? false;
    if (serverPath !== to || isModified) this.#put(to, serverPath, isModified);
  }

  /** Milliseconds until something should be sent; null where there is nothing. */
  due(): number | null {
    if (this.#log.length > 0) return 0;
    const now = this.#now();
    let soonest = Infinity;
    for (const at of this.#deleted.values()) soonest = Math.min(soonest, at + MOVE_PAUSE_MS);
    for (const [path, entry] of this.#entries) soonest = Math.min(soonest, dueAt(path, entry));
    return soonest === Infinity ? null : Math.max(0, soonest - now);
  }

  /** Takes out at most `limit` changes that are due, in an order that the server can apply. */
  take(limit: number): readonly Change[] {
    if (this.#log.length === 0 && this.due() === 0) this.#log = this.#fold();
    return this.#log.splice(0, limit);
  }

  /** Puts back what was taken and not acknowledged. */
  restore(changes: readonly Change[]): void {
    this.#log.unshift(...changes);
  }

  clear(): void {
    this.#log = [];
    this.#entries.clear();
    this.#deleted.clear();
  }

  #put(path: string, serverPath: string | null, isModified: boolean): void {
    const lastAt = this.#now();
    const firstAt = this.#entries.get(path)?.firstAt ?? lastAt;
    this.#entries.set(path, { serverPath, isModified, firstAt, lastAt });
  }

  /** Deletions, then renames, then contents. Notes that are still being edited stay queued. */
  #fold(): Change[] {
    const dueBefore = this.#now() + MOVE_PAUSE_MS; // edits that are nearly due go with this batch
    const deletions = [...this.#deleted.keys()].map((path): Change => ({ kind: "delete", path }));
    const contents: Change[] = [];
    const moves = new Map<string, string>(); // serverPath → path
    for (const [path, entry] of [...this.#entries]) {
      this.#entries.delete(path);
      if (entry.serverPath !== null && entry.serverPath !== path) moves.set(entry.serverPath, path);
      if (!entry.isModified) continue;
      if (entry.serverPath === null) contents.push({ kind: "create", path });
      else if (editDueAt(entry) <= dueBefore) contents.push({ kind: "modify", path });
      else this.#entries.set(path, { ...entry, serverPath: path });
    }
    this.#deleted.clear();
    return [...deletions, ...orderedRenames(moves), ...contents];
  }
}

function editDueAt(entry: Entry): number {
  return Math.min(entry.lastAt + EDIT_PAUSE_MS, entry.firstAt + MAX_WAIT_MS);
}

function dueAt(path: string, entry: Entry): number {
  return entry.serverPath === path ? editDueAt(entry) : entry.lastAt + MOVE_PAUSE_MS;
}

/** Orders renames so that each target path is free; cycles become modifications of both paths. */
function orderedRenames(moves: Map<string, string>): Change[] {
  const ordered: Change[] = [];
  let isStuck = false;
  while (moves.size > 0 && !isStuck) {
    isStuck = true;
    for (const [serverPath, path] of [...moves]) {
      if (moves.has(path)) continue;
      ordered.push({ kind: "rename", path, old_path: serverPath });
      moves.delete(serverPath);
      isStuck = false;
    }
  }
  // A cycle (a→b, b→a) has no valid order, so each path is sent as having new content.
  for (const path of moves.values()) ordered.push({ kind: "modify", path });
  return ordered;
}
