/** A saved link in the list: where it leads, where it was saved, and buttons for its status. */

import type { GleaningStatus, GleaningView } from "../../../../src/contract";
import { asServerError } from "../../../../src/client";
import { managing } from "../../../app/manageClient";
import type { ViewContext } from "../../../app/viewContext";
import { button, h } from "../../../lib/dom";
import { day } from "../../../lib/format";
import { noteAddress } from "../../../parts/resultRow";
import { refusalOf } from "../../../parts/refusals";
import { t } from "../../../../src/texts";

export const statusWords = (): Readonly<Record<GleaningStatus, string>> => ({ active: t("active"), inactive: t("dead"), hidden: t("hidden") });
const statusActions = (): Readonly<Record<GleaningStatus, string>> => ({ active: t("Make active"), inactive: t("Mark as dead"), hidden: t("Hide") });

/** `changed` is called after the status was changed here. */
export function gleaningRow(context: ViewContext, one: GleaningView, changed: () => void): HTMLElement {
  const href = webAddress(one.url);
  const row = h(
    "li",
    { class: "result gleaning" },
    h("h3", { dir: "auto" }, href ? outside(href, one.title) : one.title),
    h("p", { class: "meta" }, ...marks(context, one)),
    one.description ? h("p", { class: "snippet", dir: "auto" }, one.description) : null,
    one.reason ? h("p", { class: "faint" }, one.reason) : null,
    one.status === "inactive" && href ? h("p", {}, outside(archiveAddress(href), t("find it in the archive"))) : null,
    context.mayWrite ? h("div", { class: "buttons" }, ...actions()) : null,
  );
  return row;

  function actions(): HTMLElement[] {
    const others = (Object.keys(statusActions()) as GleaningStatus[]).filter((status) => status !== one.status);
    return others.map((status) =>
      button(statusActions()[status], () => void mark(status), { class: "quiet", "aria-label": `${statusActions()[status]}: ${one.title}` }),
    );
  }

  /** The row stays where it is, also if it no longer fits the filter: a wrong press can be taken back. */
  async function mark(status: GleaningStatus): Promise<void> {
    try {
      const after = gleaningRow(context, await managing(context).markGleaning(one.id, status), changed);
      row.replaceWith(after);
      after.querySelector("button")?.focus();
      context.showNotice(t("Now {status}", { status: statusWords()[status] }));
      changed();
    } catch (error) {
      context.showNotice(refusalOf(asServerError(error)));
    }
  }
}

function marks(context: ViewContext, one: GleaningView): (HTMLElement | null)[] {
  const saved = one.days.length > 1 ? t("saved on {n} days, first {day}", { n: one.days.length, day: day(one.created) }) : t("saved {day}", { day: day(one.created) });
  return [
    h("span", { class: one.status === "inactive" ? "warning" : null }, statusWords()[one.status]),
    h("span", { dir: "auto" }, one.domain),
    h("a", { href: noteAddress(context, one.source, one.line) }, saved),
    one.note ? h("a", { href: noteAddress(context, one.note) }, t("its note")) : null,
  ];
}

/** The versions of a page that the Internet Archive has. */
export function archiveAddress(url: string): string {
  return `https://web.archive.org/web/*/${url}`;
}

/** The address, if it leads to the web: nothing else in a daily note becomes a link here. */
function webAddress(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : null;
}

function outside(href: string, label: string): HTMLElement {
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, label);
}
