/** The models panel: available and installed models, and which one is in use. */

import { asServerError } from "../../../src/client";
import type { CatalogueReply, SuggestReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { facts, heading, Loader, table, runAction, type Panel } from "./panel";

export class ModelsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #offer = h("div", { role: "status" });
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    const about = "With another model, every passage is embedded again. Vectors of earlier models are kept, so switching back is immediate.";
    this.el.append(heading("Models", about), this.#offer, this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#context.vaultClient.models(),
      (found) => this.#draw(found),
    );
    if (this.#context.has("models_suggest")) void this.#suggest();
  }

  /** Offers a model that reads the notes better; the list does not wait for it, because all notes are looked through. */
  async #suggest(): Promise<void> {
    const { vault, vaultClient } = this.#context;
    fill(this.#offer);
    try {
      const { suggestion } = await vaultClient.suggestedModel();
      if (vault === this.#context.vault) fill(this.#offer, suggestion && offerOf(suggestion));
    } catch (error) {
      asServerError(error); // the list is shown without an offer
    }
  }

  #draw(found: CatalogueReply): (Node | null)[] {
    return [
      facts([
        ["Configured", found.configured],
        ["In use", found.answering ?? "none: keyword search only"],
      ]),
      table(
        "Models",
        ["Model", "Languages", "Dimensions", "Tokens", "Download", "Licence", "Use"],
        found.models.map((model) => [
          model.name,
          model.languages.join(", "),
          String(model.dimensions),
          String(model.max_tokens),
          model.present ? "installed" : `${model.download_mb} MB`,
          model.licence,
          model.configured ? "configured" : this.#choose(model.name),
        ]),
      ),
    ];
  }

  #choose(name: string): Node {
    const set = (): Promise<unknown> => this.#context.vaultClient.configure({ "model.name": name });
    return button("Use after a restart", () => void runAction(this.#context, `${name} will be used after a restart`, set).then(() => this.show()), {
      class: "quiet",
      disabled: !this.#context.mayAdminister,
    });
  }
}

type Suggestion = Pick<NonNullable<SuggestReply["suggestion"]>, "name" | "reason">;

function offerOf({ name, reason }: Suggestion): HTMLElement {
  return h(
    "div",
    { class: "note-box" },
    h("h2", {}, "Another model reads your notes better"),
    h("p", {}, reason),
    h("p", {}, "To use it, run on the server's computer: ", h("code", {}, `notewell index --model ${name}`)),
  );
}
