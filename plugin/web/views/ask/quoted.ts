/** An answer without a language model: the sentences of notes that answer a question, quoted and linked. */

import { asServerError } from "../../../src/client";
import type { EvidenceReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { fill, h } from "../../lib/dom";
import { errorBox } from "../../parts/errors";
import { folderText, noteAddress } from "../../parts/resultRow";
import { t } from "../../../src/texts";

/** The question with its answers, which are drawn once they are found. */
export function quotedTurn(context: ViewContext, question: string): HTMLElement {
  const body = h("div", { class: "ask-quoted", "aria-live": "polite", "aria-busy": "true" });
  const find = async (): Promise<void> => {
    try {
      fill(body, ...answers(context, await context.vaultClient.evidence(question)));
    } catch (error) {
      fill(body, errorBox(asServerError(error), () => void find()));
    } finally {
      body.removeAttribute("aria-busy");
    }
  };
  void find();
  return h("article", { class: "turn" }, h("h2", { dir: "auto", tabindex: "-1" }, question), body);
}

function answers(context: ViewContext, { query, said, answers: found, nearest }: EvidenceReply): HTMLElement[] {
  const more = h("p", {}, h("a", { href: context.to("search", { q: query }) }, t("All results")));
  if (!said && nearest.length === 0) return [h("p", {}, t("Nothing in your notes matches this. Ask with other words.")), more];
  const quote = (text: string, { path, title, line }: { path: string; title: string; line: number }): HTMLElement => {
    const source = h("p", { class: "meta" }, h("a", { href: noteAddress(context, path, line), dir: "auto" }, title), folderText(path));
    return h("li", {}, h("blockquote", { dir: "auto" }, text), source);
  };
  const rows = said ? found.map((one) => quote(one.text, one)) : nearest.map((one) => quote(one.snippet, one));
  return [h("h3", {}, said ? t("From your notes") : t("Your notes do not say. The nearest passages:")), h("ol", {}, ...rows), more];
}
