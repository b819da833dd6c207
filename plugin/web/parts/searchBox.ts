/** The search field: searches while typing, completes filters, and offers earlier searches. */

import type { ViewContext } from "../app/viewContext";
import { Timer } from "../../src/support";
import type { ViewName } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { history, isSaved, remember, saved, toggleSaved } from "./searchHistory";
import { t } from "../../src/texts";

const PAUSE_MS = 90; // of typing, before a search is sent
const SHOWN = 8;
/** Views that search while typing; in the others, submitting a query opens the list. */
const SEARCHES: ReadonlySet<ViewName> = new Set(["search", "explore", "pipeline", "past"]);

interface Suggestion {
  readonly label: string;
  readonly kind: string;
  /** The query after the suggestion was accepted. */
  readonly query: string;
  readonly isComplete: boolean;
}

export class SearchBox {
  readonly el: HTMLElement;
  readonly #context: ViewContext;
  readonly #typing = new Timer();
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
  #suggestions: readonly Suggestion[] = [];
  #chosen = -1;
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
    const form = { class: "search-box", role: "search", on: { submit: (e: Event) => this.#submit(e) } };
    this.el = h("form", form, icon("search"), this.#input, this.#star, this.#list);
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("focus", () => !this.#input.value && void this.#suggest());
    this.#input.addEventListener("blur", () => this.#hide());
    this.#list.addEventListener("mousedown", (event) => this.#pick(event));
  }

  /** Shows the query of the address, unless the user is typing. */
  show(query: string): void {
    const isSame = this.#input.value.trim() === query; // a space may be the next word's beginning
    if (!isSame && !this.#typing.isSet) this.#input.value = query;
    this.#drawStar();
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  #typed(): void {
    this.#typing.set(PAUSE_MS, () => this.#search());
    void this.#suggest();
  }

  #search(): void {
    this.#typing.clear();
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
      this.#context.keep({ isTyped: false }); // what is typed next is a step of its own
    } else this.#context.go("search", { q });
    this.el.dispatchEvent(new CustomEvent("notewell-submitted", { bubbles: true }));
  }

  async #suggest(): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const found = await this.#find(this.#input.value);
    if (sequence !== this.#sequence || document.activeElement !== this.#input) return;
    this.#suggestions = found;
    this.#chosen = -1;
    this.#draw();
  }

  /** Completions of filters; for an empty field, saved and earlier searches. */
  async #find(typed: string): Promise<readonly Suggestion[]> {
    if (!typed.trim()) return remembered(this.#context);
    if (!this.#context.has("complete") || !/(^|[\s(])-?(\w+:\S*|\[[^\]]*)$/.test(typed)) return [];
    try {
      const completions = await this.#context.vaultClient.complete(typed, SHOWN);
      return completions.map(({ text, kind, insert, start }) => {
        const query = typed.slice(0, start) + insert;
        return { label: text, kind, query, isComplete: !/[:[]$/.test(insert) };
      });
    } catch {
      return []; // completion is optional; the search itself reports errors
    }
  }

  #draw(): void {
    const rows = this.#suggestions.map(({ label, kind }, n) =>
      h(
        "li",
        { id: `suggestion-${n}`, role: "option", "aria-selected": String(n === this.#chosen), "data-n": n },
        h("span", { dir: "auto" }, label),
        h("span", { class: "faint" }, kind),
      ),
    );
    fill(this.#list, ...rows);
    this.#list.hidden = rows.length === 0;
    this.#input.setAttribute("aria-expanded", String(rows.length > 0));
    if (this.#chosen < 0) this.#input.removeAttribute("aria-activedescendant");
    else this.#input.setAttribute("aria-activedescendant", `suggestion-${this.#chosen}`);
  }

  #hide(): void {
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
    if (key === "Escape") return () => this.#hide();
    if (key === "ArrowDown") return () => this.#choose(this.#chosen + 1);
    if (key === "ArrowUp") return () => this.#choose(this.#chosen < 0 ? -1 : this.#chosen - 1);
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
    this.#input.value = taken.isComplete ? `${taken.query} ` : taken.query;
    this.#search();
    if (taken.isComplete) this.#hide();
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

function remembered(context: ViewContext): readonly Suggestion[] {
  const of = (kind: string) => (query: string): Suggestion => ({ label: query, kind, query, isComplete: true });
  return [...saved(context.vault).map(of("saved")), ...history(context.vault).map(of("earlier"))].slice(0, SHOWN);
}
