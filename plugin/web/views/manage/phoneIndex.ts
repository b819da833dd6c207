/** The switch for the file of vectors that phones read where no server answers (docs/phone.md). */

import type { PhoneIndexReply } from "../../../src/contract";
import { t } from "../../../src/texts";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { bytes as sizeText } from "../../lib/format";
import { Loader, runAction } from "./panel";

export class PhoneIndexSwitch {
  readonly el = h("section");
  readonly #context: ViewContext;
  readonly #body = h("div");
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(h("h2", {}, t("Meaning on phones without a server")), this.#body);
  }

  /** Nothing where the server is older. */
  show(): void {
    this.el.hidden = !this.#context.has("phone_index");
    if (this.el.hidden) return;
    void this.#loader.load(
      () => this.#context.vaultClient.phoneIndex(),
      (found) => this.#draw(found),
    );
  }

  #draw(found: PhoneIndexReply): (Node | null)[] {
    const mayPress = this.#context.mayAdminister && (found.on || found.expected !== null);
    return [
      h("p", {}, stateText(found)),
      h("p", { class: "faint" }, t("It holds vectors, paths and hashes of notes, and no text. What syncs the vault has to copy it too; docs/phone.md tells how.")),
      mayPress ? h("p", { class: "buttons" }, found.on ? this.#delete() : this.#write(found)) : null,
    ];
  }

  #delete(): HTMLElement {
    return button(t("Delete the file"), () => this.#switch(false, t("The file is deleted")), { class: "quiet" });
  }

  /** The first press tells what is written where, the second writes. */
  #write({ place }: PhoneIndexReply): HTMLElement {
    let isSure = false;
    const write = button(t("Write it…"), () => {
      if (isSure) this.#switch(true, t("The file is written, and kept up to date"));
      isSure = true;
      write.textContent = t("Really write {place}?", { place });
    }, { class: "quiet" });
    return write;
  }

  #switch(on: boolean, done: string): void {
    void runAction(this.#context, done, () => this.#context.vaultClient.switchPhoneIndex(on)).then(() => this.show());
  }
}

function stateText({ on, path, bytes, problem, expected }: PhoneIndexReply): string {
  if (problem) return problem;
  if (on) return bytes === null ? t("On; {path} is written within an hour.", { path }) : t("On: {path} in this vault, {bytes}.", { path, bytes: sizeText(bytes) });
  if (!expected) return t("Off. The notes have no vectors yet.");
  const off = t("Off. About {bytes} would be written into this vault as {path}.", { bytes: sizeText(expected.bytes), path });
  return [off, expected.shortened].filter(Boolean).join(" ");
}
