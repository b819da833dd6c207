/** What the notes promise, decide or ask and never take up again, by week. */

import type { OpenEnd, OpenEndsReply } from "../../../src/contract";
import { t } from "../../../src/texts";
import { OpenEndsClient } from "../../app/openEndsClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { day } from "../../lib/format";
import { noteAddress } from "../../parts/resultRow";
import { about, Loader, nothing, type Panel, runAction } from "./panel";

const kinds = (): Readonly<Record<OpenEnd["kind"], string>> => ({
  promised: t("Promised"),
  decided: t("Decided"),
  asked: t("Asked"),
});

export class OpenEndsPanel implements Panel {
  readonly el = h("div", { class: "open-ends" });
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("Sentences of your notes that promise, decide or ask something, and that nothing later takes up. They are found by rules, for English and German.")), this.#body);
  }

  get #client(): OpenEndsClient {
    return this.#context.vaultClient.as(OpenEndsClient);
  }

  show(): void {
    void this.#loader.load(() => this.#client.openEnds(), (found) => this.#draw(found));
  }

  #draw({ weeks, total }: OpenEndsReply): Node[] {
    if (!weeks.length) return [nothing(t("Nothing was left open"), t("No note has such a sentence, or each was taken up or dismissed."))];
    const shown = weeks.reduce((sum, { ends }) => sum + ends.length, 0);
    const more = total > shown ? [h("p", { class: "faint" }, t("The newest {shown} of {total}.", { shown, total }))] : [];
    const groups = weeks.map(({ start, ends }) =>
      h("section", {}, h("h3", {}, t("Week of {day}", { day: day(`${start}T12:00:00`) })), h("ul", { class: "tend-items" }, ...ends.map((end) => this.#row(end)))),
    );
    return [...groups, ...more];
  }

  #row({ id, kind, text, path, title, line }: OpenEnd): HTMLElement {
    const dismiss = (): void => void runAction(this.#context, t("It is shown no longer"), async () => fill(this.#body, ...this.#draw(await this.#client.dismiss(id, true))));
    return h(
      "li",
      { class: "tend-item" },
      h("p", { dir: "auto" }, text),
      h("p", { class: "meta" }, h("span", { class: "faint" }, kinds()[kind]), h("a", { href: noteAddress(this.#context, path, line), dir: "auto" }, title)),
      this.#context.mayWrite ? h("div", { class: "buttons" }, button(t("Dismiss"), dismiss, { class: "quiet", "aria-label": t("Dismiss: {text}", { text }) })) : null,
    );
  }
}
