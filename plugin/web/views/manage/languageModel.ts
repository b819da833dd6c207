/** The panel for the language model that answers questions. */

import type { AskSetupReply } from "../../../src/contract";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { localPrograms, serviceForm } from "../../parts/languageModel";
import { facts, about, Loader, runAction, type Panel } from "./panel";
import { t, tparts } from "../../../src/texts";

export class LanguageModelPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("A language model writes the answers to questions, from your notes. Nothing is sent to one before it is chosen here.")), this.#body);
  }

  show(): void {
    if (!this.#context.mayAdminister) {
      this.#body.replaceChildren(h("p", {}, ...tparts("Only an administrator chooses it: sign in on the server’s computer with the link that {command} prints.", { command: h("code", {}, "notewell serve") })));
      return;
    }
    void this.#loader.load(
      () => managing(this.#context).askSetup(),
      (setup) => this.#draw(setup),
    );
  }

  #draw(setup: AskSetupReply): (Node | null)[] {
    const again = (): void => {
      this.#context.showNotice(t("It answers from now on"));
      this.show();
    };
    return [
      facts([
        [t("Answers now"), setup.host ? this.#inUse(setup) : t("Nothing: questions are not answered")],
        ...(setup.host ? ([[t("Model"), setup.model ?? t("the best it offers")]] as const) : []),
        ...(setup.host && !setup.local ? ([[t("Key"), keys()[setup.key]]] as const) : []),
      ]),
      setup.host ? h("p", {}, button(t("Answer no questions"), () => void this.#end(), { class: "quiet" })) : null,
      h("h3", {}, t("On the server’s computer")),
      localPrograms(this.#context, again),
      h("h3", {}, t("A service")),
      serviceForm(this.#context, setup, again),
      h("details", {}, h("summary", {}, t("Details")), h("p", {}, ...tparts("An address of your own is set on the server’s computer, so that nobody can send notes elsewhere from a browser: {command}", { command: h("code", {}, "notewell config set ask.base_url URL") }))),
    ];
  }

  #inUse({ host: where, local, service, services }: AskSetupReply): string {
    const host = where ?? "";
    const title = services.find(({ name }) => name === service)?.title;
    return local ? t("A program on the server’s computer ({host})", { host }) : title ? `${title} (${host})` : t("{host}, outside the server’s computer", { host });
  }

  async #end(): Promise<void> {
    if (await runAction(this.#context, t("Questions are not answered any more"), () => managing(this.#context).changeAskSetup({}))) this.show();
  }
}

const keys = (): Readonly<Record<AskSetupReply["key"], string>> => ({
  environment: t("in the environment of the server"),
  keyring: t("in the keyring of the server’s computer"),
  none: t("none"),
});
