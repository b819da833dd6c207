/** Small helpers for every part of the plugin and the pages: a timer, a ring buffer, subscriptions. */

/** One timer whose action can be replaced or cleared. */
export class Timer {
  #id = 0;

  /** Whether an action is scheduled. */
  get isSet(): boolean {
    return this.#id !== 0;
  }

  /** Schedules `action`, replacing the one scheduled before. */
  set(ms: number, action: () => unknown): void {
    this.clear();
    this.#id = window.setTimeout(() => {
      this.#id = 0;
      action();
    }, ms);
  }

  /** Schedules `action`, unless one is scheduled already. */
  setOnce(ms: number, action: () => unknown): void {
    if (!this.isSet) this.set(ms, action);
  }

  clear(): void {
    window.clearTimeout(this.#id);
    this.#id = 0;
  }
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}

/** The latest items, up to a limit; older ones are dropped. */
export class Ring<T> {
  readonly latest: T[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    this.latest.push(item);
    if (this.latest.length > this.#limit) this.latest.shift();
  }
}

type Listener<Event> = (event: Event) => void;

/** Notifies subscribers of events. */
export class Broadcast<Event> {
  readonly #listeners = new Set<Listener<Event>>();

  /** Calls `listener` for every event. Returns an unsubscribe function. */
  subscribe(listener: Listener<Event>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected notify(event: Event): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
