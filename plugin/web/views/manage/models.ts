/** Models: which there are, which are here, which one answers. */

import type { Models } from "../../app/contract";
import type { Desk } from "../../app/desk";
import { button, h } from "../../lib/dom";
import { facts, heading, Loader, table, tell, type Panel } from "./panel";

export class ModelsPanel implements Panel {
  readonly el = h("div");
  readonly #desk: Desk;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(desk: Desk) {
    this.#desk = desk;
    const about = "Another model needs every passage to be read again; vectors of earlier ones are kept, so going back costs nothing.";
    this.el.append(heading("Models", about), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => this.#desk.asking.models(),
      (found) => this.#draw(found),
    );
  }

  #draw(found: Models): (Node | null)[] {
    return [
      facts([
        ["Set", found.configured],
        ["Answers now", found.answering ?? "none: words only"],
      ]),
      table(
        "Models",
        ["Model", "Languages", "Dimensions", "Tokens", "Download", "Licence", "Use"],
        found.models.map((model) => [
          model.name,
          model.languages.join(", "),
          String(model.dimensions),
          String(model.max_tokens),
          model.present ? "is here" : `${model.download_mb} MB`,
          model.licence,
          model.configured ? "is set" : this.#choose(model.name),
        ]),
      ),
    ];
  }

  #choose(name: string): Node {
    const set = (): Promise<unknown> => this.#desk.asking.configure({ "model.name": name });
    return button("Use from the next start", () => void tell(this.#desk, `${name} is used from the next start on`, set).then(() => this.show()), {
      class: "quiet",
      disabled: !this.#desk.mayAdminister,
    });
  }
}
