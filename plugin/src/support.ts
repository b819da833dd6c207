/** Small helpers for every part of the plugin and the pages: a timer, a ring buffer, subscriptions. */

/** A single time-out that can be replaced or cleared. */
export class Timer {
  #id = 0;

  /** Whether an action is planned. */
  get isSet(): boolean {
    return this.#id !== 0;
  }

  /** Plans `action`, in the place of what was planned before. */
  set(ms: number, action: () => unknown): void {
    this.clear();
    this.#id = window.setTimeout(() => {
      this.#id = 0;
      action();
    }, ms);
  }

  /** Plans `action`, unless something is planned already. */
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

type Listener<News> = (news: News) => void;

/** Something whose news others can subscribe to. */
export class Broadcast<News> {
  readonly #listeners = new Set<Listener<News>>();

  /** Calls `listener` at all news from now on. Returns how to stop. */
  subscribe(listener: Listener<News>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected notify(news: News): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}
