/** Short notices: shown for a moment, or announced to screen readers only; and that the server does not answer. */

import { Timer } from "../../src/support";
import { button, fill, h } from "../lib/dom";
import { t, tparts } from "../../src/texts";

const SHOWN_MS = 4_000;
const LOOK_MS = 5_000; // between looks whether the server is back

export class Notices {
  readonly #toast = h("p", { class: "toast", role: "status" });
  readonly #read = h("p", { class: "unseen", role: "status" });
  readonly #offline = h("div", { class: "offline", role: "status", hidden: true });
  readonly #end = new Timer();
  readonly #look = new Timer();
  readonly els = [this.#toast, this.#read, this.#offline];

  constructor() {
    window.addEventListener("notewell-answer", (event) => {
      this.#setOffline((event as CustomEvent<{ isCached: boolean }>).detail.isCached);
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

  #setOffline(isOffline: boolean): void {
    if (isOffline) this.#look.set(LOOK_MS, () => void this.#isBack());
    if (isOffline !== this.#offline.hidden) return;
    this.#offline.hidden = !isOffline;
    if (!isOffline) {
      this.#look.clear();
      return;
    }
    fill(
      this.#offline,
      h("strong", {}, t("Offline")),
      h("span", {}, ...tparts("Shown is what this browser kept. {command} starts the server; this page goes on by itself.", { command: h("code", {}, "notewell serve") })),
      button(t("Try again"), () => void this.#isBack(), { class: "quiet" }),
    );
  }

  /** Asks the server itself; where it answers, the page is loaded anew, with its present state. */
  async #isBack(): Promise<void> {
    try {
      const answer = await fetch("/api/health", { cache: "no-store" });
      if (answer.ok && !answer.headers.has("X-Notewell-Kept")) {
        location.reload();
        return;
      }
    } catch {
      // It is not back: looked at again below.
    }
    this.#look.set(LOOK_MS, () => void this.#isBack());
  }
}
