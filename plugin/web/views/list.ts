/** The search view: results while typing, and the selected note next to the list. */

import { asServerError } from "../../src/client";
import type { Result, SearchReply } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { count } from "../../src/format";
import { ms, nameOf } from "../lib/format";
import { conditionChips, suggestedChips } from "../parts/chips";
import { emptyBox, errorBox } from "../parts/errors";
import { Reader } from "../parts/reader";
import { moveAmong, openInObsidian, resultRow } from "../parts/resultRow";
import { startPage } from "../parts/startPage";

const FIRST = 20;
const MORE = 40;

export class ListView implements View {
  readonly title = "Search";
  readonly el = h("div", { class: "list-view" });
  readonly #context: ViewContext;
  readonly #reader: Reader;
  readonly #chips = h("div", { class: "chips" });
  readonly #info = h("div", { class: "info" });
  readonly #list = h("ol", { class: "results", "aria-label": "Results" });
  readonly #after = h("div");
  #limit = FIRST;
  #shownQuestion = "";
  #sequence = 0;
  #reply: SearchReply | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#reader = new Reader(context);
    const column = h("section", { class: "column" }, this.#chips, this.#info, this.#list, this.#after);
    this.el.append(column, this.#reader.el);
  }

  show({ query }: Address): void {
    const question = JSON.stringify([this.#context.vault?.id, query["q"], query["like"], query["mode"]]);
    if (question !== this.#shownQuestion) {
      this.#shownQuestion = question;
      this.#limit = FIRST;
      void this.#search();
    }
    const { note } = query;
    this.el.classList.toggle("has-note", !!note);
    if (note) void this.#reader.show(note, Number(query["line"] ?? 1));
    else this.#reader.hide();
    for (const row of this.#list.querySelectorAll<HTMLElement>("[data-result]")) {
      if (row.dataset["result"] === note) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "Escape" && this.#context.address.query["note"]) {
      const note = this.#context.address.query["note"];
      this.#context.change({ note: null, line: null });
      this.#list.querySelector<HTMLElement>(`[data-result="${CSS.escape(note)}"]`)?.focus();
      return true;
    }
    if (event.key === "o") return openInObsidian(this.#list);
    return moveAmong(this.#list, event.key);
  }

  async #search(): Promise<void> {
    const { q = "", like = "", mode, weak } = this.#context.address.query;
    this.#sequence += 1;
    const sequence = this.#sequence;
    if (!q && !like) {
      this.#showStart();
      return;
    }
    this.#list.setAttribute("aria-busy", "true");
    try {
      const { vaultClient: client } = this.#context;
      const limit = this.#limit;
      const parameters = { limit, ...(mode ? { mode } : {}), ...(weak ? { weak } : {}) };
      const reply = await (like ? client.similarNotes(like, limit) : client.find(q, parameters));
      if (sequence === this.#sequence) this.#draw(reply, q, like);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      fill(this.#info);
      fill(this.#list);
      fill(this.#after, errorBox(asServerError(error), () => void this.#search()));
    } finally {
      if (sequence === this.#sequence) this.#list.removeAttribute("aria-busy");
    }
  }

  /** Shows the start page while there is no query. */
  #showStart(): void {
    this.#reply = null;
    fill(this.#chips);
    fill(this.#info);
    fill(this.#list);
    this.#list.removeAttribute("aria-busy");
    fill(this.#after, startPage(this.#context));
  }

  #draw(reply: SearchReply, q: string, like: string): void {
    this.#reply = reply;
    const { results, total } = reply;
    const note = this.#context.address.query["note"];
    const options = { opened: (result: Result) => this.#opened(result), isCurrent: false };
    fill(this.#chips, ...this.#ofQuery(q, like), ...(like ? [] : suggestedChips(this.#context, q, results)));
    fill(this.#info, ...this.#facts(reply));
    fill(
      this.#list,
      ...results.map((result) => resultRow(this.#context, result, { ...options, isCurrent: result.path === note })),
    );
    fill(this.#after, this.#footer(reply));
    this.#context.notices.announce(count(Math.min(total, results.length), "note", "notes"));
  }

  #ofQuery(q: string, like: string): HTMLElement[] {
    if (!like) return conditionChips(this.#context, q);
    const stop = (): void => this.#context.change({ like: null });
    const chip = button(`Similar to: ${nameOf(like)}`, stop, { class: "chip is-set" });
    chip.append(icon("close"));
    return [chip];
  }

  #facts({ results, total, took_ms, mode, warnings, confidence, filtered, corrected }: SearchReply): (Node | null)[] {
    if (results.length === 0) return warnings.filter((text) => !isSaidBelow(text)).map((text) => h("p", { class: "warning" }, text));
    const found = total - weakCount(filtered, results);
    const shown = found > results.length ? `${results.length} of ${count(found, "note", "notes")}` : count(found, "note", "notes");
    const facts = [shown, ms(took_ms), mode === "hybrid" || this.#context.address.query["like"] ? "" : `${mode} only`].filter(Boolean);
    const isDoubtful = confidence !== null && confidence < 0.12;
    return [
      h("h1", { class: "unseen" }, "Results"),
      h("p", { class: "facts" }, facts.join(" · ")),
      button(icon("share"), () => share(this.#context), { class: "plain", "aria-label": "Copy a link to this search" }),
      corrected ? h("p", { class: "facts" }, `Results for “${corrected.text}”`) : null,
      isDoubtful ? h("p", { class: "warning" }, "None of these notes is a clear match.") : null,
      ...warnings.map((text) => h("p", { class: "warning" }, text)),
    ];
  }

  #footer({ results, total, filtered, corrected }: SearchReply): Node | null {
    if (results.length === 0) return this.#nothing(weakCount(filtered, results), corrected?.text);
    if (total - weakCount(filtered, results) <= results.length || results.length < this.#limit || this.#limit >= 1000) return null;
    const more = (): void => {
      this.#limit = Math.min(1000, this.#limit + MORE);
      void this.#search();
    };
    return button("More notes", more, { class: "quiet more" });
  }

  #nothing(weak: number, corrected: string | undefined): Node {
    const advice = "Try fewer or different words, or remove a filter.";
    if (weak === 0) return emptyBox("Nothing found", advice);
    const show = (): void => this.#context.change({ weak: "true" });
    const label = `Show ${count(weak, "weak match", "weak matches")}`;
    const text = corrected ? `Also searched: “${corrected}”. ${advice}` : advice;
    return emptyBox("Nothing matches well", text, button(label, show, { class: "quiet" }));
  }

  #opened(result: Result): void {
    const reply = this.#reply;
    if (!reply || !this.#context.has("opened") || !reply.query) return;
    const rank = reply.results.indexOf(result) + 1;
    // Only for statistics, so a failure is ignored.
    this.#context.vaultClient.opened(reply.query_id, reply.query, result.path, rank).catch(asServerError);
  }
}

/** Copies the address of the current view, for another device that is signed in. */
async function share(context: ViewContext): Promise<void> {
  const url = `${location.origin}/${context.to(context.address.view, { vault: context.vault?.name ?? null, ...context.address.query }, context.address.part)}`;
  try {
    await navigator.clipboard.writeText(url);
    context.showNotice("Link copied");
  } catch {
    context.showNotice(url); // clipboards are for secure origins; elsewhere the person copies it
  }
}

/** How many weak matches were left out. */
function weakCount(filtered: SearchReply["filtered"], results: readonly Result[]): number {
  const weak = filtered["weak"] ?? 0;
  return results.some(({ match }) => match === "weak") ? 0 : weak;
}

/** Whether the box for an empty list says the same. */
function isSaidBelow(warning: string): boolean {
  return warning.startsWith("Nothing matches well");
}
