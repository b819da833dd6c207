/**
 * Search while typing: what the plugin's own word index finds almost at once, and the server's ranking
 * as soon as typing pauses, which keeps the notes that have the beginning of what is typed. Without a server
 * the word index is the whole answer. Requests are numbered, and replies to earlier ones are dropped.
 */

import type { Client } from "../client";
import type { Session } from "../connection";
import type { SearchReply } from "../contract";
import { Timer } from "../support";
import { hasAllWords, withTyped } from "./ranking";

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
const NOTHING_AFTER_MS = 800; // that nothing matches is said when typing rests, and not between two keys

export class LiveSearch<Query> {
  #number = 0;
  #isPending = false;
  /** Whether the query that is answered is being typed. */
  isTyping = false;
  /** What the word index found for the query that is being typed. */
  #typed: readonly [query: Query, reply: SearchReply] | null = null;
  readonly #first = new Timer();
  readonly #ranked = new Timer();
  readonly #rested = new Timer();
  readonly #parts: LiveSearchParts<Query>;

  constructor(parts: LiveSearchParts<Query>) {
    this.#parts = parts;
  }

  /** Searches when typing pauses. */
  type(query: Query): void {
    const isCurrent = this.#prepare(true);
    this.#first.set(LOCAL_AFTER_MS, () => this.#answer(query, true, isCurrent));
    if (this.#parts.session()) this.#ranked.set(RANKED_AFTER_MS, () => this.#ask(query, true, isCurrent));
  }

  /** Searches at once. */
  now(query: Query): void {
    const isCurrent = this.#prepare(false);
    void this.#answer(query, false, isCurrent);
    void this.#ask(query, false, isCurrent);
  }

  /** Searches again for what is shown: the server's results are not replaced by words meanwhile. */
  again(query: Query, isTyping = this.isTyping): void {
    const isCurrent = this.#prepare(isTyping);
    void (this.#parts.session() ? this.#ask(query, false, isCurrent) : this.#answer(query, isTyping, isCurrent));
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

  #prepare(isTyping: boolean): () => boolean {
    this.cancel();
    this.isTyping = isTyping;
    this.#busy(true);
    const number = this.#number;
    return () => number === this.#number;
  }

  /** The word index's answer: the first look while the server thinks, or all there is. */
  async #answer(query: Query, isTyping: boolean, isCurrent: () => boolean): Promise<void> {
    const { local, session, show } = this.#parts;
    const reply = await local(query, isTyping);
    if (!isCurrent()) return;
    if (reply && isTyping) this.#typed = [query, reply];
    const isFinal = !session();
    if (isFinal) this.cancel();
    // Nothing is no better than what is shown until the server answers, and corrections are no better than its.
    if (reply && (isFinal || (isTyping ? reply.results.some(hasAllWords) : reply.results.length > 0))) show(reply, isFinal);
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
      const [typed, words] = this.#typed ?? [];
      const whole = words && typed === query && (this.isTyping || reply.corrected) ? withTyped(reply, words) : reply;
      const finish = (): void => {
        this.cancel();
        show(whole, true);
        if (reply.approximate) this.#rest(query);
      };
      if (isTyping && whole.results.every(({ match }) => match === "weak")) this.#ranked.set(NOTHING_AFTER_MS, finish);
      else finish();
    } catch (error) {
      if (!isCurrent()) return;
      this.cancel();
      fail(error);
    }
  }
}
