/** The vaults that this server knows. */

import type { Desk } from "../../app/desk";
import { h } from "../../lib/dom";
import { heading, Loader, table, type Panel } from "./panel";

export class VaultsPanel implements Panel {
  readonly el = h("div");
  readonly #desk: Desk;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(desk: Desk) {
    this.#desk = desk;
    this.el.append(heading("Vaults", "What this server knows. Vaults are added and removed on its own machine."), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#desk.client.vaults(),
      (vaults) => [
        table(
          "Vaults",
          ["Name", "Where", "Kind", "State"],
          vaults.map(({ name, path, source, default: isDefault, open }) => [
            h("a", { href: this.#desk.to("search", { vault: name }) }, name),
            path,
            source === "mirror" ? "mirror, filled by clients" : "folder",
            [isDefault ? "default" : "", open ? "open" : "opened when asked"].filter(Boolean).join(", "),
          ]),
        ),
        h("p", { class: "faint" }, "Another one: ", h("code", {}, "recollect vaults add FOLDER"), ", then serve it."),
      ],
    );
  }
}
