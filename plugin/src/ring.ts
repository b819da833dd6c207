/** The last so many of what comes along. */

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
