/** The graph view: the notes around one, or the most linked of all, with layers for links and similarity. */

import { asServerError } from "../../src/client";
import type { NeighborhoodReply } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { count, folderOf } from "../../src/format";
import { nameOf } from "../lib/format";
import { emptyBox, errorBox } from "../parts/errors";
import { noteAddress } from "../parts/resultRow";
import type { GraphScene } from "./scene";
import type { Dot } from "../lib/forces";

const SIZES = ["100", "300", "1000", "3000"];

export class GraphView implements View {
  readonly title = "Graph";
  readonly el = h("div", { class: "graph-view" });
  readonly #context: ViewContext;
  readonly #tools = h("div", { class: "graph-tools" });
  readonly #stage = h("div", { class: "graph-stage" });
  readonly #card = h("div", { class: "graph-card", role: "status", hidden: true });
  readonly #list = h("details", { class: "properties" });
  #scene: GraphScene | null = null;
  #shownQuestion = "";
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(this.#tools, this.#stage, this.#list);
  }

  show({ query }: Address): void {
    const { path = "", hops = "", size = "", daily = "" } = query;
    const question = JSON.stringify([this.#context.vault?.id, path, hops, size, daily]);
    if (question === this.#shownQuestion) return;
    this.#shownQuestion = question;
    void this.#load({ path, hops: hops || "2", size: size || "300", daily: daily === "yes" });
  }

  leave(): void {
    this.#scene?.stop();
  }

  async #load(asked: { path: string; hops: string; size: string; daily: boolean }): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const { path, hops, size, daily } = asked;
    this.#stage.setAttribute("aria-busy", "true");
    try {
      const [found, { GraphScene: Scene }] = await Promise.all([
        this.#context.vaultClient.neighborhood({ ...(path ? { path } : {}), hops, limit: size, daily }),
        import("./scene"),
      ]);
      if (sequence !== this.#sequence) return;
      this.#scene?.stop();
      this.#scene = new Scene(found, { chosen: (dot) => this.#drawCard(dot), opened: (dot) => this.#centreOn(dot) });
      this.#draw(found, asked);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      fill(this.#tools);
      fill(this.#list);
      fill(this.#stage, h("div", { class: "alone" }, errorBox(asServerError(error), () => void this.#load(asked))));
    } finally {
      this.#stage.removeAttribute("aria-busy");
    }
  }

  #draw(found: NeighborhoodReply, asked: { hops: string; size: string; daily: boolean }): void {
    const scene = this.#scene;
    if (!scene || found.nodes.length === 0) {
      fill(this.#stage, emptyBox("No links yet", "Links between notes will be shown here."));
      return;
    }
    const title = found.path === null ? "The most linked notes" : `Around ${nameOf(found.path)}`;
    scene.canvas.el.setAttribute("aria-label", `${title}: ${count(found.nodes.length, "note", "notes")}; listed below`);
    fill(this.#stage, scene.canvas.el, this.#card);
    this.#card.hidden = true;
    scene.start();
    fill(this.#tools, h("h1", {}, title), ...this.#controls(found, asked, scene));
    fill(this.#list, ...nodeList(this.#context, found));
  }

  #controls(found: NeighborhoodReply, asked: { hops: string; size: string; daily: boolean }, scene: GraphScene): Node[] {
    const context = this.#context;
    const change = (name: string) => (event: Event) => context.change({ [name]: (event.target as HTMLSelectElement).value });
    const layer = (label: string, legend: string, act: (on: boolean) => void): HTMLElement => {
      const box = h("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => act(box.checked));
      return h("label", {}, box, h("span", { class: `legend ${legend}` }), label);
    };
    const daily = h("input", { type: "checkbox", checked: asked.daily });
    daily.addEventListener("change", () => context.change({ daily: daily.checked ? "yes" : null }));
    const whole = h("a", { href: context.to("graph", {}) }, "Whole vault");
    return [
      layer("Links", "", (on) => scene.layers({ links: on })),
      layer("Similarity", "is-similar", (on) => scene.layers({ similarity: on })),
      ...(found.path === null ? [] : [choice("Distance", asked.hops, [["1", "1 link"], ["2", "2 links"], ["3", "3 links"]], change("hops"))]),
      choice("Notes", asked.size, SIZES.map((size) => [size, size]), change("size")),
      h("label", {}, daily, "Daily notes"),
      h("span", { class: "zoom" }, button("+", () => scene.zoom(1.4), { class: "plain", "aria-label": "Zoom in" }), button("–", () => scene.zoom(0.7), { class: "plain", "aria-label": "Zoom out" }), button("Fit", () => scene.canvas.fit(), { class: "plain" })),
      ...(found.path === null ? [] : [whole]),
      ...found.warnings.map((text) => h("span", { class: "warning" }, text)),
    ];
  }

  #drawCard(dot: Dot | null): void {
    this.#card.hidden = dot === null;
    if (!dot) return;
    const context = this.#context;
    fill(
      this.#card,
      h("h2", { dir: "auto" }, dot.title),
      h("p", { class: "folder", dir: "auto" }, folderOf(dot.path)),
      h(
        "p",
        { class: "tools" },
        h("a", { href: noteAddress(context, dot.path) }, "Read"),
        h("a", { href: context.to("graph", { ...context.address.query, path: dot.path }) }, icon("graph"), "Center here"),
        h("a", { href: context.to("search", { like: dot.path }) }, icon("similar"), "Similar"),
      ),
    );
  }

  #centreOn(dot: Dot): void {
    this.#context.change({ path: dot.path });
  }
}

function choice(label: string, value: string, options: readonly (readonly [string, string])[], act: (event: Event) => void): HTMLElement {
  const items = options.map(([name, text]) => h("option", { value: name, selected: name === value }, text));
  return h("label", {}, label, h("select", { on: { change: act } }, ...items));
}

/** The notes of the graph as a list, for screen readers and for finding a note by name. */
function nodeList(context: ViewContext, found: NeighborhoodReply): (Node | null)[] {
  const rows = found.nodes.map(({ path, title, hops, links }) =>
    h(
      "li",
      {},
      h("a", { href: noteAddress(context, path), dir: "auto" }, title),
      h("span", { class: "faint" }, hops === null ? "similar" : hops === 0 ? "this note" : count(hops, "link away", "links away"), `, ${count(links, "link", "links")}`),
    ),
  );
  const text = `${count(found.nodes.length, "note", "notes")} of ${found.total} as a list`;
  return [h("summary", {}, text), h("ul", { class: "note-links" }, ...rows)];
}
