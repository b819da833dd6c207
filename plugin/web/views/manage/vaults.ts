/** The vaults that this server knows. */

import type { VaultInfo } from "../../../src/replies";
import { isServed, type ViewContext } from "../../app/viewContext";
import { h } from "../../lib/dom";
import { heading, Loader, table, type Panel } from "./panel";

/** Where the notes of a vault come from. */
const KINDS: Readonly<Record<VaultInfo["source"], string>> = {
  folder: "folder",
  mirror: "mirror, filled by clients",
  import: "import, only read",
  roam: "Roam, only read",
  logseq: "Logseq, only read",
};

export class VaultsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(heading("Vaults", "The vaults known to this server. They are added and removed on its computer."), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#context.client.vaults(),
      (vaults) => [
        table(
          "Vaults",
          ["Name", "Where", "Kind", "State"],
          vaults.map((vault) => [
            isServed(vault) ? h("a", { href: this.#context.to("search", { vault: vault.name }) }, vault.name) : vault.name,
            vault.path,
            KINDS[vault.source],
            state(vault),
          ]),
        ),
        h("p", { class: "faint" }, "To add a vault, run on the server’s computer: ", h("code", {}, "notewell vaults add FOLDER"), ". A server that was started without vault names serves it after a restart."),
      ],
    );
  }
}

function state(vault: VaultInfo): string {
  const served = vault.open ? "open" : "opened on demand";
  return [vault.default ? "default" : "", isServed(vault) ? served : "not served"].filter(Boolean).join(", ");
}
