/** The line above a list of results: how many there are, their order and density, and what the server remarks. */

import type { SearchReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { copyText } from "../lib/copyText";
import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { preference, setPreference } from "../lib/preferences";
import { count } from "../../src/format";
import { ms } from "../lib/format";
import { filterMenu } from "./filterMenu";
import { correctionLine, unknownWord } from "./noMatch";
import type { QuotedAnswer } from "./quotedAnswer";
import { sortOrders } from "./resultGroups";
import { t } from "../../src/texts";

// What ends as a question, or begins so and has three words.
const ASKS = /\?\s*$|^(?:wh(?:o|om|ose|at|en|ere|y|ich)|how|is|are|does|do|did|can|w(?:er|en|em|as|ann|o|oher|arum|ie|elche\w*)|ist|sind|kann)\s+\S+\s+\S/i;
const DOUBTFUL = 0.12; // a confidence below it says that nothing here is likely to answer

export class ListHead {
  readonly el = h("div", { class: "info" });
  readonly #context: ViewContext;
  readonly #list: HTMLElement;
  readonly #quoted = h("div", { class: "quoted-answer", hidden: true });
  #answer: QuotedAnswer | null = null;

  /** `list` is the one whose density is chosen here. */
  constructor(context: ViewContext, list: HTMLElement) {
    this.#context = context;
    this.#list = list;
    list.classList.toggle("is-compact", preference("density") === "compact");
  }

  clear(): void {
    this.#answer?.show("");
    fill(this.el);
  }

  /** `found` is the number of notes that match. */
  show(reply: SearchReply, found: number): void {
    const { results, took_ms, mode } = reply;
    void this.#quote(this.#context.address.query["q"] ?? "", results);
    if (results.length === 0) {
      fill(this.el, ...this.#remarks(reply));
      return;
    }
    const { query } = this.#context.address;
    const facts = [count(found, "note", "notes"), mode === "hybrid" || query["like"] ? "" : mode === "keyword" ? t("keyword only") : t("semantic only")].filter(Boolean);
    fill(
      this.el,
      h("h1", { class: "unseen" }, t("Results")),
      h(
        "div",
        { class: "list-tools" },
        this.#ways(),
        h("p", { class: "facts", title: t("answered in {time}", { time: ms(took_ms) }) }, facts.join(" · ")),
        button(icon("share"), () => share(this.#context), { class: "plain", "aria-label": t("Copy a link to this search") }),
        query["like"] ? null : filterMenu(this.#context),
        this.#order(),
        this.#density(),
      ),
      correctionLine(this.#context, reply),
      ...this.#remarks(reply),
      this.#quoted,
    );
  }

  /** A question has what answers it above its results. */
  async #quote(q: string, results: SearchReply["results"]): Promise<void> {
    const context = this.#context;
    const asks = ASKS.test(q) && context.has("evidence") && !context.isEverywhere;
    if (asks && !this.#answer) this.#answer = await import("./quotedAnswer").then(({ QuotedAnswer: Answer }) => new Answer(context, this.#quoted), () => null);
    this.#answer?.show(asks ? q : "", results);
  }

  #remarks({ results, warnings, confidence }: SearchReply): (Node | null)[] {
    const isDoubtful = results.length > 0 && confidence !== null && confidence < DOUBTFUL;
    return [
      isDoubtful ? h("p", { class: "warning" }, t("None of these notes is a clear match.")) : null,
      ...warnings
        .filter((text) => !isToldElsewhere(text, this.#context.status.status?.semantic_reason) && (results.length > 0 || unknownWord([text]) === null))
        .map((text) => h("p", { class: "warning" }, unknownWord([text]) ?? text)),
    ];
  }

  /** The same results as a list, by time, or with their links. */
  #ways(): HTMLElement | null {
    const context = this.#context;
    const { q, like, view = "" } = context.address.query;
    if (!q || like || context.isEverywhere) return null;
    const ways: readonly (readonly [view: string, label: string, needs: string])[] = [
      ["", t("List"), "search"],
      ["timeline", t("Timeline"), "archaeology"],
      ["graph", t("Graph"), "graph_neighborhood"],
    ];
    const links = ways
      .filter(([name, , needs]) => !name || context.has(needs))
      .map(([name, label]) => h("a", { href: context.to("search", { ...context.address.query, view: name, note: null, line: null, why: null }), "aria-current": name === view ? "true" : null }, label));
    return h("nav", { class: "ways", "aria-label": t("How results are shown") }, ...links);
  }

  #order(): HTMLElement {
    const chosen = this.#context.address.query["sort"] ?? "";
    const options = sortOrders().map(([value, label]) => h("option", { value, selected: value === chosen }, label));
    const choose = (event: Event): void => this.#context.change({ sort: (event.target as HTMLSelectElement).value });
    return h("select", { class: "order", "aria-label": t("Order"), on: { change: choose } }, ...options);
  }

  #density(): HTMLElement {
    const isCompact = (): boolean => this.#list.classList.contains("is-compact");
    const toggle = button(icon("compact"), () => {
      this.#list.classList.toggle("is-compact");
      setPreference("density", isCompact() ? "compact" : "");
      toggle.setAttribute("aria-pressed", String(isCompact()));
    }, { class: "plain", "aria-label": t("Compact list"), "aria-pressed": String(isCompact()), title: t("Compact list") });
    return toggle;
  }
}

/** Copies the address of the current view, for another device that is signed in. */
async function share(context: ViewContext): Promise<void> {
  const url = `${location.origin}/${context.to(context.address.view, { vault: context.vault?.name ?? null, ...context.address.query }, context.address.part)}`;
  context.showNotice((await copyText(url)) ? t("Link copied") : url); // where it cannot be copied the person does it
}

/** Whether the page says the same: the box of an empty list, or the strip below the top bar, where `noMeaning` is why there is none. */
function isToldElsewhere(warning: string, noMeaning: string | null = null): boolean {
  return (noMeaning !== null && warning.includes(noMeaning.replace(/\.$/, ""))) || /(^|: )Nothing matches well/.test(warning) || /still wait for their embedding|is being built|semantic search is not/i.test(warning);
}
