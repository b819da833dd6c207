/** Short notices: shown for a moment, or announced to screen readers only. */

import { Timer } from "../../src/support";
import { fill, h } from "../lib/dom";

const SHOWN_MS = 4_000;

export class Notices {
  readonly #toast = h("p", { class: "toast", role: "status" });
  readonly #read = h("p", { class: "unseen", role: "status" });
  readonly #offline = h("p", { class: "offline", role: "status", hidden: true }, "Offline: showing results from before");
  readonly #end = new Timer();
  readonly els = [this.#toast, this.#read, this.#offline];

  constructor() {
    window.addEventListener("notewell-answer", (event) => {
      this.#offline.hidden = !(event as CustomEvent<{ isCached: boolean }>).detail.isCached;
    });
  }

  show(text: string): void {
    fill(this.#toast, text);
    this.#end.set(SHOWN_MS, () => fill(this.#toast));
  }

  /** Announces `text` to screen readers only. */
  announce(text: string): void {
    fill(this.#read, text);
  }
}
