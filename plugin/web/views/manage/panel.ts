/** Shared parts of the panels: loading, actions, headings and tables. */

import { asServerError } from "../../../src/client";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { button, fill, h, skeleton } from "../../lib/dom";
import { errorBox } from "../../parts/errors";
import { refusalOf } from "../../parts/refusals";
import { t } from "../../../src/texts";

export interface Panel {
  readonly el: HTMLElement;
  show(address: Address): void;
  leave?(): void;
  /** Handles a key pressed outside of fields; true where the panel used it. */
  key?(event: KeyboardEvent): boolean;
}

/** Loads and draws data, or shows the failure; only the latest of several loads is drawn. */
export class Loader {
  readonly #el: HTMLElement;
  #sequence = 0;

  constructor(el: HTMLElement) {
    this.#el = el;
  }

  async load<T>(ask: () => Promise<T>, draw: (found: T) => (Node | null)[]): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#el.setAttribute("aria-busy", "true");
    if (!this.#el.hasChildNodes()) fill(this.#el, skeleton());
    try {
      const found = await ask();
      if (sequence === this.#sequence) fill(this.#el, ...draw(found));
    } catch (error) {
      if (sequence !== this.#sequence) return;
      fill(this.#el, errorBox(asServerError(error), () => void this.load(ask, draw), "h3"));
    } finally {
      if (sequence === this.#sequence) this.#el.removeAttribute("aria-busy");
    }
  }
}

/** Sends a request that changes something, and shows a notice of success or failure. Returns whether it succeeded. */
export async function runAction(context: ViewContext, done: string, ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    context.showNotice(done);
    return true;
  } catch (error) {
    context.showNotice(refusalOf(asServerError(error)));
    return false;
  }
}

/** A button that has to be pressed twice: the second press does it. `name` tells screen readers about what. */
export function sureButton(label: string, question: string, act: () => unknown, name = ""): HTMLButtonElement {
  let isSure = false;
  const el = button("", () => {
    if (isSure) act();
    isSure = !isSure;
    say(isSure ? question : label);
  }, { class: "quiet" });
  const say = (text: string): void => {
    el.textContent = text;
    if (name) el.setAttribute("aria-label", `${text} ${name}`);
  };
  say(label);
  return el;
}

/** What a section is about. */
export function about(text: string): HTMLElement {
  return h("p", { class: "faint" }, text);
}

/** A message in place of an empty list of a section. */
export function nothing(title: string, text: string, ...more: (Node | null)[]): HTMLElement {
  return h("div", { class: "empty" }, h("h3", {}, title), h("p", {}, text), ...more);
}

/** A table with a header row; on a phone, each row is a list of its cells with their names. */
export function table(label: string, head: readonly string[], rows: readonly (readonly (Node | string | null)[])[]): HTMLElement {
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell, n) => h("td", { dir: "auto", "data-head": head[n] ?? "" }, cell))))),
    ),
  );
}

/** What few people ask for, folded away. */
export function details(...children: (Node | null)[]): HTMLElement {
  return h("details", { class: "more" }, h("summary", {}, t("Details")), ...children);
}

export function facts(rows: readonly (readonly [name: string, value: Node | string])[]): HTMLElement {
  return h("dl", { class: "facts-list" }, ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}
