/** The vault in figures. */

import type { Desk } from "../../app/desk";
import { h } from "../../lib/dom";
import { factTree } from "../../parts/factTree";
import { heading, Loader, type Panel } from "./panel";

export class StatsPanel implements Panel {
  readonly el = h("div");
  readonly #desk: Desk;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(desk: Desk) {
    this.#desk = desk;
    this.el.append(heading("Figures", "What is in the vault: kinds, folders, tags, months, sizes."), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#desk.asking.facts("stats"),
      (found) => [factTree(found)],
    );
  }
}
