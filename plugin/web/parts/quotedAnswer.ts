/** What answers a question, above its results: a sentence of the notes, or two notes together; no language model is asked. */

import { asServerError } from "../../src/client";
import type { Result } from "../../src/contract";
import { Timer } from "../../src/support";
import { t } from "../../src/texts";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { folderText, noteAddress } from "./resultRow";

const REST_MS = 600; // of typing: sentences are read by the model
const SURE = 0.3; // below it, one sentence in three or fewer answers
const IN_SIGHT = 3; // results; where the best companion is among them, none need be named
const COMPANIONS = 2;

export class QuotedAnswer {
  readonly #el: HTMLElement;
  readonly #context: ViewContext;
  readonly #rest = new Timer();
  #q = "";

  constructor(context: ViewContext, el: HTMLElement) {
    this.#context = context;
    this.#el = el;
  }

  /** Shows what answers `q`, once it rests; nothing where it is "", or not answered. `results` are those below it. */
  show(q: string, results: readonly Result[] = []): void {
    if (q === this.#q) return;
    this.#q = q;
    this.#el.hidden = true;
    this.#rest.clear();
    if (q) this.#rest.set(REST_MS, () => void this.#find(q, results));
  }

  async #find(q: string, results: readonly Result[]): Promise<void> {
    try {
      const { said, answers } = await this.#context.vaultClient.evidence(q);
      const best = said ? answers.find(({ confidence }) => confidence >= SURE) : undefined;
      this.#draw(q, best ? [h("blockquote", { dir: "auto" }, best.text), h("p", { class: "meta" }, this.#link(best), folderText(best.path))] : await this.#together(q, results));
    } catch (error) {
      asServerError(error); // the results stand without it
    }
  }

  /** The notes that say what the best one does not, which links them. */
  async #together(q: string, [first, ...others]: readonly Result[]): Promise<HTMLElement[]> {
    if (!first || !this.#context.has("companions")) return [];
    const { companions } = await this.#context.vaultClient.companions(q, first.path);
    const [best] = companions;
    if (!best || others.slice(0, IN_SIGHT - 1).some(({ path }) => path === best.result.path)) return [];
    return [
      h("p", { class: "meta" }, t("Together with “{note}”:", { note: first.title })),
      ...companions.slice(0, COMPANIONS).map(({ result }) => h("p", { class: "together", dir: "auto" }, this.#link(result), " ", result.snippet)),
    ];
  }

  #link({ path, title, line }: { readonly path: string; readonly title: string; readonly line: number }): HTMLElement {
    return h("a", { href: noteAddress(this.#context, path, line), dir: "auto" }, title);
  }

  #draw(q: string, children: readonly (HTMLElement | null)[]): void {
    if (q !== this.#q || children.length === 0) return;
    fill(this.#el, ...children);
    this.#el.hidden = false;
  }
}
