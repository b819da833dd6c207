/**
 * The phone index while it is in use: read where there is no server and the user wants it, dropped again
 * where a server answers. What cannot be used is told, and words answer instead.
 */

import { Broadcast } from "../support";
import { contentHash } from "./contentHash";
import { Idle } from "./idle";
import { nearnessTo, nearVector, similarTo, type Near, type Nearness } from "./meaning";
import { opened, PHONE_INDEX, type PhoneFile } from "./phoneFile";
import { locale, number, t } from "../texts";

/** The file in the vault; replaced in tests. */
export interface PhoneStore {
  /** Null where there is none. */
  stat(): Promise<{ readonly mtime: number; readonly size: number } | null>;
  read(): Promise<ArrayBuffer>;
  /** Whether the vault has this note. */
  has(path: string): boolean;
}

const LOOK_EVERY_MS = 60_000; // the server replaces the file once an hour at most
const AGAIN_MS = 3_000;
const MEGABYTE = 1_000_000;

export class PhoneIndex extends Broadcast<void> {
  #store: PhoneStore;
  #isWanted = false;
  #mayLack = false;
  #model = "";
  #file: PhoneFile | null = null;
  #seen = "";
  #looked = -Infinity;
  #againMs = AGAIN_MS;
  #reading: Promise<void> | null = null;
  #problem = "";

  constructor(store: PhoneStore) {
    super();
    this.#store = store;
  }

  /** Whether it is read at all. `model`: that of the server's vectors, as far as is known. `mayLack`: without a file there is nothing to tell. */
  use(isWanted: boolean, model: string, mayLack = false): void {
    this.#isWanted = isWanted;
    this.#mayLack = mayLack;
    this.#model = model;
    this.release();
  }

  /** Gives its memory back, until it is asked again. */
  release(): void {
    this.#file = null;
    this.#seen = "";
    this.#looked = -Infinity;
    this.#againMs = AGAIN_MS;
    this.#problem = "";
    this.notify();
  }

  /** The file, read anew where it was replaced; null where there is none to be used. */
  async get(): Promise<PhoneFile | null> {
    if (!this.#isWanted) return null;
    if (performance.now() - this.#looked >= LOOK_EVERY_MS) await (this.#reading ??= this.#look().finally(() => (this.#reading = null)));
    return this.#file;
  }

  /** What there is, for people. */
  get text(): string {
    if (!this.#isWanted) return t("Not loaded.");
    if (this.#problem) return this.#problem;
    if (!this.#file) return t("Read when it is needed, where no server answers.");
    const { bytes, notes } = this.#file;
    return t("{size} MB in memory, {notes} notes, {file}.", { size: number(bytes / MEGABYTE, 1), notes: notes.count, file: dateOf(this.#file) });
  }

  /** Why words answer although the file is wanted; empty while it is used. */
  get problem(): string {
    return this.#isWanted ? this.#problem : "";
  }

  /** The notes near a note, if `text` is what its vectors were made of; else null. */
  async similar(file: PhoneFile, path: string, text: string): Promise<Near[] | null> {
    const note = file.find(path);
    return note >= 0 && isCurrent(file, note, text) ? new Idle().run(similarTo(file, note)) : null;
  }

  /** The notes near a text, by its vector of the query table; null where the table does not know it. */
  async near(file: PhoneFile, text: string): Promise<Near[] | null> {
    const known = file.table?.vector(text);
    return known ? new Idle().run(nearVector(file, known.vector)) : null;
  }

  /** How near all notes are to a query; null where the table does not know it. */
  async nearness(file: PhoneFile, query: string): Promise<Nearness | null> {
    const known = file.table?.vector(query);
    return known ? new Idle().run(nearnessTo(file, known.vector)) : null;
  }

  #whenMissing(): string {
    return this.#mayLack ? "" : t("The vault has no phone index ({phoneIndex}). It is switched on in the settings on the computer.", { phoneIndex: PHONE_INDEX });
  }

  async #look(): Promise<void> {
    const isWanted = this.#isWanted;
    try {
      const stat = await this.#store.stat();
      const seen = stat ? `${stat.mtime} ${stat.size}` : "";
      this.#looked = performance.now();
      if (seen && seen === this.#seen) return;
      this.#seen = seen;
      this.#file = null;
      this.#problem = "";
      if (!stat) {
        this.#problem = this.#whenMissing();
        return;
      }
      const file = await new Idle().run(opened(await this.#store.read()));
      if (this.#model && file.model !== this.#model) throw new Error(t("it is of another model ({model}) than the server's ({model2})", { model: file.model, model2: this.#model }));
      if (!isOfVault(file, (path) => this.#store.has(path))) {
        this.#seen = "";
        this.#looked -= LOOK_EVERY_MS - this.#againMs; // the notes may come later than the file
        this.#againMs = Math.min(2 * this.#againMs, LOOK_EVERY_MS);
        throw new Error(t("most of its notes are not in this vault"));
      }
      if (isWanted && this.#isWanted) this.#file = file;
    } catch (error) {
      this.#problem = t("The phone index is not used: {error}.", { error: error instanceof Error ? error.message : String(error) });
    } finally {
      this.notify();
    }
  }
}

/** "the phone index of 22 Nov" in the words of this place. */
export function dateOf({ made }: PhoneFile): string {
  return t("the phone index of {day}", { day: new Date(made).toLocaleDateString(locale(), { day: "numeric", month: "short" }) });
}

/** Whether at least half of the file's notes are in the vault: else it is another's, or too old. */
function isOfVault(file: PhoneFile, has: (path: string) => boolean): boolean {
  const { count } = file.notes;
  let found = 0;
  for (let note = 0; note < count; note += 1) if (has(file.pathOf(note))) found += 1;
  return 2 * found >= count;
}

/** Whether the vectors of a note were made of this text. */
export function isCurrent(file: PhoneFile, note: number, text: string): boolean {
  // The app may leave out the mark with which a file may begin.
  return [text, `\ufeff${text}`].some((each) => file.hasHash(note, contentHash(new TextEncoder().encode(each))));
}
