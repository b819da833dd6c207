/** The sentence of the notes that answers a question, quoted above the results; no language model is asked. */

import { asServerError } from "../../src/client";
import { Timer } from "../../src/support";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { folderText, noteAddress } from "./resultRow";

const REST_MS = 600; // of typing: sentences are read by the model
const SURE = 0.3; // below it, one sentence in three or fewer answers
export class QuotedAnswer {
  readonly #el: HTMLElement;
  readonly #context: ViewContext;
  readonly #rest = new Timer();
  #q = "";

  constructor(context: ViewContext, el: HTMLElement) {
    this.#context = context;
    this.#el = el;
  }

  /** Shows what answers `q`, once it rests; nothing where it is "", or not answered. */
  show(q: string): void {
    if (q === this.#q) return;
    this.#q = q;
    this.#el.hidden = true;
    this.#rest.clear();
    if (q) this.#rest.set(REST_MS, () => void this.#find(q));
  }

  async #find(q: string): Promise<void> {
    try {
      const { said, answers } = await this.#context.vaultClient.evidence(q);
      const [best] = answers;
      if (q !== this.#q || !said || !best || best.confidence < SURE) return;
      const source = h("p", { class: "meta" }, h("a", { href: noteAddress(this.#context, best.path, best.line), dir: "auto" }, best.title), folderText(best.path));
      fill(this.#el, h("blockquote", { dir: "auto" }, best.text), source);
      this.#el.hidden = false;
    } catch (error) {
      asServerError(error); // the results stand without it
    }
  }
}
