/** Listens to the server's events about the selected vault while a panel is shown. */

import { followEvents } from "../../app/eventStream";
import type { ViewContext } from "../../app/viewContext";
import { Timer } from "../../../src/support";

interface LiveHandlers {
  readonly progress: (data: Readonly<Record<string, unknown>>) => void;
  /** Called after other changes, once for a burst of events. */
  readonly changed: () => void;
}

const BURST_MS = 400;
const CHANGES: ReadonlySet<string> = new Set(["generation", "ledger", "state"]);

export class Live {
  readonly #context: ViewContext;
  readonly #handlers: LiveHandlers;
  readonly #later = new Timer();
  #stream: AbortController | null = null;
  #vault = "";

  constructor(context: ViewContext, handlers: LiveHandlers) {
    this.#context = context;
    this.#handlers = handlers;
  }

  follow(): void {
    const id = this.#context.vault?.id ?? "";
    if (!this.#context.has("events") || (this.#stream && id === this.#vault)) return;
    this.stop();
    this.#vault = id;
    const stream = new AbortController();
    void followEvents(`/api/events?vault=${encodeURIComponent(id)}`, stream.signal, ({ event, data }) => {
      if (event === "progress") this.#progress(data);
      else if (CHANGES.has(event)) this.#later.set(BURST_MS, this.#handlers.changed);
    });
    this.#stream = stream;
  }

  stop(): void {
    this.#stream?.abort();
    this.#stream = null;
    this.#later.clear();
  }

  #progress(text: string): void {
    const data: unknown = JSON.parse(text);
    if (typeof data === "object" && data !== null) this.#handlers.progress(data as Record<string, unknown>);
  }
}
