/** The search view: results while typing, as a list, by time or with their links; the selected note and what surrounds it. */

import { asServerError, type ServerError } from "../../src/client";
import type { Result, SearchReply } from "../../src/contract";
import { Timer } from "../../src/support";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { arrange } from "../lib/arrange";
import { fill, h } from "../lib/dom";
import { count } from "../../src/format";
import { conditionChips, likeChip, pastChips, suggestedChips } from "../parts/chips";
import { errorBox } from "../parts/errors";
import { keptNotes } from "../parts/keptNotes";
import { askFor, questionOf, searchedVault, tellOpened } from "../app/searches";
import { divider } from "../parts/divider";
import { ListHead } from "../parts/listHead";
import { closeTop, toggleWhy } from "../parts/openNote";
import { listEnd } from "../parts/noMatch";
import { Reader } from "../parts/reader";
import { moveAmong, openInObsidian, resultRow, rowKey } from "../parts/resultRow";
import { ResultViews } from "../parts/resultViews";
import { OFFERS } from "../parts/searchBox";
import { groupedRows, sorted, steadied, weakCount, type SortOrder } from "../parts/resultGroups";
import { startPage } from "../parts/startPage";
import { t } from "../../src/texts";

const SHOWN = 20; // rows drawn at first, and added at a time
const FIRST = 50; // results of the first request; chips count in them
const MOST = 500; // further ones are found by narrowing
const PREVIEW_MS = 250; // of rest before the first result is read
const REST_MS = 800; // of typing, after which a list that found nothing is shown
const REFRESH_MS = 4_000; // between refreshes while the index grows

export class ListView implements View {
  readonly title = t("Search");
  readonly el = h("div", { class: "list-view" });
  readonly #context: ViewContext;
  readonly #reader: Reader;
  readonly #chips = h("div", { class: "chips" });
  readonly #head: ListHead;
  readonly #list = h("ol", { class: "results", "aria-label": t("Results") });
  readonly #after = h("div");
  readonly #views: ResultViews;
  readonly #preview = new Timer();
  readonly #rest = new Timer();
  readonly #refresh = new Timer();
  readonly #reading = new Timer();
  readonly #wide = matchMedia("(min-width: 1100px)");
  #shown = SHOWN;
  #limit = FIRST;
  #shownQuestion = "";
  #sequence = 0;
  #reply: SearchReply | null = null;
  #vault: string | undefined;
  #isHere = false;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#reader = new Reader(context, () => this.#reply?.results ?? []);
    this.#head = new ListHead(context, this.#list);
    this.#views = new ResultViews(context, this.el, [this.#list, this.#after]);
    const above = h("div", { class: "above-list" }, this.#chips, h("div", { id: OFFERS }));
    const column = h("section", { class: "column" }, above, this.#head.el, this.#list, this.#after, this.#views.drawn);
    const bars = [divider(this.el, column, "list", t("Width of the list")), divider(this.el, this.#reader.rail, "rail", t("Width of the column at the side"))];
    this.el.append(column, this.#reader.el, this.#reader.rail, this.#views.why, ...bars);
    this.#wide.addEventListener("change", () => this.#isHere && this.show(context.address));
    window.addEventListener("scroll", () => this.#isHere && this.#reading.setOnce(PREVIEW_MS, () => this.#keepPlace()), { passive: true });
    context.status.subscribe((_, isChanged) => isChanged && this.#reloadSoon());
    new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && this.#more(), { rootMargin: "600px" }).observe(this.#after);
  }

  show({ query }: Address): void {
    this.#isHere = true;
    if (this.#vault !== searchedVault(this.#context)) this.#forget();
    const question = questionOf(this.#context);
    if (question !== this.#shownQuestion) {
      this.#shownQuestion = question;
      this.#reading.clear();
      this.#shown = Math.max(SHOWN, this.#context.step.rows ?? 0);
      this.#limit = query["sort"] ? MOST : Math.max(FIRST, this.#shown);
      void this.#search();
    } else if (this.#reply) {
      this.#head.show(this.#reply, this.#found);
      this.#views.show(this.#reply);
    }
    this.#showNote();
  }

  /** Notes of the vault before are not in this one: none of them is read while its answer is on its way. */
  #forget(): void {
    this.#vault = searchedVault(this.#context);
    this.#reply = null;
    fill(this.#list);
  }

  leave(): void {
    this.#isHere = false;
    this.#views.show(null);
  }

  /** The row of a note of the selected vault. */
  #keyOf(path: string): string {
    return rowKey({ path, vault: this.#context.isEverywhere ? this.#context.vault?.name ?? null : null });
  }

  key({ key }: KeyboardEvent): boolean {
    const acts: Readonly<Record<string, () => boolean>> = {
      Escape: () => closeTop(this.#context, (path) => this.#row(this.#keyOf(path))?.focus()),
      o: () => openInObsidian(this.#list),
      t: () => toggleWhy(this.#context, this.#reply?.results[0]?.path),
      n: () => this.#reader.step(1),
      p: () => this.#reader.step(-1),
    };
    const act = acts[key];
    if (act) return act();
    if (key === "Enter" && this.#wide.matches && document.activeElement?.matches("[data-result]")) return openInObsidian(this.#list);
    const isMoved = moveAmong(this.#list, key);
    if (isMoved && this.#wide.matches) this.#select();
    return isMoved;
  }

  /** Reads the focused result at once; going through a list adds no steps to the browser's history. */
  #select(): void {
    const { activeElement: row } = document;
    const key = row instanceof HTMLElement ? row.dataset["result"] : undefined;
    const result = this.#reply?.results.find((one) => rowKey(one) === key);
    if (!result) return;
    const line = result.line > 1 ? String(result.line) : null;
    this.#context.change({ ...(result.vault && { vault: result.vault }), note: result.path, line }, true);
  }

  /** Shows the note of the address; on a wide screen the first result where the address has none. */
  #showNote(): void {
    const { note, line } = this.#context.address.query;
    const first = this.#wide.matches && !this.#views.isDrawn ? this.#reply?.results[0] : undefined;
    this.el.classList.toggle("has-note", !!note || !!first);
    const current = note ? this.#keyOf(note) : first && rowKey(first);
    this.#views.explain(note ?? first?.path);
    this.#preview.clear();
    if (note) void this.#reader.show(note, Number(line ?? 1), true);
    else if (first) this.#preview.set(PREVIEW_MS, () => this.#read(first));
    else this.#reader.hide();
    this.#mark(current);
  }

  #mark(current: string | undefined): void {
    for (const row of this.#list.querySelectorAll<HTMLElement>("[data-result]")) {
      if (row.dataset["result"] === current) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  /** Reads the first result, which may be of another vault than the one selected. */
  #read({ path, line, vault }: Result): void {
    if (vault && vault !== this.#context.vault?.name) this.#context.change({ vault, note: path, line: null }, true);
    else void this.#reader.show(path, line);
  }

  async #search(): Promise<void> {
    const { q = "", like = "" } = this.#context.address.query;
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.#rest.clear();
    if (!q && !like) {
      this.#showStart();
      return;
    }
    this.#list.setAttribute("aria-busy", "true");
    try {
      const reply = await askFor(this.#context, this.#limit);
      if (sequence === this.#sequence) this.#whenGood(reply.results.length > 0, () => this.#take(reply));
      if (sequence === this.#sequence && reply.approximate) this.#rest.set(REST_MS, () => this.#context.settle()); // asks the model
    } catch (error) {
      const problem = asServerError(error);
      if (sequence === this.#sequence) this.#whenGood(false, () => this.#fail(problem));
    }
  }

  /** While somebody types, the list of before stays until there is a better one, or typing has rested. */
  #whenGood(isGood: boolean, show: () => void): void {
    const act = (): void => {
      this.#list.removeAttribute("aria-busy");
      show();
    };
    if (isGood || !this.#context.step.isTyped) act();
    else this.#rest.set(REST_MS, act);
  }

  #fail(problem: ServerError): void {
    this.#shownQuestion = "";
    this.#reply = null;
    this.#head.clear();
    fill(this.#chips, ...pastChips(this.#context));
    fill(this.#list);
    this.#views.show(this.#reply);
    this.#showNote(); // a note of another search is no answer to this one
    const sequence = this.#sequence;
    if (problem.kind === "unreachable") void keptNotes(this.#context).then((kept) => sequence === this.#sequence && fill(this.#after, kept));
    else fill(this.#after, errorBox(problem, () => void this.#search()));
  }

  #showStart(): void {
    this.#reply = null;
    fill(this.#chips);
    this.#head.clear();
    fill(this.#list);
    this.#list.removeAttribute("aria-busy");
    fill(this.#after, startPage(this.#context));
    this.#views.show(this.#reply);
    this.#showNote();
  }

  /** Remembers how far the list was read, for when the browser comes back to it. */
  #keepPlace(): void {
    if (this.#isHere && this.#reply) this.#context.keep({ scroll: scrollY, rows: this.#shown });
  }

  #take(reply: SearchReply): void {
    const isNew = this.#reply?.query !== reply.query;
    this.#reply = this.#context.step.isTyped ? steadied(reply, this.#reply) : reply;
    this.#draw();
    if (isNew) scrollTo(0, this.#context.step.scroll ?? 0);
    this.#showNote();
    if (isNew) this.#context.notices.announce(count(this.#found, "note", "notes"));
  }

  /** How many notes match, without weak ones that are folded. */
  get #found(): number {
    if (!this.#reply) return 0;
    return this.#reply.total - weakCount(this.#reply.filtered, this.#reply.results);
  }

  #draw(): void {
    const reply = this.#reply;
    if (!reply) return;
    const { q = "", like = "", sort = "" } = this.#context.address.query;
    const { results } = reply;
    fill(this.#chips, ...(like ? [likeChip(this.#context, like)] : [...pastChips(this.#context), ...conditionChips(this.#context, q)]), ...(like ? [] : suggestedChips(this.#context, q, results)));
    this.#head.show(reply, this.#found);
    const rows = sorted(results, sort as SortOrder).slice(0, this.#shown);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["result"] : undefined;
    const drawn = sort ? rows.map((one) => this.#rowOf(one)) : groupedRows(rows, (one) => this.#rowOf(one));
    arrange(this.#list, drawn);
    if (focused) this.#row(focused)?.focus({ preventScroll: true });
    fill(this.#after, listEnd(this.#context, reply, this.#found, this.#hasMore(reply)));
    this.#views.show(this.#reply);
  }

  #rowOf(result: Result): HTMLElement {
    const { q = "", note } = this.#context.address.query;
    const line = result.line > 1 ? String(result.line) : null;
    const why = q ? this.#context.to("search", { ...this.#context.address.query, note: result.path, line, why: "yes", ...(result.vault && { vault: result.vault }) }) : null;
    const isCurrent = !!note && rowKey(result) === this.#keyOf(note);
    return resultRow(this.#context, result, { opened: (one) => tellOpened(this.#context, this.#reply, one), isCurrent, why });
  }

  #row(key: string): HTMLElement | null {
    return this.#list.querySelector<HTMLElement>(`[data-result="${CSS.escape(key)}"]`);
  }

  #hasMore({ results }: SearchReply): boolean {
    return this.#shown < results.length || (results.length < this.#found && this.#limit < MOST);
  }

  /** Draws further rows as one scrolls; asks for more where all are drawn. */
  #more(): void {
    const reply = this.#reply;
    if (!this.#isHere || !reply || this.#list.hasAttribute("aria-busy")) return;
    if (this.#shown < reply.results.length) {
      this.#shown += SHOWN;
      this.#draw();
    } else if (reply.results.length >= this.#limit && reply.results.length < this.#found && this.#limit < MOST) {
      this.#shown += SHOWN;
      this.#limit = Math.min(MOST, this.#limit * 2);
      void this.#search();
    }
  }

  /** Notes have changed: the list is brought up to date, but not while one is pointed at. */
  #reloadSoon(): void {
    this.#refresh.setOnce(REFRESH_MS, async () => {
      const { q = "", like = "" } = this.#context.address.query;
      if (!this.#isHere || !this.#reply || this.#rest.isSet || (!q && !like)) return;
      if (this.#list.matches(":hover")) {
        this.#reloadSoon();
        return;
      }
      const sequence = this.#sequence;
      try {
        const reply = await askFor(this.#context, this.#limit);
        if (sequence === this.#sequence) this.#take(reply);
      } catch (error) {
        asServerError(error); // the list stays as it was; the next search tells of it
      }
    });
  }
}
