/** The panel of the gardener. Its page is loaded with the first visit. */

import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { h } from "../../lib/dom";
import type { Panel } from "./panel";
import type { TendPage } from "./tend/page";

export class TendPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  #page: Promise<TendPage> | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  show(address: Address): void {
    this.#page ??= this.#load();
    void this.#page.then((page) => page.show(address));
  }

  async #load(): Promise<TendPage> {
    const { TendPage: Page } = await import("./tend/page");
    const page = new Page(this.#context);
    this.el.append(page.el);
    return page;
  }
}
