/** A base, Obsidian's table of notes, as the server computes it: its rows, or why they are shown by Obsidian alone. */

import { asServerError } from "../../src/client";
import type { BaseCell, BaseReply } from "../../src/contract";
import { count } from "../../src/format";
import { t } from "../../src/texts";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { noteAddress } from "./resultRow";

/** Which base, and where it stands: `within` is the note that embeds it; a view that is named is shown alone. */
export interface BasePlace {
  readonly path: string;
  readonly view?: string | undefined;
  readonly within?: string;
}

/** Fills `el` with the table of a base once its rows are known. */
export function drawBase(el: HTMLElement, context: ViewContext, place: BasePlace): HTMLElement {
  el.setAttribute("aria-busy", "true");
  void show(el, context, place, place.view);
  return el;
}

async function show(el: HTMLElement, context: ViewContext, place: BasePlace, view: string | undefined): Promise<void> {
  try {
    const { path, within } = place;
    const base = await context.vaultClient.base({ path, ...(view && { view }), ...(within && { within }) });
    const choose = (name: string): void => void show(el, context, place, name);
    fill(el, place.view ? null : tabs(base, choose), base.problem ? h("p", { class: "faint" }, base.problem) : table(context, base));
  } catch (error) {
    fill(el, h("p", { class: "faint" }, asServerError(error).message));
  } finally {
    el.removeAttribute("aria-busy");
  }
}

function tabs({ views, view }: BaseReply, choose: (name: string) => void): HTMLElement | null {
  if (views.length < 2) return null;
  const buttons = views.map((name) => button(name, () => choose(name), { class: "quiet", "aria-pressed": String(name === view) }));
  return h("div", { class: "base-views", role: "group", "aria-label": t("Views") }, ...buttons);
}

function table(context: ViewContext, { columns, rows, total, view }: BaseReply): HTMLElement {
  if (total === 0) return h("p", { class: "faint" }, t("No note belongs to “{view}”.", { view }));
  const head = h("tr", {}, ...columns.map((name) => h("th", { scope: "col", dir: "auto" }, name)));
  const body = rows.map(({ cells }) => h("tr", {}, ...cells.map((cell) => h("td", { dir: "auto" }, shown(context, cell)))));
  const more = rows.length < total ? t("{k} of {n}", { k: rows.length, n: total }) : count(total, "note", "notes");
  return h("div", {}, h("div", { class: "base-scroll", tabindex: "0", role: "region", "aria-label": view }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...body))), h("p", { class: "faint" }, more));
}

function shown(context: ViewContext, { text: value, path }: BaseCell): Node | string {
  return path ? h("a", { href: noteAddress(context, path) }, value) : value;
}
