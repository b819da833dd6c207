/** The frame around every view: navigation, vault selection, the search box and keys. */

import { formatAddress, type Address, type ViewName } from "../lib/address";
import { asServerError, ServerError } from "../../src/client";
import { viewStyles } from "../lib/viewStyles";
import { button, fill, h } from "../lib/dom";
import { nameOf } from "../lib/format";
import { icon, mark, type IconName } from "../lib/icons";
import { SearchBox } from "../parts/searchBox";
import type { Palette } from "../palette/palette";
import { emptyBox, errorBox } from "../parts/errors";
import { ProgressStrip } from "../parts/progressStrip";
import { ListView } from "../views/list";
import type { ViewContext, View } from "./viewContext";
import { t } from "../../src/texts";

interface Place {
  readonly view: ViewName;
  readonly label: string;
  readonly icon: IconName;
}

const places = (): readonly Place[] => [
  { view: "search", label: t("Search"), icon: "search" },
  { view: "ask", label: t("Ask"), icon: "ask" },
  { view: "manage", label: t("Settings"), icon: "manage" },
];

/** What stands for every vault, as the server's `vault` takes it. */
const ALL = "all";

/** Views by their names; all but the list are loaded when they are first shown. */
const LOADERS: Readonly<Record<Exclude<ViewName, "search">, (context: ViewContext) => Promise<View>>> = {
  ask: async (context) => new (await import("../views/ask")).AskView(context),
  graph: async (context) => new (await import("../views/graph")).GraphView(context),
  manage: async (context) => new (await import("../views/manage")).Manage(context),
};

/** Views whose styles are loaded with them. */
const STYLED_VIEWS: readonly ViewName[] = ["ask", "graph", "manage"];

/** Views of a query; links between them keep the query. */
const QUERY_VIEWS: readonly ViewName[] = ["search", "ask"];

export class Shell {
  readonly #context: ViewContext;
  readonly #root: HTMLElement;
  readonly #views = new Map<ViewName, View>();
  readonly #main = h("main", { id: "main", tabindex: "-1" });
  readonly #nav = h("nav", { class: "places", "aria-label": t("Views") });
  readonly #vaults = h("select", { class: "vault", "aria-label": t("Vault") });
  readonly #search: SearchBox;
  readonly #version: string;
  /** Loaded when it is first asked for: the first page does without it. */
  #help: HTMLDialogElement | null = null;
  #palette: Palette | null = null;
  readonly #strip: ProgressStrip;
  #shown: View | null = null;

  constructor(context: ViewContext, root: HTMLElement, version: string) {
    this.#context = context;
    this.#root = root;
    this.#search = new SearchBox(context);
    this.#version = version;
    this.#strip = new ProgressStrip(context);
  }

  start(): void {
    const skip = h("a", { class: "skip", href: "#main", on: { click: (e: Event) => this.#skip(e) } }, t("Skip to content"));
    const home = h("a", { class: "brand", href: "#/search", "aria-label": "Notewell" }, mark(), h("span", {}, "Notewell"));
    const help = button(icon("help"), () => void this.#showHelp(), {
      class: "plain help-button",
      "aria-label": t("Help and keys"),
    });
    const header = h("header", { class: "top" }, home, this.#search.el, this.#vaultChoice(), help);
    fill(this.#root, skip, header, this.#strip.el, this.#nav, this.#main);
    window.addEventListener("hashchange", () => this.#follow());
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#follow();
    const isStart = this.#context.address.view === "search" && !this.#context.address.query["q"];
    if (isStart && matchMedia("(pointer: fine)").matches) this.#search.focus();
  }

  #vaultChoice(): HTMLElement {
    const { vaults } = this.#context;
    const all = vaults.length > 1 ? [h("option", { value: ALL }, t("All vaults"))] : [];
    const none = h("option", { value: "", hidden: true }, t("Vault")); // shown for an address of a vault that is not here
    fill(this.#vaults, none, ...vaults.map(({ id, name }) => h("option", { value: id }, name)), ...all);
    this.#vaults.addEventListener("change", () => this.#switchVault());
    return h("label", { class: "vault-choice", hidden: vaults.length < 1 }, this.#vaults);
  }

  /** Switches the vault and keeps the query, but not the selected note. All vaults are searched, and nothing else. */
  #switchVault(): void {
    if (this.#vaults.value === ALL) {
      this.#context.go("search", { q: this.#context.address.query["q"], in: ALL });
      return;
    }
    const vault = this.#context.vaults.find(({ id }) => id === this.#vaults.value);
    this.#context.change({ vault: vault?.name ?? null, in: null, note: null, line: null, path: null });
  }

  #follow(): void {
    const { address } = this.#context;
    const place = formatAddress(address); // an address of before leads to what is there now
    if (/^#\/(explore|pipeline|past)\b/.test(location.hash)) history.replaceState(history.state, "", place);
    this.#search.show(address.view === "ask" ? "" : (address.query["q"] ?? "")); // the question view has its own field
    this.#vaults.value = this.#context.isEverywhere ? ALL : (this.#context.vault?.id ?? "");
    this.#drawNavigation(address);
    this.#root.dataset["view"] = address.view;
    if (!this.#context.vault && this.#context.vaults.length) this.#unknownVault(address.query["vault"] ?? "");
    else void this.#show(address);
  }

  async #show(address: Address): Promise<void> {
    this.#context.status.follow();
    const view = this.#views.get(address.view) ?? (await this.#load(address.view));
    if (!view || this.#context.address.view !== address.view) return; // another one was chosen meanwhile
    if (view !== this.#shown) {
      this.#shown?.leave?.();
      this.#shown = view;
      fill(this.#main, view.el);
    }
    view.show(this.#context.address);
    const { note, q, path } = address.query;
    const subject = note ? nameOf(note) : (q ?? path);
    document.title = [subject, view.title, "Notewell"].filter(Boolean).join(" · ");
  }

  /** Makes a view; null where its files could not be loaded, which is said in its place. */
  async #load(name: ViewName): Promise<View | null> {
    try {
      if (STYLED_VIEWS.includes(name)) await viewStyles();
      const made = name === "search" ? new ListView(this.#context) : await LOADERS[name](this.#context);
      const view = this.#views.get(name) ?? made; // the address may have changed twice
      this.#views.set(name, view);
      return view;
    } catch (error) {
      const problem = error instanceof TypeError ? new ServerError("unreachable", error.message) : asServerError(error);
      this.#instead(errorBox(problem, () => location.reload()));
      return null;
    }
  }

  /** An address of a vault that is not served shows no other vault's notes. */
  #unknownVault(name: string): void {
    const known = this.#context.vaults.map(({ name: other }) => {
      const { view, query } = this.#context.address;
      return h("li", {}, h("a", { href: this.#context.to(view, { ...query, vault: other, note: null, line: null, path: null }) }, other));
    });
    const text = t("This server does not serve a vault named “{name}”. It may have been renamed or removed; “notewell vaults add FOLDER” adds one. Open another:", { name });
    this.#instead(emptyBox(t("This vault is not here"), text, h("ul", { class: "note-links" }, ...known)));
    document.title = `${t("This vault is not here")} · Notewell`;
  }

  #instead(box: HTMLElement): void {
    this.#shown?.leave?.();
    this.#shown = null;
    fill(this.#main, box);
  }

  #drawNavigation({ view: present, query }: Address): void {
    const offered = places().filter(({ view }) => view !== "ask" || this.#context.has("ask"));
    const links = offered.map(({ view, label, icon: iconName }) => {
      const href = this.#addressOf(view, query);
      return h("a", { href, "aria-current": view === present ? "page" : null }, icon(iconName), h("span", {}, label));
    });
    fill(this.#nav, ...links);
  }

  #addressOf(view: ViewName, query: Address["query"]): string {
    return this.#context.to(view, QUERY_VIEWS.includes(view) ? { q: query["q"] ?? "" } : {});
  }

  async #showHelp(): Promise<void> {
    const { helpDialog } = await import("../parts/help");
    this.#help ??= helpDialog(this.#version);
    if (!this.#help.isConnected) this.#root.append(this.#help);
    this.#help.showModal();
  }

  /** Opens the palette, which is loaded when it is first asked for; without its files the field takes its place. */
  async #openPalette(): Promise<void> {
    try {
      const { Palette: Opened } = await import("../palette/palette");
      this.#palette ??= new Opened(this.#context);
      await this.#palette.open();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#search.focus();
    }
  }

  #skip(event: Event): void {
    event.preventDefault();
    this.#main.focus();
  }

  #key(event: KeyboardEvent): void {
    if (this.#help?.open || this.#palette?.isOpen) return;
    if (isPaletteKey(event)) {
      event.preventDefault();
      void this.#openPalette();
    } else if (!isField(event.target)) this.#viewKey(event);
  }

  #viewKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
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
      "?": () => void this.#showHelp(),
    };
  }
}

/** Ctrl/Cmd K, which opens the palette from fields as well. */
function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey !== metaKey && !altKey && !shiftKey && key.toLowerCase() === "k";
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}
