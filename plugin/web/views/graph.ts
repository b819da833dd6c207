/** The graph view: the notes around one, or the most linked of all, drawn with a list of them beside it. */

import { asServerError } from "../../src/client";
import type { NeighborhoodReply } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { nameOf } from "../lib/format";
import { keptPlaces } from "../lib/keptLayouts";
import { preference, setPreference } from "../lib/preferences";
import { emptyBox, errorBox } from "../parts/errors";
import { NoteCard } from "./graph/card";
import { grouped, GROUPINGS, type Grouping, type GroupingName } from "./graph/grouping";
import { legend } from "./graph/legend";
import { NoteList } from "./graph/noteList";
import type { GraphScene } from "./graph/scene";
import { count } from "../../src/format";
import { number, t } from "../../src/texts";

const ALL = "20000"; // the most that the server sends in one reply
const sizes = (): [value: string, label: string][] => [
  ...[100, 300, 1000, 3000].map((n): [string, string] => [String(n), number(n)]),
  [ALL, t("All")],
];
const distances = (): [value: string, label: string][] => [1, 2, 3].map((n) => [String(n), count(n, "link")]);
const colours = (): Readonly<Record<GroupingName, string>> => ({
  none: t("Nothing"),
  folder: t("Folder"),
  tag: t("Tag"),
  community: t("Community"),
  age: t("Last change"),
  type: t("Type"),
});

interface Asked {
  readonly path: string;
  /** A search whose results are drawn; empty on the page of the graph. */
  readonly q: string;
  readonly weak: boolean;
  readonly hops: string;
  readonly size: string;
  readonly daily: boolean;
  readonly colour: GroupingName;
}

export class GraphView implements View {
  readonly title = t("Graph");
  readonly el = h("div", { class: "graph-view" });
  readonly #context: ViewContext;
  readonly #tools = h("div", { class: "graph-tools" });
  readonly #stage = h("div", { class: "graph-stage" });
  readonly #beside = h("div", { class: "graph-beside" });
  #scene: GraphScene | null = null;
  #shownQuestion = "";
  #sequence = 0;
  #isDisplayOpen = false; // each change draws the tools anew

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(this.#tools, h("div", { class: "graph-body" }, this.#stage, this.#beside));
  }

  show({ view, query }: Address): void {
    const { hops = "2", size = "300", colour = preference("graph-colour") } = query;
    const [q = "", path = ""] = view === "search" ? [query["q"]] : ["", query["path"]];
    const [weak, daily] = [query["weak"] === "true", query["daily"] === "yes" || q !== ""];
    const asked: Asked = { path, q, weak, hops, size, daily, colour: GROUPINGS.find((name) => name === colour) ?? "folder" };
    const question = JSON.stringify([this.#context.vault?.id, asked]);
    if (question === this.#shownQuestion) return;
    this.#shownQuestion = question;
    void this.#load(asked);
  }

  leave(): void {
    this.#sequence += 1; // what is still being loaded is not drawn any more
    this.#scene?.stop();
    this.#scene = null;
    this.#shownQuestion = "";
  }

  async #load(asked: Asked): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const { path, q, weak, hops, size, daily } = asked;
    // The colours do not move the notes, so the places are kept without them.
    const name = JSON.stringify([this.#context.vault?.id, path || q, hops, size, daily]);
    this.#stage.setAttribute("aria-busy", "true");
    if (!this.#scene) {
      fill(this.#tools, h(q ? "h2" : "h1", {}, t("Graph")));
      fill(this.#stage, h("p", { class: "faint alone" }, t("The links are being read…")));
    }
    try {
      const [found, kept, { GraphScene: Scene }] = await Promise.all([
        this.#context.vaultClient.neighborhood({ ...(path ? { path } : {}), ...(q && { q, weak }), hops, limit: size, daily, communities: true }),
        keptPlaces(name),
        import("./graph/scene"),
      ]);
      if (sequence !== this.#sequence) return;
      this.#scene?.stop();
      this.#scene = null;
      this.#draw(found, asked, (el, handlers) => new Scene(el, name, found, kept, handlers));
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      fill(this.#tools);
      fill(this.#beside);
      fill(this.#stage, h("div", { class: "alone" }, errorBox(asServerError(error), () => void this.#load(asked))));
    } finally {
      this.#stage.removeAttribute("aria-busy");
    }
  }

  #draw(found: NeighborhoodReply, asked: Asked, sceneIn: (el: HTMLElement, handlers: SceneHandlers) => GraphScene): void {
    const whole = asked.q ? t("Results and their links") : asked.size === ALL ? t("All notes") : t("The most linked notes");
    const title = found.path === null ? whole : t("Around {path}", { path: nameOf(found.path) });
    const drawn = h("div", { class: "graph-drawn", tabindex: 0, role: "application", "aria-label": t("{title}: a drawing of the notes listed beside it", { title }) });
    const placeOf = new Map(found.nodes.map(({ path }, n) => [path, n]));
    const card = new NoteCard(this.#context, (way) => this.#scene?.showPath(way.flatMap((path) => placeOf.get(path) ?? [])));
    const grouping = grouped(found.nodes, asked.colour, Date.now());
    const filter = new Filter(grouping, (isShown) => this.#scene?.filter(isShown));
    const list = new NoteList(found, {
      chosen: (note) => (this.#scene ? this.#scene.choose(note, true) : card.show(found.nodes[note] ?? null)),
      filtered: (matching, hidesOthers) => {
        filter.narrow(hidesOthers ? matching : null);
        this.#scene?.find(matching);
      },
    });
    fill(this.#stage, drawn, card.el, this.#zoom());
    if (found.nodes.length) {
      this.#scene = sceneOr(this.#stage, () =>
        sceneIn(drawn, {
          chosen: (note) => {
            card.show(note === null ? null : (found.nodes[note] ?? null));
            list.mark(note);
          },
          opened: (note) => this.#context.change({ [asked.q ? "note" : "path"]: found.nodes[note]?.path }),
        }),
      );
      this.#scene?.colour(grouping);
    } else fill(this.#stage, emptyBox(t("No links yet"), t("Links between notes will be shown here.")));
    fill(this.#tools, h(asked.q ? "h2" : "h1", {}, title), ...this.#controls(found, asked));
    fill(this.#beside, legend(grouping, (hidden) => filter.hide(hidden)), list.el);
  }

  /** Stands in the corner of the drawing. */
  #zoom(): HTMLElement {
    return h(
      "span",
      { class: "zoom" },
      button("+", () => this.#scene?.zoomIn(), { class: "plain", "aria-label": t("Zoom in") }),
      button("–", () => this.#scene?.zoomOut(), { class: "plain", "aria-label": t("Zoom out") }),
      button(t("Fit"), () => this.#scene?.fit(), { class: "plain" }),
    );
  }

  #controls(found: NeighborhoodReply, asked: Asked): Node[] {
    const context = this.#context;
    const change = (name: string) => (event: Event) => context.change({ [name]: (event.target as HTMLSelectElement).value });
    const layer = (label: string, kind: string, act: (on: boolean) => void): HTMLElement => {
      const box = h("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => act(box.checked));
      return h("label", {}, box, h("span", { class: `legend ${kind}` }), label);
    };
    const daily = h("input", { type: "checkbox", checked: asked.daily });
    daily.addEventListener("change", () => context.change({ daily: daily.checked ? "yes" : null }));
    const colour = (event: Event): void => {
      setPreference("graph-colour", (event.target as HTMLSelectElement).value);
      change("colour")(event);
    };
    const around = found.path === null ? [] : [choice(t("Distance"), asked.hops, distances(), change("hops")), h("a", { href: context.to("graph", {}) }, t("Whole vault"))];
    const ofVault = asked.q ? [] : [choice(t("Notes"), asked.size, sizes(), change("size")), h("label", {}, daily, t("Daily notes"))];
    const display = h(
      "details",
      { class: "graph-display", open: this.#isDisplayOpen },
      h("summary", {}, t("Display")),
      h(
        "div",
        {},
        layer(t("Links"), "", (links) => this.#scene?.layers({ links })),
        layer(t("Similarity"), "is-similar", (similarity) => this.#scene?.layers({ similarity })),
        choice(t("Colour by"), asked.colour, GROUPINGS.map((name) => [name, colours()[name]]), colour),
        ...ofVault,
      ),
    );
    display.addEventListener("toggle", () => (this.#isDisplayOpen = display.open));
    return [
      ...around,
      display,
      ...found.warnings.map((text) => h("span", { class: "warning" }, text)),
    ];
  }
}

type SceneHandlers = ConstructorParameters<typeof GraphScene>[4];

/** Which notes are drawn: those of groups that are not hidden and, where the list is narrowed, in the list. */
class Filter {
  #hidden: ReadonlySet<number> = new Set();
  #matching: ReadonlySet<number> | null = null;

  constructor(
    private readonly grouping: Grouping,
    private readonly apply: (isShown: (note: number) => boolean) => void,
  ) {}

  hide(groups: ReadonlySet<number>): void {
    this.#hidden = groups;
    this.#applied();
  }

  narrow(matching: ReadonlySet<number> | null): void {
    this.#matching = matching;
    this.#applied();
  }

  #applied(): void {
    this.apply((note) => !this.#hidden.has(this.grouping.of[note] ?? -1) && (this.#matching?.has(note) ?? true));
  }
}

/** The drawing, or a message where the browser has no WebGL: the list beside it works without. */
function sceneOr(stage: HTMLElement, make: () => GraphScene): GraphScene | null {
  if (document.createElement("canvas").getContext("webgl2")) return make();
  fill(stage, emptyBox(t("This browser cannot draw the graph"), t("WebGL is switched off or missing. The notes are listed beside it.")));
  return null;
}

function choice(label: string, value: string, options: readonly (readonly [string, string])[], act: (event: Event) => void): HTMLElement {
  const items = options.map(([name, text]) => h("option", { value: name, selected: name === value }, text));
  return h("label", {}, label, h("select", { on: { change: act } }, ...items));
}
