/** The models panel: available and installed models, and which one is in use. */

import { asServerError } from "../../../src/client";
import type { CatalogueReply, SuggestReply } from "../../../src/contract";
import { costText, count } from "../../../src/format";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { details, facts, about, Loader, table, runAction, type Panel } from "./panel";
import { locale, number, t, tparts } from "../../../src/texts";

export class ModelsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #offer = h("div", { role: "status" });
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    const text = t("A model finds notes by their meaning. With another one, all notes are read anew; what an earlier one computed is kept, so switching back is immediate.");
    this.el.append(about(text), this.#offer, this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => managing(this.#context).models(),
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
      fill(this.#offer, suggestion && h("div", { class: "note-box" }, ...offerOf(suggestion), this.#choose(suggestion.name)), service && this.#consent(service));
    } catch (error) {
      asServerError(error); // the list is shown without an offer
    }
  }

  /** What the service is sent and costs, and the button that allows it, or forbids it again. */
  #consent(service: Service): HTMLElement {
    const { host, allowed } = service;
    const answer = (wanted: boolean): Promise<void> =>
      runAction(this.#context, wanted ? t("Notes may be sent to {host}", { host }) : t("Nothing is sent to {host} any more", { host }), () =>
        managing(this.#context).allowHost(host, wanted),
      ).then(() => this.show());
    const mayAnswer = this.#context.mayAdminister && this.#context.has("allow_host");
    const isLocal = service.sent.startsWith("Nothing leaves");
    const command = `notewell models allow ${host}${allowed ? " --forbid" : ""}`;
    return h(
      "div",
      { class: "note-box" },
      h("h3", {}, allowed ? t("A service embeds your notes") : t("May your notes be sent to a service?")),
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
        [t("In use"), found.answering ? nameIn(found.answering) : t("none: notes are found by their words")],
      ]),
      table(
        t("Models"),
        [t("Model"), t("Languages"), t("Quality"), t("Time"), t("Download"), t("Use")],
        found.models.map((model) => [
          model.name,
          model.languages.map(languageName).join(", "),
          qualityOf(model.quality),
          model.time ? `${number(model.time, model.time % 1 ? 1 : 0)}×` : "–",
          model.present ? t("installed") : `${number(model.download_mb)} MB`,
          model.configured ? t("chosen") : this.#choose(model.name),
        ]),
      ),
      h("p", { class: "faint" }, t("Quality: whether the right notes came near the top in a test of each language. Time: what reading a note takes beside the first model.")),
      details(technical(found)),
    ];
  }

  #choose(name: string): Node {
    const set = (): Promise<unknown> => managing(this.#context).configure({ "model.name": name });
    return button(t("Use after a restart"), () => void runAction(this.#context, t("{name} will be used after a restart", { name }), set).then(() => this.show()), {
      class: "quiet",
      disabled: !this.#context.mayAdminister,
    });
  }
}

/** What the makers of models say of them, for those who know the words. */
function technical({ models, answering }: CatalogueReply): HTMLElement {
  const rows = models.map(({ name, dimensions, max_tokens: tokens, licence, quality }): [string, string] => [
    name,
    [t("{dimensions} dimensions, up to {tokens} tokens of a passage, licence: {licence}", { dimensions, tokens, licence }), figuresOf(quality)].filter(Boolean).join("; "),
  ]);
  return h("div", {}, h("p", { class: "faint" }, t("The numbers of languages are nDCG@10 of searches by meaning alone.")), facts([...(answering ? [[t("In use"), answering] as const] : []), ...rows]));
}

/** "all-MiniLM-L6-v2" of "all-MiniLM-L6-v2/53aa51172d14/int8": the name without its version and the form of its vectors. */
function nameIn(identity: string): string {
  const parts = identity.split("/");
  return parts.length > 2 ? parts.slice(0, -2).join("/") : identity;
}

/** "German" of "de"; "94 languages" of what the server writes about a model of many. */
function languageName(language: string): string {
  const many = /^multilingual \((\d+) /.exec(language)?.[1];
  if (many) return count(Number(many), "language");
  return /^[a-z]{2}$/.test(language) ? (new Intl.DisplayNames(locale(), { type: "language" }).of(language) ?? language) : language;
}

/** From here on a model finds most of what is meant in a language (nDCG@10). */
const GOOD = 0.6;

/** "good in English and German; weak in Russian". */
function qualityOf(quality: Readonly<Record<string, number>> = {}): string {
  const list = new Intl.ListFormat(locale());
  const named = (isGood: boolean): string =>
    list.format(Object.entries(quality).filter(([, value]) => value >= GOOD === isGood).map(([language]) => languageName(language)));
  const [good, weak] = [named(true), named(false)];
  return [good && t("good in {languages}", { languages: good }), weak && t("weak in {languages}", { languages: weak })].filter(Boolean).join("; ") || "–";
}

/** "German 0.92, Russian 0.91". */
function figuresOf(quality: Readonly<Record<string, number>> = {}): string {
  return Object.entries(quality).map(([language, value]) => `${languageName(language)} ${number(value, 2)}`).join(", ");
}

type Service = NonNullable<SuggestReply["service"]>;
type Suggestion = Pick<NonNullable<SuggestReply["suggestion"]>, "name" | "reason">;

function offerOf({ name, reason }: Suggestion): HTMLElement[] {
  return [
    h("h3", {}, t("Another model reads your notes better")),
    h("p", {}, reason),
    h("p", {}, ...tparts("To read all notes with it at once, run on the server’s computer: {command}", { command: h("code", {}, `notewell index --model ${name}`) })),
  ];
}
