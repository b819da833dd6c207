/** The frame around every view: navigation, vault selection, the search box and keys. */

import type { Address, ViewName } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { icon, mark, type IconName } from "../lib/icons";
import { helpDialog } from "../parts/help";
import { SearchBox } from "../parts/searchBox";
import { AskView } from "../views/ask";
import { Explorer } from "../views/explorer";
import { GraphView } from "../views/graph";
import { ListView } from "../views/list";
import { Manage } from "../views/manage";
import { Past } from "../views/past";
import { Pipeline } from "../views/pipeline";
import type { ViewContext, View } from "./viewContext";

const VIEW_LINKS: readonly [view: ViewName, label: string, iconName: IconName][] = [
  ["search", "Search", "search"],
  ["ask", "Ask", "ask"],
  ["explore", "Explore", "explore"],
  ["pipeline", "Pipeline", "stages"],
  ["past", "Timeline", "past"],
  ["graph", "Graph", "graph"],
  ["manage", "Manage", "manage"],
];

const VIEW_FACTORIES: Readonly<Record<ViewName, (context: ViewContext) => View>> = {
  search: (context) => new ListView(context),
  ask: (context) => new AskView(context),
  explore: (context) => new Explorer(context),
  pipeline: (context) => new Pipeline(context),
  past: (context) => new Past(context),
  graph: (context) => new GraphView(context),
  manage: (context) => new Manage(context),
};

/** Views of a query; links between them keep the query. */
const QUERY_VIEWS: readonly ViewName[] = ["search", "ask", "explore", "pipeline", "past"];

export class Shell {
  readonly #context: ViewContext;
  readonly #root: HTMLElement;
  readonly #views = new Map<ViewName, View>();
  readonly #main = h("main", { id: "main", tabindex: "-1" });
  readonly #nav = h("nav", { class: "places", "aria-label": "Views" });
  readonly #vaults = h("select", { class: "vault", "aria-label": "Vault" });
  readonly #search: SearchBox;
  readonly #help: HTMLDialogElement;
  #shown: View | null = null;

  constructor(context: ViewContext, root: HTMLElement, version: string) {
    this.#context = context;
    this.#root = root;
    this.#search = new SearchBox(context);
    this.#help = helpDialog(version);
  }

  start(): void {
    const skip = h("a", { class: "skip", href: "#main", on: { click: (e: Event) => this.#skip(e) } }, "Skip to content");
    const home = h("a", { class: "brand", href: "#/search" }, mark(), h("span", {}, "Notewell"));
    const help = button(icon("help"), () => this.#help.showModal(), {
      class: "plain help-button",
      "aria-label": "Help and keys",
    });
    const header = h("header", { class: "top" }, home, this.#search.el, this.#vaultChoice(), help);
    fill(this.#root, skip, header, this.#nav, this.#main, this.#help);
    window.addEventListener("hashchange", () => this.#follow());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#follow();
    const isStart = this.#context.address.view === "search" && !this.#context.address.query["q"];
    if (isStart && matchMedia("(pointer: fine)").matches) this.#search.focus();
  }

  #vaultChoice(): HTMLElement {
    const { vaults } = this.#context;
    fill(this.#vaults, ...vaults.map(({ id, name }) => h("option", { value: id }, name)));
    this.#vaults.addEventListener("change", () => this.#switchVault());
    return h("label", { class: "vault-choice", hidden: vaults.length < 1 }, this.#vaults);
  }

  /** Switches the vault and keeps the query, but not the selected note. */
  #switchVault(): void {
    const vault = this.#context.vaults.find(({ id }) => id === this.#vaults.value);
    this.#context.change({ vault: vault?.name ?? null, note: null, line: null, path: null });
  }

  #follow(): void {
    const { address } = this.#context;
    this.#search.show(address.view === "ask" ? "" : (address.query["q"] ?? "")); // the question view has its own field
    this.#vaults.value = this.#context.vault?.id ?? "";
    this.#drawNavigation(address);
    const view = this.#view(address.view);
    if (view !== this.#shown) {
      this.#shown?.leave?.();
      this.#shown = view;
      fill(this.#main, view.el);
      this.#root.dataset["view"] = address.view;
    }
    view.show(address);
    const subject = address.query["q"] ?? address.query["path"];
    document.title = [subject, view.title, "Notewell"].filter(Boolean).join(" · ");
  }

  #drawNavigation({ view: present, query }: Address): void {
    const offered = VIEW_LINKS.filter(([view]) => view !== "ask" || this.#context.has("ask"));
    const links = offered.map(([view, label, iconName]) => {
      const shared = QUERY_VIEWS.includes(view) || view === "graph" ? { q: query["q"] ?? "" } : {};
      const around = view === "graph" ? { path: query["note"] ?? query["path"] ?? "" } : {};
      const href = this.#context.to(view, { ...shared, ...around });
      const current = view === present ? "page" : null;
      return h("a", { href, "aria-current": current }, icon(iconName), h("span", {}, label));
    });
    fill(this.#nav, ...links);
  }

  #view(name: ViewName): View {
    const known = this.#views.get(name);
    if (known) return known;
    const created = VIEW_FACTORIES[name](this.#context);
    this.#views.set(name, created);
    return created;
  }

  #skip(event: Event): void {
    event.preventDefault();
    this.#main.focus();
  }

  #key(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#help.open || isField(event.target)) return;
    if (this.#shown?.key?.(event)) {
      event.preventDefault();
      return;
    }
    const act = this.#keys()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  #keys(): Readonly<Record<string, () => void>> {
    return {
      "/": () => this.#search.focus(),
      "?": () => this.#help.showModal(),
      t: () => this.#toggle(),
    };
  }

  /** Switches between the list and the explorer. */
  #toggle(): void {
    const { view, query } = this.#context.address;
    this.#context.go(view === "explore" ? "search" : "explore", { q: query["q"] ?? "" });
  }
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}
