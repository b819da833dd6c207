/** "Why this result?": a drawer beside the results that says it in words, and behind Details in numbers. */

import { asServerError } from "../../src/client";
import type { Result, SearchReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { areSums, queryWords, remix, servedControls, type Controls, type Remixed } from "../lib/remix";
import { reasonsOf } from "../lib/whyWords";
import { LiveControls, serverControls, ServerControls, type ServerParameters } from "./controls";
import { errorBox } from "./errors";
import { noteAddress } from "./resultRow";
import { scoreRows } from "./scoreRows";
import { stagesOf } from "./stages";
import { number, t } from "../../src/texts";

const CANDIDATES = 100; // so that other weights can raise results that are not shown
const SHOWN = 10;
const FIRST = 3; // results that others are linked to, for the control of links

export class Why {
  readonly el = h("aside", { class: "why", "aria-label": t("Why this result?"), tabindex: "-1" });
  readonly #context: ViewContext;
  readonly #server: ServerControls;
  readonly #live: LiveControls;
  readonly #said = h("div");
  readonly #scores = h("section");
  readonly #order = h("ol", { class: "reranked", "aria-label": t("The order by these weights") });
  readonly #stages = h("details", { class: "properties" });
  readonly #details: HTMLElement;
  #question = "";
  #sequence = 0;
  #path = "";
  #content = "";
  #reply: SearchReply | null = null;
  #proximity: ReadonlyMap<string, number> | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#server = new ServerControls((parameters) => context.change(parameters));
    this.#live = new LiveControls((controls) => this.#rank(controls));
    const weights = h("details", { class: "properties" }, h("summary", {}, t("Try other weights")), this.#server.el, this.#live.el, this.#order);
    this.#details = h("details", { class: "why-details" }, h("summary", {}, t("Details")), this.#scores, weights, this.#stages);
  }

  /** Says why the note at `path` was found by the query of the address. */
  async show(path: string): Promise<void> {
    const { query } = this.#context.address;
    const parameters = parametersOf(query);
    const q = query["q"] ?? "";
    const question = JSON.stringify([this.#context.vault?.id, q, parameters]);
    const isNewNote = path !== this.#path;
    if (question === this.#question && !isNewNote) return;
    const known = question === this.#question ? this.#reply : null;
    this.#path = path;
    this.#question = question;
    this.#sequence += 1;
    const sequence = this.#sequence;
    try {
      const [reply, content] = await Promise.all([
        known ?? this.#ask(q, parameters),
        isNewNote ? this.#read(path) : this.#content,
      ]);
      if (sequence !== this.#sequence) return;
      this.#content = content;
      this.#server.show(parameters);
      if (reply !== this.#reply) this.#take(reply);
      this.#draw();
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#path = this.#question = "";
      fill(this.el, this.#head(), errorBox(asServerError(error), () => void this.show(path)));
    }
  }

  #ask(q: string, parameters: ServerParameters): Promise<SearchReply> {
    const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ""));
    return this.#context.vaultClient.find(q, { limit: CANDIDATES, explain: true, ...given, ...this.#context.typing });
  }

  /** The text of a note, in which words are counted; it is explained without where it cannot be read. */
  async #read(path: string): Promise<string> {
    try {
      return (await this.#context.vaultClient.fullNote(path)).content;
    } catch (error) {
      asServerError(error);
      return "";
    }
  }

  #take(reply: SearchReply): void {
    this.#reply = reply;
    this.#proximity = null;
    this.#live.begin(servedControls(reply), areSums(reply.results) ? "sums" : "means");
    fill(this.#stages, h("summary", {}, t("Every stage of this search")), ...stagesOf(reply));
  }

  #head(): HTMLElement {
    // Where the explanation has the page to itself, it leads back to the list.
    const close = (): void => this.#context.change({ why: null, ...(!matchMedia("(min-width: 1100px)").matches && { note: null, line: null }) });
    return h("p", { class: "why-head" }, h("strong", {}, t("Why this result?")), button(icon("close"), close, { class: "plain", "aria-label": t("Close the explanation") }));
  }

  #draw(): void {
    const reply = this.#reply;
    const result = reply?.results.find(({ path }) => path === this.#path);
    if (!reply || !result) {
      fill(this.el, this.#head(), h("p", { class: "faint" }, t("This search did not find the note: what was left out is told under Details.")), this.#details);
    } else {
      const reasons = reasonsOf(reply, result, this.#content).map((text) => h("li", {}, text));
      fill(this.#said, h("h1", { class: "unseen" }, t("Why this result?")), h("h2", { dir: "auto" }, result.title), h("ul", { class: "reasons" }, ...reasons));
      fill(this.el, this.#head(), this.#said, this.#details);
    }
    this.#rank(this.#live.value);
  }

  #rank(controls: Controls): void {
    const reply = this.#reply;
    if (!reply) return;
    if (controls.graph > 0 && !this.#proximity) void this.#loadProximity(reply);
    const ranked = remix(reply.results, controls, {
      start: servedControls(reply),
      words: queryWords(reply.query),
      proximity: this.#proximity ?? new Map<string, number>(),
      now: Date.now(),
    });
    const own = ranked.find(({ result }) => result.path === this.#path);
    fill(this.#scores, own && scoreRows(own, controls));
    fill(this.#order, ...ranked.slice(0, SHOWN).map((one) => this.#row(one)));
  }

  #row(one: Remixed): HTMLElement {
    const { result, place, score } = one;
    const isOwn = result.path === this.#path;
    const link = h("a", { href: noteAddress(this.#context, result.path), "aria-current": isOwn ? "true" : null, dir: "auto" }, result.title);
    return h("li", {}, h("span", { class: "place" }, String(place)), link, movement(one), h("span", { class: "number" }, number(score, 3)));
  }

  async #loadProximity(reply: SearchReply): Promise<void> {
    this.#proximity = new Map();
    const found = await proximityToFirst(this.#context, reply.results);
    if (reply !== this.#reply) return;
    this.#proximity = found;
    this.#rank(this.#live.value);
  }
}

/** How far a result moved from the server's order. */
function movement({ served, place }: Pick<Remixed, "served" | "place">): HTMLElement | null {
  const by = served - place;
  if (by === 0) return null;
  const words = by > 0 ? t("up {n}", { n: by }) : t("down {n}", { n: -by });
  return h("span", { class: by > 0 ? "moved is-up" : "moved is-down", role: "img", "aria-label": words }, by > 0 ? `▲${by}` : `▼${-by}`);
}

function parametersOf(query: Readonly<Record<string, string>>): ServerParameters {
  return Object.fromEntries(serverControls().map((name) => [name, query[name] ?? ""]));
}

/** For each path that is within two links of one of the first results: 1 for itself, ½, ¼. */
async function proximityToFirst(context: ViewContext, results: readonly Result[]): Promise<ReadonlyMap<string, number>> {
  const proximity = new Map<string, number>();
  const lists = await Promise.all(results.slice(0, FIRST).map(({ path }) => neighbors(context, path)));
  for (const [path, score] of lists.flat()) proximity.set(path, Math.max(score, proximity.get(path) ?? 0));
  return proximity;
}

async function neighbors(context: ViewContext, path: string): Promise<[string, number][]> {
  try {
    const found = await context.vaultClient.neighbors(path, 2, 1000);
    return found.neighbors.map(({ path: other, score }) => [other, score]);
  } catch (error) {
    asServerError(error);
    return []; // the note may have been removed meanwhile
  }
}
