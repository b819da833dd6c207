/** The panel for the language model that answers questions. */

import type { AskSetupReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { localPrograms, serviceForm } from "../../parts/languageModel";
import { facts, heading, Loader, runAction, type Panel } from "./panel";

export class LanguageModelPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(heading("Answers", "A language model writes the answers to questions, from your notes. Nothing is sent to one before it is chosen here."), this.#body);
  }

  show(): void {
    if (!this.#context.mayAdminister) {
      this.#body.replaceChildren(h("p", {}, "Only an administrator chooses it: sign in on the server’s computer with the link that ", h("code", {}, "notewell serve"), " prints."));
      return;
    }
    void this.#loader.load(
      () => this.#context.vaultClient.askSetup(),
      (setup) => this.#draw(setup),
    );
  }

  #draw(setup: AskSetupReply): (Node | null)[] {
    const again = (): void => {
      this.#context.showNotice("It answers from now on");
      this.show();
    };
    return [
      facts([
        ["Answers now", setup.host ? this.#inUse(setup) : "Nothing: questions are not answered"],
        ...(setup.host ? ([["Model", setup.model ?? "the best it offers"]] as const) : []),
        ...(setup.host && !setup.local ? ([["Key", KEYS[setup.key]]] as const) : []),
      ]),
      setup.host ? h("p", {}, button("Answer no questions", () => void this.#end(), { class: "quiet" })) : null,
      h("h2", {}, "On the server’s computer"),
      localPrograms(this.#context, again),
      h("h2", {}, "A service"),
      serviceForm(this.#context, setup, again),
      h("details", {}, h("summary", {}, "Details"), h("p", {}, "An address of your own is set on the server’s computer, in the file that ", h("code", {}, "notewell config path"), " shows, so that nobody can send notes elsewhere from a browser. docs/ask.md has the settings.")),
    ];
  }

  #inUse({ host, local, service, services }: AskSetupReply): string {
    const title = services.find(({ name }) => name === service)?.title;
    return local ? `A program on the server’s computer (${host})` : title ? `${title} (${host})` : `${host}, outside the server’s computer`;
  }

  async #end(): Promise<void> {
    if (await runAction(this.#context, "Questions are not answered any more", () => this.#context.vaultClient.changeAskSetup({}))) this.show();
  }
}

const KEYS: Readonly<Record<AskSetupReply["key"], string>> = {
  environment: "in the environment of the server",
  keyring: "in the keyring of the server’s computer",
  none: "none",
};
