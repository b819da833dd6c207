/** The bar: searches while typing, completes filters, and offers names, actions, the question and earlier searches. */

import type { ViewContext } from "../app/viewContext";
import { Timer } from "../../src/support";
import type { ViewName } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { actions, completions, isFilter, names, question, remembered, type BarRow } from "./barRows";
import { isSaved, remember, toggleSaved } from "./searchHistory";
import { t } from "../../src/texts";

/** The id of the place among the results for what is offered there. */
export const OFFERS = "offers";
const PAUSE_MS = 90; // between two searches while somebody types
/** Views that search while typing; in the others, submitting a query opens the list. */
const SEARCHES: ReadonlySet<ViewName> = new Set(["search"]);

export class SearchBox {
  readonly el: HTMLElement;
  readonly #context: ViewContext;
  readonly #typing = new Timer();
  #sentAt = -PAUSE_MS;
  readonly #input = h("input", {
    id: "q",
    type: "search",
    role: "combobox",
    placeholder: t("Search your notes"),
    "aria-label": t("Search your notes"),
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": "suggestions",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    enterkeyhint: "search",
    maxlength: "4096",
  });
  readonly #list = h("ul", { id: "suggestions", role: "listbox", "aria-label": t("Suggestions"), hidden: true });
  readonly #star = button(icon("star"), () => this.#toggleSaved(), { class: "plain star" });
  #suggestions: readonly BarRow[] = [];
  #chosen = -1;
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
    const form = { class: "search-box", role: "search", on: { submit: (e: Event) => this.#submit(e) } };
    this.el = h("form", form, icon("search"), this.#input, h("kbd", { "aria-hidden": "true" }, t("Ctrl K")), this.#star, this.#list);
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("focus", () => !this.#input.value && void this.#suggest());
    this.#input.addEventListener("blur", () => this.#hide());
    this.#list.addEventListener("mousedown", (event) => this.#pick(event));
  }

  /** Shows the query of the address, unless the user is typing. */
  show(query: string): void {
    const isSame = this.#input.value.trim() === query; // a space may be the next word's beginning
    if (!isSame && !this.#typing.isSet) {
      this.#input.value = query;
      this.#clear(); // what is offered was for other words
    }
    if (this.#isAmongResults) void this.#suggest();
    else if (this.#list.parentElement !== this.el) this.#clear(); // it stood among results that are shown no more
    this.#drawStar();
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  #typed(): void {
    this.#typing.set(Math.max(0, this.#sentAt + PAUSE_MS - performance.now()), () => this.#search());
    void this.#suggest();
  }

  #search(): void {
    this.#typing.clear();
    this.#sentAt = performance.now();
    const { view } = this.#context.address;
    if (!SEARCHES.has(view)) return;
    this.#context.typed({ q: this.#input.value.trim(), note: null, line: null });
  }

  #submit(event: Event): void {
    event.preventDefault();
    const q = this.#input.value.trim();
    this.#hide();
    remember(q, this.#context.vault);
    const { view } = this.#context.address;
    if (SEARCHES.has(view)) {
      this.#search();
      this.#context.settle();
    } else this.#context.go("search", { q });
    this.el.dispatchEvent(new CustomEvent("notewell-submitted", { bubbles: true }));
  }

  async #suggest(): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const found = await this.#find(this.#input.value);
    if (sequence !== this.#sequence || !(this.#isFocused || this.#isAmongResults)) return;
    this.#suggestions = found;
    this.#chosen = -1;
    this.#draw();
  }

  /** What is offered: completions while a filter is typed, else names, actions and the question. The results are below. */
  async #find(typed: string): Promise<readonly BarRow[]> {
    const context = this.#context;
    if (!typed.trim()) return this.#isAmongResults ? [] : remembered(context);
    const offered = [...actions(context, typed), ...question(context, typed)];
    if (!context.has("complete")) return offered;
    try {
      if (isFilter(typed) && this.#isFocused) return await completions(context, typed);
      return this.#isAmongResults ? offered : [...(await names(context, typed)), ...offered];
    } catch {
      return offered; // completion is optional; the search itself reports errors
    }
  }

  /** Whether the results stand below the field: names come first among them, and home has the earlier searches. */
  get #isAmongResults(): boolean {
    return this.#context.address.view === "search";
  }

  get #isFocused(): boolean {
    return document.activeElement === this.#input;
  }

  /** Whether what is offered stands among the results, and not in a list below the field. */
  get #isInPage(): boolean {
    return this.#isAmongResults && this.#suggestions.some(({ act }) => act);
  }

  #draw(): void {
    const place = (this.#isInPage && document.getElementById(OFFERS)) || this.el;
    if (this.#list.parentElement !== place) place.append(this.#list);
    const rows = this.#suggestions.map(({ label, kind }, n) =>
      h(
        "li",
        { id: `suggestion-${n}`, role: "option", "aria-selected": String(n === this.#chosen), "data-n": n },
        h("span", { dir: "auto" }, label),
        kind && h("span", { class: "faint" }, kind),
      ),
    );
    fill(this.#list, ...rows);
    this.#list.hidden = rows.length === 0;
    this.#list.classList.toggle("is-in-page", place !== this.el);
    this.#input.setAttribute("aria-expanded", String(rows.length > 0));
    if (this.#chosen < 0) this.#input.removeAttribute("aria-activedescendant");
    else this.#input.setAttribute("aria-activedescendant", `suggestion-${this.#chosen}`);
  }

  /** Closes the list below the field; what stands among the results stays there, so that nothing moves. */
  #hide(): void {
    if (!this.#isInPage) this.#clear();
    else if (this.#chosen >= 0) {
      this.#chosen = -1;
      this.#draw();
    }
  }

  #clear(): void {
    this.#sequence += 1;
    this.#suggestions = [];
    this.#draw();
  }

  #key(event: KeyboardEvent): void {
    const act = this.#suggestions.length ? this.#amongSuggestions(event.key) : this.#toResults(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  }

  #amongSuggestions(key: string): (() => void) | null {
    if (key === "Escape") return this.#isInPage && this.#chosen < 0 ? null : () => this.#hide();
    // Among the results, they are what comes next; rows are reached upwards, from behind.
    if (key === "ArrowDown" && this.#chosen < 0 && this.#isInPage) return this.#toResults(key);
    if (key === "ArrowDown") return () => this.#choose(this.#chosen + 1);
    if (key === "ArrowUp") return () => this.#choose((this.#chosen < 0 ? this.#suggestions.length : this.#chosen) - 1);
    return key === "Enter" && this.#chosen >= 0 ? () => this.#take(this.#chosen) : null;
  }

  #toResults(key: string): (() => void) | null {
    if (key !== "ArrowDown") return null;
    return () => document.querySelector<HTMLElement>("#main [data-result]")?.focus();
  }

  /** Selects a suggestion; wraps around at both ends. */
  #choose(n: number): void {
    const count = this.#suggestions.length;
    this.#chosen = (n + count) % count;
    this.#draw();
  }

  #pick(event: MouseEvent): void {
    event.preventDefault(); // the field keeps the focus
    const row = (event.target as Element).closest<HTMLElement>("[data-n]");
    if (row) this.#take(Number(row.dataset["n"]));
  }

  #take(n: number): void {
    const taken = this.#suggestions[n];
    if (!taken) return;
    const { act, query = "", isComplete = true } = taken;
    if (act) {
      this.#typing.clear();
      this.#clear();
      this.#input.blur();
      act();
      return;
    }
    this.#input.value = isComplete ? `${query} ` : query;
    this.#search();
    if (isComplete) this.#hide();
    else void this.#suggest();
  }

  #toggleSaved(): void {
    const isNow = toggleSaved(this.#input.value.trim(), this.#context.vault);
    this.#context.showNotice(isNow ? t("Search saved") : t("Saved search removed"));
    this.#drawStar();
  }

  #drawStar(): void {
    const q = this.#input.value.trim();
    const isInSaved = isSaved(q, this.#context.vault);
    this.#star.hidden = !q;
    this.#star.setAttribute("aria-pressed", String(isInSaved));
    this.#star.setAttribute("aria-label", isInSaved ? t("Remove saved search") : t("Save this search"));
  }
}
