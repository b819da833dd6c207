/** The vaults that this server knows; an administrator adds and removes them where the server was started for that. */

import type { VaultsReply } from "../../../src/contract";
import { administering } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { h } from "../../lib/dom";
import { about, Loader, runAction, sureButton, table, type Panel } from "./panel";
import { t, tparts } from "../../../src/texts";

type Known = VaultsReply["vaults"][number];

export class VaultsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("The folders of notes that this server knows.")), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => administering(this.#context).knownVaults(),
      (reply) => this.#draw(reply),
    );
  }

  #draw({ vaults, changeable, notice }: VaultsReply): (Node | null)[] {
    const mayChange = changeable && this.#context.mayAdminister;
    const rows = vaults.map((vault) => [
      vault.served ? h("a", { href: this.#context.to("search", { vault: vault.name }) }, vault.name) : vault.name,
      vault.source === "mirror" ? t("mirror, filled by clients") : vault.source === "folder" ? t("folder") : vault.source,
      state(vault),
      vault.path,
      ...(mayChange ? [this.#removeButton(vault)] : []),
    ]);
    return [
      notice === null ? null : h("div", { class: "note-box", role: "note" }, h("h3", {}, t("The list of vaults was recovered")), h("p", {}, notice)),
      table(t("Vaults"), [t("Name"), t("Kind"), t("State"), t("Where"), ...(mayChange ? [t("Change")] : [])], rows),
      mayChange ? this.#addForm() : advice(),
    ];
  }

  #addForm(): HTMLElement {
    const folder = h("input", { id: "vault-folder", required: true, maxlength: 4096, placeholder: "/home/me/Notes", spellcheck: "false" });
    const add = (event: Event): void => {
      event.preventDefault();
      void this.#change(t("The vault is added, and its notes are being read"), () => administering(this.#context).addVault(folder.value.trim()));
    };
    return h(
      "form",
      { class: "vault-form", on: { submit: add } },
      h("label", { for: "vault-folder" }, t("Add a folder of the server’s computer, by its whole path")),
      h("div", { class: "login-row" }, folder, h("button", { class: "primary" }, t("Add"))),
      h("p", { class: "faint" }, t("Its notes are only read. The page is loaded anew, so that it offers the vault.")),
    );
  }

  #removeButton({ id, name }: Known): HTMLElement {
    const remove = (): void => void this.#change(t("{name} is removed; its notes and its index stay", { name }), () => administering(this.#context).removeVault(id));
    return sureButton(t("Remove…"), t("Really remove?"), remove, name);
  }

  async #change(done: string, ask: () => Promise<unknown>): Promise<void> {
    // Every view offers the vaults that the page knew when it was loaded.
    if (await runAction(this.#context, done, ask)) location.reload();
  }
}

function advice(): HTMLElement {
  return h(
    "p",
    { class: "faint" },
    ...tparts("Vaults are added and removed on the server’s computer: {add}. To do it here, on that computer, start the server with {serve}.", {
      add: h("code", {}, "notewell vaults add FOLDER"),
      serve: h("code", {}, "notewell serve --allow-vaults"),
    }),
  );
}

function state(vault: Known): string {
  const served = vault.open ? t("ready") : t("opened when needed");
  return [vault.default ? t("default") : "", vault.served ? served : t("not served")].filter(Boolean).join(", ");
}
