/** The manage view: one panel at a time, each with its own address. */

import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { ConfigPanel } from "./manage/config";
import { DevicesPanel } from "./manage/devices";
import { GleaningsPanel } from "./manage/gleanings";
import { IndexPanel } from "./manage/index";
import { LanguageModelPanel } from "./manage/languageModel";
import { LedgerPanel } from "./manage/ledger";
import { LogPanel } from "./manage/log";
import { ModelsPanel } from "./manage/models";
import { MemoryPanel } from "./manage/memory";
import type { Panel } from "./manage/panel";
import { RunsPanel } from "./manage/runs";
import { StatsPanel } from "./manage/stats";
import { VaultsPanel } from "./manage/vaults";

type Make = (context: ViewContext) => Panel;

/** `needs` is a feature of the server; a panel without it is not offered. */
const PANELS: readonly [part: string, label: string, needs: string, make: Make][] = [
  ["", "Index", "status", (context) => new IndexPanel(context)],
  ["ledger", "Files", "ledger", (context) => new LedgerPanel(context)],
  ["vaults", "Vaults", "vaults", (context) => new VaultsPanel(context)],
  ["stats", "Statistics", "stats", (context) => new StatsPanel(context)],
  ["log", "Searches", "log", (context) => new LogPanel(context)],
  ["memory", "Memory", "memory", (context) => new MemoryPanel(context)],
  ["gleanings", "Saved links", "gleanings", (context) => new GleaningsPanel(context)],
  ["runs", "Runs", "runs", (context) => new RunsPanel(context)],
  ["models", "Models", "models", (context) => new ModelsPanel(context)],
  ["answers", "Answers", "ask_setup", (context) => new LanguageModelPanel(context)],
  ["devices", "Devices", "pair", (context) => new DevicesPanel(context)],
  ["config", "Settings", "config", (context) => new ConfigPanel(context)],
];

export class Manage implements View {
  readonly title = "Manage";
  readonly el = h("div", { class: "manage" });
  readonly #context: ViewContext;
  readonly #tabs = h("nav", { class: "tabs", "aria-label": "Panels" });
  readonly #body = h("div", { class: "panel" });
  readonly #panels = new Map<string, Panel>();
  #shown: Panel | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(this.#tabs, this.#body);
  }

  show(address: Address): void {
    const offered = PANELS.filter(([, , needs]) => this.#context.has(needs));
    const present = offered.find(([part]) => part === address.part) ?? offered[0];
    if (!present) return;
    const [part, , , make] = present;
    const links = offered.map(([name, label]) =>
      h("a", { href: this.#context.to("manage", {}, name), "aria-current": name === part ? "page" : null }, label),
    );
    fill(this.#tabs, ...links);
    const panel = this.#panels.get(part) ?? make(this.#context);
    this.#panels.set(part, panel);
    if (panel !== this.#shown) {
      this.#shown?.leave?.();
      this.#shown = panel;
      fill(this.#body, panel.el);
    }
    panel.show(address);
  }

  key(event: KeyboardEvent): boolean {
    return this.#shown?.key?.(event) ?? false;
  }

  leave(): void {
    this.#shown?.leave?.();
    this.#shown = null;
  }
}
