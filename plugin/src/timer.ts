/** One thing that happens later, or not at all. */

export class Timer {
  #id = 0;

  /** Whether it is still to happen. */
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

  clear(): void {
    window.clearTimeout(this.#id);
    this.#id = 0;
  }
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}
