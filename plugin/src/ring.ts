/** The last so many of what comes along. */

export class Ring<T> {
  readonly items: T[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    this.items.push(item);
    if (this.items.length > this.#limit) this.items.shift();
  }
}
