/** The models panel: available and installed models, and which one is in use. */

import { asServerError } from "../../../src/client";
import type { CatalogueReply, SuggestReply } from "../../../src/contract";
import { costText } from "../../../src/format";
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
    const about = "With another model, every passage is embedded again. Vectors of earlier models are kept, so switching back is immediate. Quality is nDCG@10 by meaning alone, time that of a passage beside the default model's.";
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
      const { suggestion, service } = await vaultClient.suggestedModel();
      if (vault !== this.#context.vault) return;
      fill(this.#offer, suggestion && offerOf(suggestion), service && this.#consent(service));
    } catch (error) {
      asServerError(error); // the list is shown without an offer
    }
  }

  /** What the service is sent and costs, and the button that allows it, or forbids it again. */
  #consent(service: Service): HTMLElement {
    const { host, allowed } = service;
    const answer = (wanted: boolean): Promise<void> =>
      runAction(this.#context, wanted ? `Notes may be sent to ${host}` : `Nothing is sent to ${host} any more`, () =>
        this.#context.vaultClient.allowHost(host, wanted),
      ).then(() => this.show());
    const mayAnswer = this.#context.mayAdminister && this.#context.has("allow_host");
    const isLocal = service.sent.startsWith("Nothing leaves");
    const command = `notewell models allow ${host}${allowed ? " --forbid" : ""}`;
    return h(
      "div",
      { class: "note-box" },
      h("h2", {}, allowed ? "A service embeds your notes" : "May your notes be sent to a service?"),
      h("p", {}, costText(service)),
      isLocal ? null : mayAnswer
        ? button(allowed ? `Send nothing to ${host} any more` : `Allow sending to ${host}`, () => void answer(!allowed))
        : h("p", {}, "An administrator answers here, or on the server's computer: ", h("code", {}, command)),
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
        ["Model", "Languages", "Quality by meaning", "Time", "Dimensions", "Tokens", "Download", "Licence", "Use"],
        found.models.map((model) => [
          model.name,
          model.languages.join(", "),
          qualityOf(model.quality),
          model.time ? `${model.time}×` : "not measured",
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

/** nDCG@10 by language, such as "de 0.92, ru 0.91". */
function qualityOf(quality: Readonly<Record<string, number>> = {}): string {
  const measured = Object.entries(quality).map(([language, value]) => `${language} ${value.toFixed(2)}`);
  return measured.join(", ") || "not measured";
}

type Service = NonNullable<SuggestReply["service"]>;
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
