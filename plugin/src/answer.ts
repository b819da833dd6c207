/** Follows one answer of the language model by long-poll: the app's HTTP client cannot read a stream. */

import { askEvent, type AskEvent } from "./askReplies";
import { asServerError, ServerError, type Client } from "./client";
import type { AskEventsReply, AskRequest } from "./contract";
import { ShapeError } from "./shape";
import { delay } from "./support";

type Asker = Pick<Client, "beginAnswer" | "answerEvents" | "stopAnswer">;

/** A connection that breaks off costs nothing: the server keeps the events. A phone's breaks off often. */
const TRIES = 4;
const PAUSE_MS = 1_500;

export class Answer {
  readonly #client: Asker;
  #id = "";
  #isStopped = false;
  #release!: () => void;
  readonly #stopped = new Promise<null>((resolve) => {
    this.#release = (): void => resolve(null);
  });

  constructor(client: Asker) {
    this.#client = client;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Asks, and calls `onEvent` for every event until the answer has ended. Throws ServerError. */
  async follow(question: Omit<AskRequest, "vault" | "stream">, onEvent: (event: AskEvent) => void): Promise<void> {
    this.#id = await this.#client.beginAnswer(question);
    if (this.#isStopped) this.#tellServer();
    for (let after = 0, done = false; !done && !this.#isStopped; ) {
      const reply = await Promise.race([this.#next(after), this.#stopped]);
      if (!reply) return;
      for (const { id, event, data } of reply.events) {
        after = id;
        if (!this.#isStopped) pass(event, data, onEvent);
      }
      ({ done } = reply);
    }
  }

  /** Stops the model as well; nothing comes any more. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#release();
    if (this.#id) this.#tellServer();
  }

  /** The server also stops an answer that nobody asks for, so a lost request does no harm. */
  #tellServer(): void {
    void this.#client.stopAnswer(this.#id).catch(asServerError);
  }

  async #next(after: number): Promise<AskEventsReply> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#client.answerEvents(this.#id, after);
      } catch (error) {
        const { kind } = asServerError(error);
        const mayPass = kind === "unreachable" || kind === "timeout";
        if (!mayPass || tries === TRIES || this.#isStopped) throw error;
        await delay(PAUSE_MS);
      }
    }
  }
}

function pass(kind: string, data: unknown, onEvent: (event: AskEvent) => void): void {
  let event: AskEvent | null;
  try {
    event = askEvent(kind, data);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ServerError("garbage", `An event of the answer is not valid: ${error.message}.`);
  }
  if (event) onEvent(event);
}
