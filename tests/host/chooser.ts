/** A list of suggestions of which one is selected, by arrow keys or the pointer. */

import type { Scope } from "./keymap";

export interface ChooserParts<T> {
  readonly draw: (value: T, el: HTMLElement) => void;
  readonly choose: (value: T, event: MouseEvent | KeyboardEvent) => void;
}

export class Chooser<T> {
  #values: readonly T[] = [];
  #selected = 0;
  readonly #el: HTMLElement;
  readonly #parts: ChooserParts<T>;

  constructor(el: HTMLElement, scope: Scope, parts: ChooserParts<T>) {
    this.#el = el;
    this.#parts = parts;
    const move = (step: number) => (): false => (this.#select(this.#selected + step), false);
    scope.register([], "ArrowDown", move(1));
    scope.register([], "ArrowUp", move(-1));
    scope.register([], "Enter", (event) => {
      if (this.#values.length === 0) return undefined;
      this.chooseActive(event);
      return false;
    });
  }

  show(values: readonly T[]): void {
    this.#values = values;
    this.#el.empty();
    values.forEach((value, index) => {
      const el = this.#el.createDiv("suggestion-item");
      this.#parts.draw(value, el);
      el.addEventListener("mousemove", () => this.#select(index));
      el.addEventListener("click", (event) => this.#parts.choose(value, event));
      el.addEventListener("auxclick", (event) => this.#parts.choose(value, event));
    });
    this.#select(0);
  }

  chooseActive(event: MouseEvent | KeyboardEvent): void {
    const value = this.#values[this.#selected];
    if (value !== undefined) this.#parts.choose(value, event);
  }

  #select(index: number): void {
    const count = this.#values.length;
    if (count === 0) return;
    this.#selected = (index + count) % count;
    [...this.#el.children].forEach((el, at) => {
      el.toggleClass("is-selected", at === this.#selected);
      if (at === this.#selected) el.scrollIntoView({ block: "nearest" });
    });
  }
}
