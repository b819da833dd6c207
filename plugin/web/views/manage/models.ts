/** The models panel: available and installed models, and which one is in use. */

import { asServerError } from "../../../src/client";
import type { CatalogueReply, SuggestReply } from "../../../src/contract";
import { costText } from "../../../src/format";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { facts, heading, Loader, table, runAction, type Panel } from "./panel";
import { number, t, tparts } from "../../../src/texts";

export class ModelsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #offer = h("div", { role: "status" });
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    const about = t("With another model, every passage is embedded again. Vectors of earlier models are kept, so switching back is immediate. Quality is nDCG@10 by meaning alone, time that of a passage beside the default model's.");
    this.el.append(heading(t("Models"), about), this.#offer, this.#body);
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
      runAction(this.#context, wanted ? t("Notes may be sent to {host}", { host }) : t("Nothing is sent to {host} any more", { host }), () =>
        this.#context.vaultClient.allowHost(host, wanted),
      ).then(() => this.show());
    const mayAnswer = this.#context.mayAdminister && this.#context.has("allow_host");
    const isLocal = service.sent.startsWith("Nothing leaves");
    const command = `notewell models allow ${host}${allowed ? " --forbid" : ""}`;
    return h(
      "div",
      { class: "note-box" },
      h("h2", {}, allowed ? t("A service embeds your notes") : t("May your notes be sent to a service?")),
      h("p", {}, costText(service)),
      isLocal ? null : mayAnswer
        ? button(allowed ? t("Send nothing to {host} any more", { host }) : t("Allow sending to {host}", { host }), () => void answer(!allowed))
        : h("p", {}, ...tparts("An administrator answers here, or on the server’s computer: {command}", { command: h("code", {}, command) })),
    );
  }

  #draw(found: CatalogueReply): (Node | null)[] {
    return [
      facts([
        [t("Configured"), found.configured],
        [t("In use"), found.answering ?? t("none: keyword search only")],
      ]),
      table(
        t("Models"),
        [t("Model"), t("Languages"), t("Quality by meaning"), t("Time"), t("Dimensions"), t("Tokens"), t("Download"), t("Licence"), t("Use")],
        found.models.map((model) => [
          model.name,
          model.languages.join(", "),
          qualityOf(model.quality),
          model.time ? `${model.time}×` : t("not measured"),
          String(model.dimensions),
          String(model.max_tokens),
          model.present ? t("installed") : `${model.download_mb} MB`,
          model.licence,
          model.configured ? t("configured") : this.#choose(model.name),
        ]),
      ),
    ];
  }

  #choose(name: string): Node {
    const set = (): Promise<unknown> => this.#context.vaultClient.configure({ "model.name": name });
    return button(t("Use after a restart"), () => void runAction(this.#context, t("{name} will be used after a restart", { name }), set).then(() => this.show()), {
      class: "quiet",
      disabled: !this.#context.mayAdminister,
    });
  }
}

/** nDCG@10 by language, such as "de 0.92, ru 0.91". */
function qualityOf(quality: Readonly<Record<string, number>> = {}): string {
  const measured = Object.entries(quality).map(([language, value]) => `${language} ${number(value, 2)}`);
  return measured.join(", ") || t("not measured");
}

type Service = NonNullable<SuggestReply["service"]>;
type Suggestion = Pick<NonNullable<SuggestReply["suggestion"]>, "name" | "reason">;

function offerOf({ name, reason }: Suggestion): HTMLElement {
  return h(
    "div",
    { class: "note-box" },
    h("h2", {}, t("Another model reads your notes better")),
    h("p", {}, reason),
    h("p", {}, ...tparts("To use it, run on the server’s computer: {command}", { command: h("code", {}, `notewell index --model ${name}`) })),
  );
}
