/** Steps through the matches in the note that is read: "3 of 9", with a button for the next and the one before. */

import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { t } from "../../src/texts";

const CURRENT = "found-now"; // as the styles name it

export class MatchSteps {
  readonly #el: HTMLElement;
  #places: readonly Range[] = [];
  #at = -1;

  /** Draws the steps into `el`. */
  constructor(el: HTMLElement) {
    this.#el = el;
  }

  /** Uses the places of the matches in a note, in their order. */
  use(places: readonly Range[]): void {
    this.#places = places;
    this.#at = -1;
    if ("highlights" in CSS) CSS.highlights.delete(CURRENT);
    this.#el.hidden = places.length < 2; // a single one is where the note was opened
    this.#draw();
  }

  /** Goes to the next match, or with -1 to the one before; after the last comes the first. False where there is none. */
  go(by: 1 | -1): boolean {
    const count = this.#places.length;
    if (count === 0) return false;
    this.#at = this.#at < 0 ? (by > 0 ? 0 : count - 1) : (this.#at + by + count) % count;
    const place = this.#places[this.#at];
    if (!place) return false;
    CSS.highlights.set(CURRENT, new Highlight(place));
    place.startContainer.parentElement?.scrollIntoView({ block: "center" });
    this.#draw();
    return true;
  }

  #draw(): void {
    const count = this.#places.length;
    const text = this.#at < 0 ? t("{n} found", { n: count }) : t("{k} of {n}", { k: this.#at + 1, n: count });
    fill(
      this.#el,
      button(icon("up"), () => this.go(-1), { class: "plain", "aria-label": t("Match before (p)") }),
      h("span", { role: "status" }, text),
      button(icon("down"), () => this.go(1), { class: "plain", "aria-label": t("Next match (n)") }),
    );
  }
}
