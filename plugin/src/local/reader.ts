/**
 * Fills the word index: names, headings, tags and properties of all notes at once, then their text in
 * idle moments, newest notes first, within a limit. What is read is kept, so that the next start reads
 * only what changed.
 */

import { Broadcast, Timer } from "../support";
import type { Facts } from "./facts";
import { valuesOf } from "./facts";
import { Idle } from "./idle";
import type { Stamp } from "./segment";
import type { SegmentStore } from "./store";
import { WordIndex } from "./wordIndex";
import { words } from "./words";

/** The notes of a vault; replaced in tests. */
export interface LocalVault {
  /** The notes that may be searched; excluded ones are not among them. */
  stamps(): readonly Stamp[];
  stamp(path: string): Stamp | null;
  /** What is known without reading; null where the note is gone. */
  facts(path: string): Facts | null;
  read(path: string): Promise<string>;
}

export interface ReaderParts {
  readonly vault: LocalVault;
  readonly store: SegmentStore;
  /** Characters of text that are indexed at most. */
  readonly limit: number;
}

const SEGMENT_SIZE = 2_000_000; // characters of text in a segment
const LEAST_KEPT = 50_000; // less is read again at the next start
const MAX_NOTE = 1_000_000; // characters read of one note
const STEP = 4_000; // characters analysed in one step of a slice
const SETTLE_MS = 1_000; // a note that is being written is not read at every save
const NAMES_AT_ONCE = 25;
const TELL_EVERY_MS = 1_000;
const WEIGHTS = { title: 8, aliases: 8, tags: 4, headings: 3, properties: 2 } as const;
const MAX_FREQUENCY = 200;

export class Reader extends Broadcast<void> {
  readonly index = new WordIndex();
  /** Notes whose text is beyond the limit. */
  skipped = 0;
  readonly #parts: ReaderParts;
  readonly #idle = new Idle();
  readonly #waiting = new Set<string>();
  readonly #settle = new Timer();
  readonly #tell = new Timer();
  #running: Promise<void> | null = null;
  #isLoaded = false;
  #isEnded = false;
  #size = 0;
  #readsText = true;

  constructor(parts: ReaderParts) {
    super();
    this.#parts = parts;
  }

  get problem(): string {
    return this.#parts.store.problem;
  }

  /** Notes whose text is still to be read. */
  get left(): number {
    return this.#waiting.size;
  }

  /** Characters of text that the index holds. */
  get size(): number {
    return this.#size;
  }

  get isComplete(): boolean {
    return this.#isLoaded && this.left === 0;
  }

  /** Reads what was kept, all names, and then texts. Resolves when everything is read. */
  async begin(): Promise<void> {
    if (this.#readsText) await this.#load();
    else await this.#parts.store.clear();
    if (this.#isEnded) return;
    await this.#readNames();
    this.#isLoaded = true;
    this.#say();
    await this.#work();
  }

  end(): void {
    this.#isEnded = true;
    this.#settle.clear();
    this.#tell.clear();
    this.#parts.store.close();
  }

  /** A note was made, changed or removed. */
  changed(path: string): void {
    if (!this.#isLoaded) return; // the first look at the vault sees it
    if (!this.#parts.vault.stamp(path)) this.#forget(path);
    else this.#waiting.add(path);
    this.#settle.setOnce(SETTLE_MS, () => this.#work());
  }

  /** Whether the text of notes is read and kept; without it they are found by names, headings and tags. */
  async readText(isWanted: boolean): Promise<void> {
    if (isWanted === this.#readsText) return;
    this.#readsText = isWanted;
    if (this.#isLoaded) await this.rebuild();
  }

  /** Forgets everything and reads it anew. */
  async rebuild(): Promise<void> {
    await this.#parts.store.clear();
    for (const path of [...this.index.paths()]) this.#forget(path);
    for (const { path } of this.#newestFirst()) this.#waiting.add(path);
    this.#say();
    await this.#work();
  }

  #forget(path: string): void {
    this.#size -= this.index.textStamp(path)?.size ?? 0;
    this.#waiting.delete(path);
    this.index.remove(path);
  }

  async #load(): Promise<void> {
    const { vault, store } = this.#parts;
    await store.load(async ({ key, segment }) => {
      await this.#idle.pause();
      this.index.load(segment, key, (stamp) => isSame(stamp, vault.stamp(stamp.path)));
    });
    await this.#dropWorn();
  }

  /** Drops segments that hold little that is still true. Whether notes of them are to be read again. */
  async #dropWorn(): Promise<boolean> {
    const { keys, paths } = this.index.dropWorn();
    for (const path of paths) this.#waiting.add(path);
    await this.#parts.store.delete(keys);
    return paths.length > 0;
  }

  #newestFirst(): Stamp[] {
    return [...this.#parts.vault.stamps()].sort((one, other) => other.mtime - one.mtime);
  }

  async #readNames(): Promise<void> {
    let count = 0;
    for (const stamp of this.#newestFirst()) {
      if (this.#isEnded) return;
      const known = this.index.textStamp(stamp.path);
      if (known) {
        this.#size += known.size;
        continue;
      }
      this.#addNames(stamp);
      this.#waiting.add(stamp.path);
      if (++count % NAMES_AT_ONCE === 0) await this.#idle.pause();
    }
  }

  #addNames(stamp: Stamp): void {
    const facts = this.#parts.vault.facts(stamp.path);
    if (facts) this.index.add(stamp, countsOf(facts), 0, false);
  }

  /** Reads the notes that wait. One run at a time; what comes in the meantime is read by the same. */
  #work(): Promise<void> {
    this.#running ??= this.#readAll().finally(() => (this.#running = null));
    return this.#running;
  }

  async #readAll(): Promise<void> {
    this.skipped = 0;
    do await this.#readWaiting();
    while (!this.#isEnded && (await this.#dropWorn()));
    this.#say();
  }

  async #readWaiting(): Promise<void> {
    for (const path of this.#waiting) {
      if (this.#isEnded) return;
      await this.#readNote(path);
      this.#waiting.delete(path);
      this.#tell.setOnce(TELL_EVERY_MS, () => this.#say());
      if (this.index.unsaved >= SEGMENT_SIZE) await this.#keep();
    }
    if (this.index.unsaved >= LEAST_KEPT) await this.#keep();
  }

  async #readNote(path: string): Promise<void> {
    const { vault, limit } = this.#parts;
    const stamp = vault.stamp(path);
    const facts = stamp && vault.facts(path);
    if (!stamp || !facts) {
      this.#forget(path);
      return;
    }
    this.#size -= this.index.textStamp(path)?.size ?? 0;
    if (!this.#readsText || this.#size + stamp.size > limit) {
      if (this.#readsText) this.skipped += 1;
      this.#addNames(stamp);
      return;
    }
    const text = await vault.read(path).catch(() => null); // deleted meanwhile, or not readable
    if (text === null || this.#isEnded) return;
    const counts = countsOf(facts);
    await this.#idle.run(countText(text.slice(0, MAX_NOTE), counts));
    this.index.add(stamp, counts, text.length, true);
    this.#size += stamp.size;
  }

  async #keep(): Promise<void> {
    const made = await this.#idle.run(this.index.freeze());
    if (made && this.#readsText) await this.#parts.store.put(made.key, made.stored);
  }

  #say(): void {
    if (!this.#isEnded) this.notify();
  }
}

function isSame(stamp: Stamp, now: Stamp | null): boolean {
  return now !== null && now.mtime === stamp.mtime && now.size === stamp.size;
}

/** The words of what is known of a note without its text, by weighted frequency. */
function countsOf({ title, aliases, tags, headings, properties }: Facts): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (texts: readonly string[], weight: number): void => {
    for (const text of texts) for (const word of words(text)) addTo(counts, word, weight);
  };
  add([title], WEIGHTS.title);
  add(aliases, WEIGHTS.aliases);
  add(tags, WEIGHTS.tags);
  add(headings.map(({ text }) => text), WEIGHTS.headings);
  add(Object.values(properties).flatMap(valuesOf), WEIGHTS.properties);
  return counts;
}

/** Adds the words of `text` to `counts`, in steps. */
function* countText(text: string, counts: Map<string, number>): Generator<void, void> {
  for (let at = 0; at < text.length; ) {
    // A step ends at a space, so that no word is cut.
    const space = text.slice(at + STEP, at + 2 * STEP).search(/\s/);
    const end = space < 0 ? at + 2 * STEP : at + STEP + space;
    for (const word of words(text.slice(at, end))) addTo(counts, word, 1);
    at = end;
    yield;
  }
}

function addTo(counts: Map<string, number>, word: string, weight: number): void {
  counts.set(word, Math.min(MAX_FREQUENCY, (counts.get(word) ?? 0) + weight));
}
