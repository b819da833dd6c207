/** A vault and a store of the word index, in memory. */

import type { Facts } from "../../plugin/src/local/facts";
import { LocalIndex } from "../../plugin/src/local/localIndex";
import type { LocalVault } from "../../plugin/src/local/reader";
import { opened, type StoredSegment } from "../../plugin/src/local/segment";
import { parseNote } from "../host/parseNote";
import type { Kept, SegmentStore } from "../../plugin/src/local/store";

export interface Note extends Partial<Omit<Facts, "path">> {
  readonly text: string;
  readonly mtime?: number;
}

/** As the app's metadata cache has them. */
function headingsOf(text: string): Facts["headings"] {
  return (parseNote(text).headings ?? []).map(({ heading, level, position }) => ({ text: heading, level, line: position.start.line }));
}

/** A vault in memory, which counts what is read of it. */
export class MemoryVault implements LocalVault {
  readonly read_: string[] = [];
  constructor(readonly notes: Record<string, Note>) {}

  stamps() {
    return Object.keys(this.notes).flatMap((path) => this.stamp(path) ?? []);
  }

  stamp(path: string) {
    const note = this.notes[path];
    return note ? { path, mtime: note.mtime ?? 1_000, size: note.text.length } : null;
  }

  facts(path: string): Facts | null {
    const note = this.notes[path];
    const title = path.replace(/^.*\/|\.md$/g, "");
    const known = { path, title, aliases: [], tags: [], properties: {}, created: 0 };
    return note ? { ...known, headings: headingsOf(note.text), modified: note.mtime ?? 1_000, ...note } : null;
  }

  async read(path: string) {
    this.read_.push(path);
    const note = this.notes[path];
    if (!note) throw new Error("It is gone.");
    return note.text;
  }
}

/** Keeps what IndexedDB would: copies, and only of what can be copied. */
export class MemoryStore implements SegmentStore {
  problem = "";
  readonly kept = new Map<number, unknown>();
  async load(take: (kept: Kept) => Promise<void>) {
    for (const [key, value] of [...this.kept]) {
      const segment = opened(structuredClone(value));
      if (segment) await take({ key, segment });
      else this.kept.delete(key);
    }
  }
  async put(key: number, segment: StoredSegment) {
    this.kept.set(key, structuredClone(segment));
  }
  async delete(keys: readonly number[]) {
    for (const key of keys) this.kept.delete(key);
  }
  async clear() {
    this.kept.clear();
  }
  close() {}
}

/** A word index of `notes`, which has not begun. */
export function memoryIndex(notes: Record<string, Note>): LocalIndex {
  return new LocalIndex({ vault: new MemoryVault(notes), store: new MemoryStore(), limit: 1e6, links: () => ({}) });
}
