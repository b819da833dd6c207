/**
 * The state of the selected vault's index, for everything on the page that tells of it: one record, asked for once
 * and followed by the server's events, so that two places cannot show different numbers.
 */

import { asServerError } from "../../src/client";
import type { StatusReply } from "../../src/contract";
import { indexProgress, type VaultInfo } from "../../src/replies";
import { Timer } from "../../src/support";
import type { WebClient } from "./client";
import { followEvents } from "./eventStream";

/** Called with the state; `isChanged` where notes or vectors changed, so that results may have, too. */
type Listener = (status: StatusReply, isChanged: boolean) => void;

/** The selected vault, its client, and the features of the server. */
interface Selected {
  readonly vault: VaultInfo | null;
  readonly vaultClient: WebClient;
  has(feature: string): boolean;
}

const BURST_MS = 400; // several changes within it are one
const CHANGES: ReadonlySet<string> = new Set(["generation", "ledger", "state"]);

export class StatusFeed {
  readonly #selected: Selected;
  readonly #listeners = new Set<Listener>();
  readonly #later = new Timer();
  #stream: AbortController | null = null;
  #vault = "";
  #status: StatusReply | null = null;
  /** When notes began to be read, and how many were read then: how fast it goes. */
  #start: { readonly at: number; readonly read: number } | null = null;

  constructor(selected: Selected) {
    this.#selected = selected;
    // Browsers allow few connections to a server: pages in the background leave theirs to others.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#stop() : this.follow()));
  }

  get status(): StatusReply | null {
    return this.#status;
  }

  /** Seconds until every note is read, as fast as it went so far; null where that is not known. */
  get wordsLeft(): number | null {
    const { phase, notes, notes_read: read } = this.#status?.progress ?? {};
    if (phase !== "reading" || notes === undefined || read === undefined || !this.#start) return null;
    const done = read - this.#start.read;
    return done > 0 ? ((notes - read) * (performance.now() - this.#start.at)) / 1000 / done : null;
  }

  /** Calls `listener` at every change, and at once where the state is known; returns what ends that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#status) listener(this.#status, false);
    return () => this.#listeners.delete(listener);
  }

  /** Follows the selected vault; without effect where it does so already. */
  follow(): void {
    const id = this.#selected.vault?.id ?? "";
    if (!id || document.hidden || (this.#stream && id === this.#vault)) return;
    this.#stop();
    if (id !== this.#vault) this.#status = this.#start = null;
    this.#vault = id;
    void this.refresh();
    if (!this.#selected.has("events")) return;
    const stream = new AbortController();
    this.#stream = stream;
    void followEvents(`/api/events?vault=${encodeURIComponent(id)}`, stream.signal, ({ event, data }) => {
      if (event === "progress") this.#progress(data);
      else if (CHANGES.has(event)) this.#later.set(BURST_MS, () => void this.refresh());
    });
  }

  /** Asks for the state now. */
  async refresh(): Promise<void> {
    const vault = this.#vault;
    try {
      const status = await this.#selected.vaultClient.status();
      if (vault !== this.#vault) return;
      const before = this.#status;
      const isChanged = before !== null && before.generation !== status.generation;
      this.#tell(status, isChanged);
    } catch (error) {
      asServerError(error); // what was asked for on the page tells of it
    }
  }

  #stop(): void {
    this.#stream?.abort();
    this.#stream = null;
    this.#later.clear();
  }

  #progress(text: string): void {
    const progress = indexProgress(JSON.parse(text));
    if (this.#status) this.#tell({ ...this.#status, progress }, false);
  }

  #tell(status: StatusReply, isChanged: boolean): void {
    const { phase, notes_read: read } = status.progress;
    if (phase !== "reading") this.#start = null;
    else this.#start ??= { at: performance.now(), read };
    this.#status = status;
    for (const listener of this.#listeners) listener(status, isChanged);
  }
}
