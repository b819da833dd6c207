/** The explorer: controls, results and an inspector, to see and change how results are ranked. */

import { asServerError } from "../../src/client";
import type { Result, SearchReply } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { areSums, queryWords, remix, servedControls, type Controls, type Remixed } from "../lib/remix";
import { count } from "../../src/format";
import { LiveControls, serverControls, ServerControls, type ServerParameters } from "../parts/controls";
import { emptyBox, errorBox } from "../parts/errors";
import { explorerRow } from "../parts/explorerRow";
import { Inspector } from "../parts/inspector";
import { moveAmong, openInObsidian } from "../parts/resultRow";
import { t } from "../../src/texts";

/** How many results are fetched, so that another ranking can raise results that are not shown. */
const CANDIDATES = 100;
const SHOWN = 10;
const FIRST = 3; // results that others are linked to, for the control of links

export class Explorer implements View {
  readonly title = t("Explore");
  readonly el = h("div", { class: "explorer" });
  readonly #context: ViewContext;
  readonly #server: ServerControls;
  readonly #live: LiveControls;
  readonly #inspector: Inspector;
  readonly #info = h("p", { class: "info faint" });
  readonly #ways = h("p", { class: "tools" });
  readonly #list = h("ol", { class: "results", "aria-label": t("Results") });
  readonly #after = h("div");
  #shownQuestion = "";
  #sequence = 0;
  #reply: SearchReply | null = null;
  #shown: readonly Remixed[] = [];
  #proximity: ReadonlyMap<string, number> = new Map();
  #hasProximity = false;
  #isPlanned = false;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#server = new ServerControls((parameters) => context.change(parameters));
    this.#live = new LiveControls((controls) => this.#plan(controls));
    this.#inspector = new Inspector(context);
    const controls = h(
      "aside",
      { class: "pane", "aria-label": t("Controls") },
      h("details", { open: matchMedia("(min-width: 761px)").matches }, h("summary", {}, t("Controls")), this.#server.el, this.#live.el),
    );
    const title = h("h1", { class: "unseen" }, t("How results are ranked"));
    const results = h("section", { class: "pane" }, title, this.#ways, this.#info, this.#list, this.#after);
    this.el.append(controls, results, this.#inspector.el);
  }

  show({ query }: Address): void {
    const parameters = parametersOf(query);
    const question = JSON.stringify([this.#context.vault?.id, query["q"], parameters]);
    this.#server.show(parameters);
    const shared = { q: query["q"] ?? "", note: query["note"] ?? "" };
    fill(
      this.#ways,
      h("a", { href: this.#context.to("search", shared) }, icon("back"), t("Back to the results")),
      h("a", { href: this.#context.to("pipeline", shared) }, icon("stages"), t("Every stage of this search")),
    );
    if (question !== this.#shownQuestion) {
      this.#shownQuestion = question;
      void this.#search(query["q"] ?? "", parameters);
    } else this.#inspect();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "o") return openInObsidian(this.#list);
    return moveAmong(this.#list, event.key);
  }

  get #limit(): number {
    return Number(this.#context.address.query["n"] || SHOWN);
  }

  async #search(q: string, parameters: ServerParameters): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    if (!q) {
      this.#clear(emptyBox(t("See how results are ranked"), t("Search for something, then change the controls.")));
      return;
    }
    this.#list.setAttribute("aria-busy", "true");
    try {
      const reply = await this.#context.vaultClient.find(q, { ...searchParameters(parameters, this.#limit), ...this.#context.typing });
      if (sequence === this.#sequence) this.#take(reply);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      this.#clear(errorBox(asServerError(error), () => void this.#search(q, parameters)));
    } finally {
      if (sequence === this.#sequence) this.#list.removeAttribute("aria-busy");
    }
  }

  #clear(instead: HTMLElement): void {
    this.#reply = null;
    this.#shown = [];
    fill(this.#info);
    fill(this.#list);
    fill(this.#after, instead);
    this.#inspector.clear();
  }

  #take(reply: SearchReply): void {
    this.#reply = reply;
    this.#proximity = new Map();
    this.#hasProximity = false;
    fill(this.#after, reply.results.length ? null : emptyBox(t("Nothing found"), t("Try other words.")));
    this.#live.begin(servedControls(reply), areSums(reply.results) ? "sums" : "means");
    this.#draw(this.#live.value);
  }

  /** Draws the list at most once a frame while a slider moves. */
  #plan(controls: Controls): void {
    if (controls.graph > 0 && !this.#hasProximity) void this.#loadProximity();
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(() => {
      this.#isPlanned = false;
      this.#draw(this.#live.value);
    });
  }

  async #loadProximity(): Promise<void> {
    this.#hasProximity = true;
    const reply = this.#reply;
    if (!reply) return;
    const found = await proximityToFirst(this.#context, reply.results);
    if (reply !== this.#reply) return;
    this.#proximity = found;
    this.#draw(this.#live.value);
  }

  #draw(controls: Controls): void {
    const reply = this.#reply;
    if (!reply) return;
    const ranked = remix(reply.results, controls, {
      start: servedControls(reply),
      words: queryWords(reply.query),
      proximity: this.#proximity,
      now: Date.now(),
    });
    this.#shown = ranked.slice(0, this.#limit);
    fill(this.#list, ...this.#shown.map((one) => explorerRow(this.#context, one)));
    fill(
      this.#info,
      t("{n} shown of {candidates}", { n: this.#shown.length, candidates: count(reply.results.length, "candidate", "candidates") }),
      ` · ${reply.fusion.method}`,
    );
    this.#inspect();
  }

  #inspect(): void {
    const path = this.#context.address.query["note"] ?? this.#shown[0]?.result.path;
    for (const row of this.#list.querySelectorAll<HTMLElement>("[data-result]")) {
      if (row.dataset["result"] === path) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    const one = this.#shown.find(({ result }) => result.path === path);
    if (path) this.#inspector.show(path, one ?? null, this.#live.value);
  }
}

function parametersOf(query: Address["query"]): ServerParameters {
  return Object.fromEntries(serverControls().map((name) => [name, query[name] ?? ""]));
}

function searchParameters(parameters: ServerParameters, shown: number): { limit: number } {
  const { n: _shown, ...others } = parameters;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== ""));
  return { limit: Math.min(1000, Math.max(CANDIDATES, shown * 4)), ...given };
}

/** For each path that is within two links of one of the first results: 1 for itself, ½, ¼. */
async function proximityToFirst(context: ViewContext, results: readonly Result[]): Promise<ReadonlyMap<string, number>> {
  const proximity = new Map<string, number>();
  const first = results.slice(0, FIRST);
  const lists = await Promise.all(first.map(({ path }) => neighbors(context, path)));
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
