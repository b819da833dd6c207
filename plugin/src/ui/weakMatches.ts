/** The fold below the results: notes that match less than the settings ask are shown on demand. */

import type { Match, SearchReply } from "../contract";
import { faint } from "./controls";
import { isAtLeast } from "./scores";
import { t, tn } from "../texts";

export class WeakMatches {
  isOpen = false;
  readonly #el: HTMLElement;
  readonly #toggled: () => void;

  /** `toggled` is called when weak matches are to be shown, or no longer. */
  constructor(parent: HTMLElement, toggled: () => void) {
    this.#el = parent.createDiv("notewell-weak");
    this.#toggled = toggled;
  }

  /** A new query starts folded. */
  fold(): void {
    this.isOpen = false;
  }

  draw(reply: SearchReply | null, least: Match): void {
    this.#el.empty();
    const weak = reply?.results.filter((result) => !isAtLeast(result, least)).length ?? 0;
    if (!reply || weak === 0) return;
    const isAll = weak === reply.results.length;
    if (isAll && !this.isOpen) faint(this.#el, t("Nothing matches well."));
    const text = this.#foldText(weak, least === "strong");
    const button = this.#el.createEl("button", { cls: "notewell-link", text, attr: { "aria-expanded": this.isOpen } });
    button.onclick = (): void => {
      this.isOpen = !this.isOpen;
      this.#toggled();
    };
  }

  #foldText(weak: number, isStrict: boolean): string {
    if (this.isOpen) return isStrict ? t("Hide weaker matches") : t("Hide weak matches");
    return isStrict
      ? tn(weak, "Show {n} weaker match", "Show {n} weaker matches")
      : tn(weak, "Show {n} weak match", "Show {n} weak matches");
  }
}
