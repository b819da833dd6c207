/**
 * Search while typing: what the plugin's own word index finds almost at once, and the server's ranking
 * as soon as typing pauses. Without a server the word index is the whole answer. Requests are numbered,
 * and replies to earlier ones are dropped.
 */

import type { Client } from "../client";
import type { Session } from "../connection";
import type { SearchReply } from "../contract";
import { Timer } from "../support";

export interface LiveSearchParts<Query> {
  readonly session: () => Session | null;
  /** `isTyping`: the last word of the query may be unfinished. */
  readonly request: (client: Client, query: Query, isTyping: boolean) => Promise<SearchReply>;
  /** Answers by words, without a server; null where only the server can answer. */
  readonly local: (query: Query, isTyping: boolean) => Promise<SearchReply> | null;
  /** `isFinal` is false for results that the server's will replace. */
  readonly show: (reply: SearchReply, isFinal: boolean) => void;
  readonly fail: (error: unknown) => void;
  readonly busy: (isBusy: boolean) => void;
}

const LOCAL_AFTER_MS = 50;
const RANKED_AFTER_MS = 220;
const RESTED_AFTER_MS = 500; // after a reply whose meaning is approximate, as it is while somebody types

export class LiveSearch<Query> {
  #number = 0;
  #isPending = false;
  readonly #first = new Timer();
  readonly #ranked = new Timer();
  readonly #rested = new Timer();
  readonly #parts: LiveSearchParts<Query>;

  constructor(parts: LiveSearchParts<Query>) {
    this.#parts = parts;
  }

  /** Searches when typing pauses. */
  type(query: Query): void {
    const isCurrent = this.#prepare();
    this.#first.set(LOCAL_AFTER_MS, () => this.#answer(query, true, isCurrent));
    if (this.#parts.session()) this.#ranked.set(RANKED_AFTER_MS, () => this.#ask(query, true, isCurrent));
  }

  /** Searches at once. */
  now(query: Query): void {
    const isCurrent = this.#prepare();
    void this.#answer(query, false, isCurrent);
    void this.#ask(query, false, isCurrent);
  }

  /** Searches again for what is shown: the server's results are not replaced by words meanwhile. */
  again(query: Query): void {
    const isCurrent = this.#prepare();
    void (this.#parts.session() ? this.#ask(query, false, isCurrent) : this.#answer(query, false, isCurrent));
  }

  /** Drops the pending requests: their results will not be shown. */
  cancel(): void {
    this.#number += 1;
    this.#first.clear();
    this.#ranked.clear();
    this.#rested.clear();
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

  #prepare(): () => boolean {
    this.cancel();
    this.#busy(true);
    const number = this.#number;
    return () => number === this.#number;
  }

  /** The word index's answer: the first look while the server thinks, or all there is. */
  async #answer(query: Query, isTyping: boolean, isCurrent: () => boolean): Promise<void> {
    const { local, session, show } = this.#parts;
    const reply = await local(query, isTyping);
    if (!isCurrent()) return;
    const isFinal = !session();
    if (isFinal) this.cancel();
    // Nothing is no better than what is shown until the server answers.
    if (reply && (isFinal || reply.results.length > 0)) show(reply, isFinal);
  }

  /** Once typing rests, the model's answer replaces that of its table. */
  #rest(query: Query): void {
    const number = this.#number;
    this.#rested.set(RESTED_AFTER_MS, () => this.#ask(query, false, () => number === this.#number));
  }

  async #ask(query: Query, isTyping: boolean, isCurrent: () => boolean): Promise<void> {
    const { session, request, show, fail } = this.#parts;
    const found = session();
    if (!found) return; // the word index answers, and the state of the connection is shown
    try {
      const reply = await request(found.client, query, isTyping);
      if (!isCurrent()) return;
      this.cancel();
      show(reply, true);
      if (reply.approximate) this.#rest(query);
    } catch (error) {
      if (!isCurrent()) return;
      this.cancel();
      fail(error);
    }
  }
}
