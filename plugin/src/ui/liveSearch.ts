/**
 * A search that follows typing: keyword answers at once, the better ranking as soon as the typing
 * rests. Questions are numbered; an answer to an earlier one is dropped.
 */

import type { SearchReply } from "../contract";
import type { Session } from "../connection";
import { Timer } from "../timer";

export interface LiveSearchParts {
  readonly session: () => Session | null;
  readonly limit: () => number;
  /** False where the server has no model to rank with: one question is enough then. */
  readonly ranksByMeaning: () => boolean;
  /** `isFinal` is false for keyword answers that better ones will follow. */
  readonly show: (reply: SearchReply, isFinal: boolean) => void;
  readonly fail: (error: unknown) => void;
  readonly busy: (isBusy: boolean) => void;
}

const KEYWORDS_AFTER_MS = 80;
const RANKED_AFTER_MS = 220;

export class LiveSearch {
  #question = 0;
  readonly #keywords = new Timer();
  readonly #ranked = new Timer();

  readonly #parts: LiveSearchParts;

  constructor(parts: LiveSearchParts) {
    this.#parts = parts;
  }

  /** A key was pressed: ask when the typing rests a little. */
  type(query: string): void {
    this.cancel();
    if (!query.trim()) return;
    this.#parts.busy(true);
    const question = this.#question;
    if (this.#parts.ranksByMeaning()) {
      this.#keywords.set(KEYWORDS_AFTER_MS, () => this.#ask(query, question, "keyword"));
    }
    this.#ranked.set(RANKED_AFTER_MS, () => this.#ask(query, question, "hybrid"));
  }

  /** Ask without waiting. */
  now(query: string): Promise<void> {
    this.cancel();
    if (!query.trim()) return Promise.resolve();
    this.#parts.busy(true);
    return this.#ask(query, this.#question, "hybrid");
  }

  /** Gives up what was asked; nothing of it will be shown. */
  cancel(): void {
    this.#question += 1;
    this.#keywords.clear();
    this.#ranked.clear();
    this.#parts.busy(false);
  }

  async #ask(query: string, question: number, mode: "keyword" | "hybrid"): Promise<void> {
    const session = this.#parts.session();
    if (!session) {
      this.#parts.busy(false);
      return; // the state of the connection is shown instead
    }
    const isFinal = mode === "hybrid";
    try {
      const reply = await session.client.search(query, { limit: this.#parts.limit(), mode });
      if (question !== this.#question) return;
      if (isFinal) this.cancel();
      this.#parts.show(reply, isFinal);
    } catch (error) {
      if (question !== this.#question || !isFinal) return; // the better question is on its way
      this.cancel();
      this.#parts.fail(error);
    }
  }
}
