/**
 * What changed in the vault since the server last heard of it, folded to as little as says it all:
 * a rename chain a→b→c is one rename, a note made and deleted is nothing, many edits are one.
 *
 * Two parts, in the order in which the server gets them: a log of changes that were taken out for
 * sending and not acknowledged, and the folded changes after it. It lives in memory: what is lost
 * with it is found again by comparing the vault with the server's manifest at the next connect.
 */

import type { Change } from "./contract";

interface Entry {
  /** The path under which the server knows the note; null where it knows of none. */
  readonly known: string | null;
  readonly isModified: boolean;
  readonly firstAt: number;
  readonly lastAt: number;
}

const SETTLED_MS = 500; // after making, moving or deleting: a folder's notes come one by one
const RESTED_MS = 2_000; // after an edit: while somebody types, the app saves every two seconds
const LONGEST_MS = 30_000; // and no edit waits longer than this

export class ChangeQueue {
  #log: Change[] = [];
  readonly #entries = new Map<string, Entry>(); // by present path
  readonly #deleted = new Map<string, number>(); // by the path the server knows → when
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#log.length + this.#entries.size + this.#deleted.size;
  }

  /** The paths concerned, for the diagnostics view. */
  paths(): readonly string[] {
    const logged = this.#log.map((change) => change.path);
    return [...new Set([...logged, ...this.#deleted.keys(), ...this.#entries.keys()])];
  }

  created(path: string): void {
    // Deleted and made again: the server's note has another content, that is all.
    if (this.#deleted.delete(path)) this.#put(path, path, true);
    else if (!this.#entries.has(path)) this.#put(path, null, true);
  }

  modified(path: string): void {
    const entry = this.#entries.get(path);
    this.#put(path, entry ? entry.known : path, true);
  }

  deleted(path: string): void {
    const entry = this.#entries.get(path);
    this.#entries.delete(path);
    const known = entry ? entry.known : path;
    if (known !== null) this.#deleted.set(known, this.#now());
  }

  renamed(from: string, to: string): void {
    const moved = this.#entries.get(from);
    const present = this.#entries.get(to);
    // A folder's rename is told for the folder and for each note in it.
    if (!moved && present?.known === from) return;
    if (present) this.deleted(to);
    this.#entries.delete(from);
    const known = moved ? moved.known : from;
    const isModified = moved?.isModified ?? false;
    if (known !== to || isModified) this.#put(to, known, isModified);
  }

  /** Milliseconds until something should be sent; null where there is nothing. */
  due(): number | null {
    if (this.#log.length > 0) return 0;
    const now = this.#now();
    let soonest = Infinity;
    for (const at of this.#deleted.values()) soonest = Math.min(soonest, at + SETTLED_MS);
    for (const [path, entry] of this.#entries) soonest = Math.min(soonest, dueAt(path, entry));
    return soonest === Infinity ? null : Math.max(0, soonest - now);
  }

  /** Takes out the changes that are due, at most `limit`, in an order that the server can follow. */
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

  #put(path: string, known: string | null, isModified: boolean): void {
    const lastAt = this.#now();
    const firstAt = this.#entries.get(path)?.firstAt ?? lastAt;
    this.#entries.set(path, { known, isModified, firstAt, lastAt });
  }

  /** Deletions, then moves, then contents. Edits that may go on stay for later. */
  #fold(): Change[] {
    const soon = this.#now() + SETTLED_MS; // what is about to rest goes along
    const deletions = [...this.#deleted.keys()].map((path): Change => ({ kind: "delete", path }));
    const contents: Change[] = [];
    const moves = new Map<string, string>(); // known → path
    for (const [path, entry] of [...this.#entries]) {
      this.#entries.delete(path);
      if (entry.known !== null && entry.known !== path) moves.set(entry.known, path);
      if (!entry.isModified) continue;
      if (entry.known === null) contents.push({ kind: "create", path });
      else if (restedAt(entry) <= soon) contents.push({ kind: "modify", path });
      else this.#entries.set(path, { ...entry, known: path });
    }
    this.#deleted.clear();
    return [...deletions, ...inOrder(moves), ...contents];
  }
}

function restedAt(entry: Entry): number {
  return Math.min(entry.lastAt + RESTED_MS, entry.firstAt + LONGEST_MS);
}

function dueAt(path: string, entry: Entry): number {
  return entry.known === path ? restedAt(entry) : entry.lastAt + SETTLED_MS;
}

/** A note moves to a path only after the one that stood there has left it. */
function inOrder(moves: Map<string, string>): Change[] {
  const ordered: Change[] = [];
  let isStuck = false;
  while (moves.size > 0 && !isStuck) {
    isStuck = true;
    for (const [known, path] of [...moves]) {
      if (moves.has(path)) continue;
      ordered.push({ kind: "rename", path, old_path: known });
      moves.delete(known);
      isStuck = false;
    }
  }
  // Notes that changed places: no order does it, but each of the paths has a new content.
  for (const path of moves.values()) ordered.push({ kind: "modify", path });
  return ordered;
}
