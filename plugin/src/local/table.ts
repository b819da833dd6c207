/** A part of the index that grows: postings in a map, until they are encoded as a segment. */

import type { Postings, Stamp } from "./segment";

export class Table implements Postings {
  readonly stamps: Stamp[] = [];
  readonly lengths: number[] = [];
  /** For each word pairs of a note and a frequency. */
  readonly postings = new Map<string, number[]>();
  /** Characters of text that were added. */
  size = 0;

  add(stamp: Stamp, counts: ReadonlyMap<string, number>, characters: number): number {
    const note = this.stamps.length;
    let length = 0;
    for (const [word, frequency] of counts) {
      const pairs = this.postings.get(word);
      if (pairs) pairs.push(note, frequency);
      else this.postings.set(word, [note, frequency]);
      length += frequency;
    }
    this.stamps.push(stamp);
    this.lengths.push(length);
    this.size += characters;
    return note;
  }

  visit(word: string, each: (note: number, frequency: number) => void): void {
    const pairs = this.postings.get(word) ?? [];
    for (let at = 0; at < pairs.length; at += 2) each(pairs[at] ?? 0, pairs[at + 1] ?? 0);
  }

  withPrefix(prefix: string): readonly string[] {
    return [...this.postings.keys()].filter((word) => word.startsWith(prefix));
  }

  allWords(): Iterable<string> {
    return this.postings.keys();
  }
}
