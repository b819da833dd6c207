/** The search log panel: queries in this vault, and the results that were opened. */

import type { LogReply } from "../../../src/contract";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { ago, ms, nameOf } from "../../lib/format";
import { heading, Loader, table, runAction, type Panel } from "./panel";
import { t } from "../../../src/texts";

const SHOWN = 200;

export class LogPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(heading(t("Searches"), t("The log stays on the server’s computer. It is used to measure and improve the search.")), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => managing(this.#context).queries(SHOWN),
      (log) => this.#draw(log),
    );
  }

  #draw(log: LogReply): (Node | null)[] {
    if (!log.enabled) return [h("p", {}, t("The log is switched off."))];
    const clear = (): void => void runAction(this.#context, t("Cleared"), () => managing(this.#context).clearLog()).then(() => this.show());
    return [
      h("p", { class: "buttons" }, h("span", { class: "faint" }, count(log.total, "search", "searches")), log.total ? button(t("Clear the log"), clear, { class: "quiet" }) : null),
      table(
        t("Searches"),
        [t("When"), t("Query"), t("Client"), t("Top results"), t("Opened"), t("Took")],
        log.entries.map((one) => [
          ago(one.at),
          h("a", { href: this.#context.to("search", { q: one.query }) }, one.query),
          one.door,
          one.results[0] ? nameOf(one.results[0].path) : t("nothing"),
          one.opened.map(({ path, rank }) => nameOf(path) + (rank === null ? "" : ` (${rank}.)`)).join(", "),
          ms(one.took_ms),
        ]),
      ),
      log.verdicts.length
        ? table(
            t("Verdicts"),
            [t("Query"), t("Note"), t("Verdict")],
            log.verdicts.map(({ query, path, verdict }) => [query, nameOf(path), verdict.replaceAll("_", " ")]),
          )
        : null,
    ];
  }
}
