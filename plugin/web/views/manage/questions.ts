/** Questions that wait: kept until a note answers, with the sentences that do. */

import { asServerError } from "../../../src/client";
import type { QuestionsReply, StandingQuestion } from "../../../src/contract";
import { t } from "../../../src/texts";
import type { ViewContext } from "../../app/viewContext";
import { QuestionClient } from "../../app/questionClient";
import { button, fill, h } from "../../lib/dom";
import { day } from "../../lib/format";
import { noteAddress } from "../../parts/resultRow";
import { about, Loader, nothing, type Panel, runAction } from "./panel";

const LONGEST = 500; // characters of a question

export class QuestionsPanel implements Panel {
  readonly el = h("div", { class: "questions" });
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(
      ...[
        about(t("What your notes do not say yet. When a note that you write later answers, it is shown here and on the first page, once.")),
        context.mayWrite ? this.#form() : null,
        this.#body,
      ].filter((node) => node !== null),
    );
  }

  get #client(): QuestionClient {
    return this.#context.vaultClient.as(QuestionClient);
  }

  show(): void {
    void this.#loader.load(() => this.#client.questions(), (found) => this.#draw(found));
  }

  #form(): HTMLElement {
    const field = h("input", { type: "text", placeholder: t("A question, as you would ask a person"), "aria-label": t("A question to keep"), autocomplete: "off", minlength: 3, maxlength: LONGEST, required: true });
    const form = h("form", { class: "buttons" }, field, h("button", { type: "submit", class: "primary" }, t("Keep it")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const add = async (): Promise<void> => {
        fill(this.#body, ...this.#draw(await this.#client.add(field.value)));
        field.value = "";
      };
      void runAction(this.#context, t("The question is kept"), add);
    });
    return form;
  }

  #draw({ questions }: QuestionsReply): Node[] {
    if (!questions.length) return [nothing(t("No questions wait"), t("Keep one here, or below a search that did not answer."))];
    return [h("ul", { class: "tend-items" }, ...questions.map((question) => this.#row(question)))];
  }

  #row(question: StandingQuestion): HTMLElement {
    const { id, text, added, answers } = question;
    const remove = (): void => void runAction(this.#context, t("The question is forgotten"), async () => fill(this.#body, ...this.#draw(await this.#client.remove(id))));
    if (answers.some(({ is_new }) => is_new) && this.#context.mayWrite) this.#client.shown(id).catch(asServerError); // it stays new
    return h(
      "li",
      { class: "tend-item" },
      h("h3", { dir: "auto" }, text),
      h("p", { class: "faint" }, answers.length ? t("Kept {day}", { day: day(added) }) : t("Kept {day}, not answered yet", { day: day(added) })),
      ...answers.map((answer) =>
        h(
          "div",
          {},
          h("blockquote", { dir: "auto" }, answer.text),
          h("p", { class: "meta" }, h("a", { href: noteAddress(this.#context, answer.path, answer.line), dir: "auto" }, answer.path), h("span", {}, day(answer.at)), answer.is_new ? h("strong", {}, t("New")) : null),
        ),
      ),
      this.#context.mayWrite ? h("div", { class: "buttons" }, button(t("Ask no longer"), remove, { class: "quiet", "aria-label": t("Ask no longer: {question}", { question: text }) })) : null,
    );
  }
}
