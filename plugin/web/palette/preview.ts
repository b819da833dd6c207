/** The passage beside the palette's list: what was found, and the note around it. */

import { asServerError } from "../../src/client";
import { Timer } from "../../src/support";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { noteStyles } from "../lib/viewStyles";
import { dropTitle, linksOf, scrollTo } from "../parts/reader";
import { folderText, passageText, reasons } from "../parts/resultRow";
import type { NotePlace } from "./rows";
import { t } from "../../src/texts";

const PAUSE_MS = 80; // between rows while somebody holds an arrow key
const KEPT = 30;

export class Preview {
  readonly el = h("section", { class: "palette-preview", "aria-label": t("Passage"), tabindex: "-1" });
  readonly #context: ViewContext;
  readonly #pause = new Timer();
  readonly #drawn = new Map<string, Node>(); // by path
  #shown: NotePlace | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  show(note: NotePlace | null): void {
    if (note === this.#shown) return;
    this.#shown = note;
    this.#pause.clear();
    if (!note) {
      fill(this.el);
      return;
    }
    const { result } = note;
    const text = h("div", { class: "prose" });
    fill(
      this.el,
      h("h2", { dir: "auto" }, note.title),
      h("p", { class: "meta" }, folderText(note.path)),
      result ? reasons(result) : null,
      result?.linked === "in" ? h("p", { class: "meta" }, t("links to the note that you read")) : null,
      result?.snippet ? passageText(result, result.title) : null,
      text,
    );
    this.el.scrollTop = 0;
    if (this.#drawn.has(note.path)) this.#place(text, note);
    else this.#pause.set(PAUSE_MS, () => void this.#load(text, note));
  }

  /** Forgets what was drawn: since the palette was open, notes may have changed, or the vault is another one. */
  reset(): void {
    this.#drawn.clear();
    this.show(null);
  }

  /** Scrolls by most of its height. */
  page(by: 1 | -1): void {
    this.el.scrollBy({ top: by * this.el.clientHeight * 0.8 });
  }

  async #load(into: HTMLElement, note: NotePlace): Promise<void> {
    const context = this.#context;
    try {
      const [whole, { render }] = await Promise.all([
        context.vaultClient.fullNote(note.path),
        import("../lib/markdown"),
        noteStyles().catch(() => undefined), // a note can be read without
      ]);
      if (this.#drawn.size >= KEPT) this.#drawn.clear();
      this.#drawn.set(note.path, render(whole.content, linksOf(context, whole)));
      if (note === this.#shown) this.#place(into, note);
    } catch (error) {
      if (!(error instanceof TypeError)) asServerError(error); // the passage is shown without the note around it
    }
  }

  #place(into: HTMLElement, { path, title, line }: NotePlace): void {
    const text = this.#drawn.get(path)?.cloneNode(true) as DocumentFragment;
    dropTitle(text, title);
    fill(into, text);
    if (line > 1) scrollTo(this.el, line);
  }
}
