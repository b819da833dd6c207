/** Settings as they hold. */

import type { Desk } from "../../app/desk";
import { h } from "../../lib/dom";
import { factTree } from "../../parts/factTree";
import { heading, Loader, type Panel } from "./panel";

export class ConfigPanel implements Panel {
  readonly el = h("div");
  readonly #desk: Desk;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(desk: Desk) {
    this.#desk = desk;
    this.el.append(heading("Settings", "As they hold on this server."), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#desk.client.serverFacts("config"),
      (found) => [factTree(found)],
    );
  }
}
