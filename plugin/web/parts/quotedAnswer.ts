/** What answers a question, above its results: a sentence of the notes, and the notes that say the rest; no language model is asked. */

import { asServerError } from "../../src/client";
import type { Result } from "../../src/contract";
import { Timer } from "../../src/support";
import { t } from "../../src/texts";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { folderText, noteAddress } from "./resultRow";

const REST_MS = 600; // of typing: sentences are read by the model
const SURE = 0.3; // below it, one sentence in three or fewer answers
const IN_SIGHT = 3; // results: the best companion is mostly right, and where it is among them none need be named
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
      const quote = best ? [h("blockquote", { dir: "auto" }, best.text), h("p", { class: "meta" }, this.#link(best), folderText(best.path))] : [];
      this.#draw(q, quote);
      this.#draw(q, [...quote, ...(await this.#together(q, best?.path, results))]);
    } catch (error) {
      asServerError(error); // the results stand without it
    }
  }

  /** The notes that say what the quoted one does not; where none is quoted, behind the line of the best one that links them. */
  async #together(q: string, quoted: string | undefined, results: readonly Result[]): Promise<HTMLElement[]> {
    if (!this.#context.has("companions")) return [];
    const { first, companions } = await this.#context.vaultClient.companions(q, quoted);
    const [best] = companions;
    if (!first || !best || results.slice(0, IN_SIGHT).some(({ path }) => path === best.result.path)) return [];
    const row = (note: typeof first, text: string): HTMLElement => h("li", {}, this.#link(note), " ", h("small", { dir: "auto" }, text));
    return [
      ...(quoted ? [] : [h("ul", { class: "together" }, row(first, best.link_text))]),
      h("p", { class: "meta" }, t("And, with it:")),
      h("ul", { class: "together" }, ...companions.slice(0, COMPANIONS).map(({ result }) => row(result, result.snippet))),
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
