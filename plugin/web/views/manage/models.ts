/** The models panel: available and installed models, and which one is in use. */

import type { CatalogueReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { facts, heading, Loader, table, runAction, type Panel } from "./panel";

export class ModelsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    const about = "With another model, every passage is embedded again. Vectors of earlier models are kept, so switching back is immediate.";
    this.el.append(heading("Models", about), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#context.vaultClient.models(),
      (found) => this.#draw(found),
    );
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
