/** The past of a vault whose folder is in a git repository: which day is searched, and how a note changed. */

import { asServerError } from "../../src/client";
import type { NoteVersion } from "../../src/contract";
import { count } from "../../src/format";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { ago, day } from "../lib/format";
import { noteStyles } from "../lib/viewStyles";
import { errorBox } from "./errors";
import { t } from "../../src/texts";

const SHOWN = 20;

/** Which day is searched, and whether what is gone is found as well. Each change is a search of its own. */
export function pastForm(context: ViewContext): HTMLElement {
  const { as_of = "", ever = "" } = context.address.query;
  void noteStyles().catch(() => undefined);
  const date = h("input", { type: "date", value: as_of, max: new Date().toISOString().slice(0, 10) });
  const gone = h("input", { type: "checkbox", checked: ever === "true" });
  date.addEventListener("change", () => context.change({ as_of: date.value || null, ever: null }));
  gone.addEventListener("change", () => context.change({ ever: gone.checked ? "true" : null, as_of: null }));
  return h("p", { class: "past-form" }, h("label", {}, t("As of"), " ", date), h("label", {}, gone, " ", t("Also what is gone")));
}

/** The changes of a note that have the words of the query, newest first; without words, all of them. */
export async function drawVersions(el: HTMLElement, context: ViewContext, path: string): Promise<void> {
  const { q = "" } = context.address.query;
  el.setAttribute("aria-busy", "true");
  try {
    const [reply] = await Promise.all([context.vaultClient.history(q, path, SHOWN), noteStyles().catch(() => undefined)]);
    const { versions, total, first } = reply.total || !q ? reply : await context.vaultClient.history("", path, SHOWN);
    const begun = first && t("first written {day}", { day: day(first.at) });
    fill(el, h("p", { class: "faint" }, [count(total, "change", "changes"), begun].filter(Boolean).join(", ")), h("ol", { class: "versions" }, ...versions.map(versionRow)));
  } catch (error) {
    fill(el, errorBox(asServerError(error), () => void drawVersions(el, context, path), "h3"));
  } finally {
    el.removeAttribute("aria-busy");
  }
}

function versionRow({ at, subject, added, removed }: NoteVersion): HTMLElement {
  const lines = (name: "ins" | "del", all: readonly string[]): HTMLElement[] => all.map((line) => h("li", { dir: "auto" }, h(name, {}, line)));
  return h("li", {}, h("p", { class: "meta" }, h("time", { datetime: at, title: day(at) }, ago(at)), h("span", { dir: "auto" }, subject)), h("ul", {}, ...lines("del", removed), ...lines("ins", added)));
}
