/** An answer without a language model: the passages of notes that match the question best, quoted and linked. */

import { asServerError } from "../../../src/client";
import type { Result } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { fill, h } from "../../lib/dom";
import { marked } from "../../lib/marks";
import { errorBox } from "../../parts/errors";
import { folderText, noteAddress } from "../../parts/resultRow";
import { t } from "../../../src/texts";

const QUOTED = 5;

/** The question with its passages, which are drawn once they are found. */
export function quotedTurn(context: ViewContext, question: string): HTMLElement {
  const body = h("div", { class: "ask-quoted", "aria-live": "polite", "aria-busy": "true" });
  const find = async (): Promise<void> => {
    try {
      const { results } = await context.vaultClient.find(question, { limit: QUOTED, weak: true });
      fill(body, ...quotes(context, question, results));
    } catch (error) {
      fill(body, errorBox(asServerError(error), () => void find()));
    } finally {
      body.removeAttribute("aria-busy");
    }
  };
  void find();
  return h("article", { class: "turn" }, h("h2", { dir: "auto", tabindex: "-1" }, question), body);
}

function quotes(context: ViewContext, question: string, results: readonly Result[]): HTMLElement[] {
  const more = h("p", {}, h("a", { href: context.to("search", { q: question }) }, t("All results")));
  const good = results.filter(({ match }) => match !== "weak");
  const shown = good.length ? good : results;
  if (shown.length === 0) return [h("p", {}, t("Nothing in your notes matches this. Ask with other words.")), more];
  const rows = shown.map((result) => {
    const { path, title, line, snippet, highlights } = result;
    const source = h("p", { class: "meta" }, h("a", { href: noteAddress(context, path, line), dir: "auto" }, title), folderText(path));
    return h("li", {}, h("blockquote", { dir: "auto" }, ...marked(snippet, highlights)), source);
  });
  return [h("h3", {}, good.length ? t("From your notes") : t("Nothing matches well. These passages are nearest:")), h("ol", {}, ...rows), more];
}
