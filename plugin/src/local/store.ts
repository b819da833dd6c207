/** Keeps the segments of the index in IndexedDB. Whatever fails there, the index goes on in memory. */

import { opened, type Segment, type StoredSegment } from "./segment";
import { t } from "../texts";

export interface Kept {
  readonly key: number;
  readonly segment: Segment;
}

/** Where segments are kept; replaced in tests. */
export interface SegmentStore {
  /** Why nothing is kept; empty while all is well. */
  readonly problem: string;
  /** Calls `take` for each segment that can be read; damaged ones are deleted. */
  load(take: (kept: Kept) => Promise<void>): Promise<void>;
  put(key: number, segment: StoredSegment): Promise<void>;
  delete(keys: readonly number[]): Promise<void>;
  clear(): Promise<void>;
  close(): void;
}

const STORE = "segments";

export class IndexedDbStore implements SegmentStore {
  problem = "";
  #database: Promise<IDBDatabase | null> | null = null;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async load(take: (kept: Kept) => Promise<void>): Promise<void> {
    const keys = (await this.#ask<IDBValidKey[]>("readonly", (store) => store.getAllKeys())) ?? [];
    for (const key of keys) {
      if (typeof key !== "number") continue;
      const segment = opened(await this.#ask<unknown>("readonly", (store) => store.get(key)));
      if (segment) await take({ key, segment });
      else await this.delete([key]);
    }
  }

  async put(key: number, segment: StoredSegment): Promise<void> {
    await this.#ask("readwrite", (store) => store.put(segment, key));
  }

  async delete(keys: readonly number[]): Promise<void> {
    for (const key of keys) await this.#ask("readwrite", (store) => store.delete(key));
  }

  async clear(): Promise<void> {
    await this.#ask("readwrite", (store) => store.clear());
  }

  close(): void {
    void this.#database?.then((database) => database?.close());
  }

  /** The result of one request; undefined where it fails, which `problem` then says. */
  async #ask<T>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest): Promise<T | undefined> {
    try {
      const database = await (this.#database ??= this.#open());
      if (!database) return undefined;
      const transaction = database.transaction(STORE, mode);
      const result = request(transaction.objectStore(STORE));
      await new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onerror = transaction.onabort = (): void => reject(transaction.error ?? new Error("aborted"));
      });
      return result.result as T;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  async #open(): Promise<IDBDatabase | null> {
    try {
      return await new Promise((resolve, reject) => {
        const opening = window.indexedDB.open(this.#name, 1);
        opening.onupgradeneeded = (): void => void opening.result.createObjectStore(STORE);
        opening.onsuccess = (): void => resolve(opening.result);
        opening.onerror = opening.onblocked = (): void => reject(opening.error ?? new Error("blocked"));
      });
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  #fail(error: unknown): void {
    const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
    const why = isFull ? t("there is no room left") : error instanceof Error ? error.message : String(error);
    this.problem = t("The word index could not be saved ({why}). It is built again at the next start.", { why });
  }
}
