/**
 * Search while typing: keyword results almost at once, hybrid results as soon as typing pauses.
 * Requests are numbered, and replies to earlier ones are dropped.
 */

import type { Client } from "../client";
import type { Session } from "../connection";
import type { SearchReply } from "../contract";
import { Timer } from "../support";

export type Mode = "keyword" | "hybrid";

export interface LiveSearchParts<Query> {
  readonly session: () => Session | null;
  /** `isTyping`: the last word of the query may be unfinished. */
  readonly request: (
    client: Client,
    query: Query,
    mode: Mode,
    isTyping: boolean,
  ) => Promise<SearchReply>;
  /** False where the server has no model: then one request is enough. */
  readonly ranksByMeaning: () => boolean;
  /** `isFinal` is false for keyword results that hybrid results will replace. */
  readonly show: (reply: SearchReply, isFinal: boolean) => void;
  readonly fail: (error: unknown) => void;
  readonly busy: (isBusy: boolean) => void;
}

const KEYWORDS_AFTER_MS = 80;
const RANKED_AFTER_MS = 220;

export class LiveSearch<Query> {
  #number = 0;
  #isPending = false;
  readonly #keywords = new Timer();
  readonly #ranked = new Timer();
  readonly #parts: LiveSearchParts<Query>;

  constructor(parts: LiveSearchParts<Query>) {
    this.#parts = parts;
  }

  /** Searches when typing pauses. */
  type(query: Query): void {
    const send = this.#prepare(query, true);
    if (this.#parts.ranksByMeaning()) this.#keywords.set(KEYWORDS_AFTER_MS, () => send("keyword"));
    this.#ranked.set(RANKED_AFTER_MS, () => send("hybrid"));
  }

  /** Searches at once. */
  now(query: Query): void {
    void this.#prepare(query, false)("hybrid");
  }

  /** Drops the pending requests: their results will not be shown. */
  cancel(): void {
    this.#number += 1;
    this.#keywords.clear();
    this.#ranked.clear();
    this.#busy(false);
  }

  /** Whether a reply is still to come; a refresh should not replace that request. */
  get isPending(): boolean {
    return this.#isPending;
  }

  #busy(isBusy: boolean): void {
    this.#isPending = isBusy;
    this.#parts.busy(isBusy);
  }

  #prepare(query: Query, isTyping: boolean): (mode: Mode) => Promise<void> {
    this.cancel();
    this.#busy(true);
    const number = this.#number;
    return (mode) => this.#request(query, mode, isTyping, () => number === this.#number);
  }

  async #request(
    query: Query,
    mode: Mode,
    isTyping: boolean,
    isCurrent: () => boolean,
  ): Promise<void> {
    const { session, request, show, fail } = this.#parts;
    const found = session();
    if (!found) {
      this.#busy(false);
      return; // the state of the connection is shown instead
    }
    const isFinal = mode === "hybrid";
    try {
      const reply = await request(found.client, query, mode, isTyping);
      if (!isCurrent()) return;
      if (isFinal) this.cancel();
      show(reply, isFinal);
    } catch (error) {
      if (!isCurrent() || !isFinal) return; // the hybrid request is still pending
      this.cancel();
      fail(error);
    }
  }
}
