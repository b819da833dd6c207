/** Models: which are known, here, in use. */

import type { Desk } from "../../app/desk";
import { h } from "../../lib/dom";
import { factTree } from "../../parts/factTree";
import { heading, Loader, type Panel } from "./panel";

export class ModelsPanel implements Panel {
  readonly el = h("div");
  readonly #desk: Desk;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(desk: Desk) {
    this.#desk = desk;
    this.el.append(heading("Models", "Which models there are, which are on this machine, which one answers."), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#desk.client.serverFacts("models"),
      (found) => [factTree(found)],
    );
  }
}
