/**
 * A search that follows typing: keyword answers at once, the better ranking as soon as the typing
 * rests. Questions are numbered; an answer to an earlier one is dropped.
 */

import type { Client } from "../client";
import type { Session } from "../connection";
import type { SearchReply } from "../contract";
import { Timer } from "../support";

export type Mode = "keyword" | "hybrid";

export interface LiveSearchParts<Question> {
  readonly session: () => Session | null;
  /** `isTyped`: the question may not be complete. */
  readonly request: (
    client: Client,
    question: Question,
    mode: Mode,
    isTyped: boolean,
  ) => Promise<SearchReply>;
  /** False where the server has no model to rank with: one request is enough then. */
  readonly ranksByMeaning: () => boolean;
  /** `isFinal` is false for keyword answers that better ones will follow. */
  readonly show: (reply: SearchReply, isFinal: boolean) => void;
  readonly fail: (error: unknown) => void;
  readonly busy: (isBusy: boolean) => void;
}

const KEYWORDS_AFTER_MS = 80;
const RANKED_AFTER_MS = 220;

export class LiveSearch<Question> {
  #number = 0;
  #isAsking = false;
  readonly #keywords = new Timer();
  readonly #ranked = new Timer();
  readonly #parts: LiveSearchParts<Question>;

  constructor(parts: LiveSearchParts<Question>) {
    this.#parts = parts;
  }

  /** A key was pressed: ask when the typing rests a little. */
  type(question: Question): void {
    const ask = this.#prepare(question, true);
    if (this.#parts.ranksByMeaning()) this.#keywords.set(KEYWORDS_AFTER_MS, () => ask("keyword"));
    this.#ranked.set(RANKED_AFTER_MS, () => ask("hybrid"));
  }

  /** Ask without waiting. */
  now(question: Question): void {
    void this.#prepare(question, false)("hybrid");
  }

  /** Gives up what was asked; nothing of it will be shown. */
  cancel(): void {
    this.#number += 1;
    this.#keywords.clear();
    this.#ranked.clear();
    this.#busy(false);
  }

  /** Whether an answer is still to come: what asks only for news should not take its place. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  #busy(isBusy: boolean): void {
    this.#isAsking = isBusy;
    this.#parts.busy(isBusy);
  }

  #prepare(question: Question, isTyped: boolean): (mode: Mode) => Promise<void> {
    this.cancel();
    this.#busy(true);
    const mine = this.#number;
    return (mode) => this.#ask(question, mode, isTyped, () => mine === this.#number);
  }

  async #ask(
    question: Question,
    mode: Mode,
    isTyped: boolean,
    isWanted: () => boolean,
  ): Promise<void> {
    const { session, request, show, fail } = this.#parts;
    const found = session();
    if (!found) {
      this.#busy(false);
      return; // the state of the connection is shown instead
    }
    const isFinal = mode === "hybrid";
    try {
      const reply = await request(found.client, question, mode, isTyped);
      if (!isWanted()) return;
      if (isFinal) this.cancel();
      show(reply, isFinal);
    } catch (error) {
      if (!isWanted() || !isFinal) return; // the better question is on its way
      this.cancel();
      fail(error);
    }
  }
}
