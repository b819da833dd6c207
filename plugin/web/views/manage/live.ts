/** Listens to the server's events about the selected vault while a panel is shown. */

import type { ViewContext } from "../../app/viewContext";
import { Timer } from "../../../src/support";

interface LiveHandlers {
  readonly progress: (data: Readonly<Record<string, unknown>>) => void;
  /** Called after other changes, once for a burst of events. */
  readonly changed: () => void;
}

const BURST_MS = 400;

export class Live {
  readonly #context: ViewContext;
  readonly #handlers: LiveHandlers;
  readonly #later = new Timer();
  #source: EventSource | null = null;
  #vault = "";

  constructor(context: ViewContext, handlers: LiveHandlers) {
    this.#context = context;
    this.#handlers = handlers;
  }

  follow(): void {
    const id = this.#context.vault?.id ?? "";
    if (!this.#context.has("events") || (this.#source && id === this.#vault)) return;
    this.stop();
    this.#vault = id;
    const source = new EventSource(`/api/events?vault=${encodeURIComponent(id)}`);
    source.addEventListener("progress", (event: MessageEvent<unknown>) => this.#progress(String(event.data)));
    for (const name of ["generation", "ledger", "state"]) {
      source.addEventListener(name, () => this.#later.set(BURST_MS, this.#handlers.changed));
    }
    this.#source = source;
  }

  stop(): void {
    this.#source?.close();
    this.#source = null;
    this.#later.clear();
  }

  #progress(text: string): void {
    const data: unknown = JSON.parse(text);
    if (typeof data === "object" && data !== null) this.#handlers.progress(data as Record<string, unknown>);
  }
}
