/** Work in the app's idle moments, in slices so short that typing and scrolling never wait for them. */

export const SLICE_MS = 8;
const LATEST_MS = 1_000; // a busy app gives a slice at least this often

export class Idle {
  #until = 0;

  /** Goes on at once while the slice lasts, else in the next idle moment. */
  async pause(): Promise<void> {
    if (performance.now() < this.#until) return;
    await new Promise<void>((resolve) => idleMoment(resolve));
    this.#until = performance.now() + SLICE_MS;
  }

  /** Runs `steps` to their end. */
  async run<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      await this.pause();
      const next = steps.next();
      if (next.done) return next.value;
    }
  }
}

function idleMoment(act: () => void): void {
  // WebKit, and so an iPhone, has no idle callback.
  if ("requestIdleCallback" in window) window.requestIdleCallback(act, { timeout: LATEST_MS });
  else (window as Window).setTimeout(act, 2 * SLICE_MS);
}
