/** The server's events about the vault that is looked at, while somebody looks. */

import type { Desk } from "../../app/desk";
import { Timer } from "../../../src/timer";

interface Told {
  readonly progress: (data: Readonly<Record<string, unknown>>) => void;
  /** Something else is different now; told once after a burst. */
  readonly changed: () => void;
}

const BURST_MS = 400;

export class Live {
  readonly #desk: Desk;
  readonly #told: Told;
  readonly #later = new Timer();
  #source: EventSource | null = null;
  #vault = "";

  constructor(desk: Desk, told: Told) {
    this.#desk = desk;
    this.#told = told;
  }

  follow(): void {
    const id = this.#desk.vault?.id ?? "";
    if (!this.#desk.has("events") || (this.#source && id === this.#vault)) return;
    this.stop();
    this.#vault = id;
    const source = new EventSource(`/api/events?vault=${encodeURIComponent(id)}`);
    source.addEventListener("progress", (event: MessageEvent<unknown>) => this.#progress(String(event.data)));
    for (const name of ["generation", "ledger", "state"]) {
      source.addEventListener(name, () => this.#later.set(BURST_MS, this.#told.changed));
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
    if (typeof data === "object" && data !== null) this.#told.progress(data as Record<string, unknown>);
  }
}
