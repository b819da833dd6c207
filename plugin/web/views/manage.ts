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
import { TendPanel } from "./manage/tend";
import { VaultsPanel } from "./manage/vaults";
import { t } from "../../src/texts";

type Make = (context: ViewContext) => Panel;

/** `needs` is a feature of the server; a panel without it is not offered. */
const allPanels = (): readonly [part: string, label: string, needs: string, make: Make][] => [
  ["", t("Index"), "status", (context) => new IndexPanel(context)],
  ["ledger", t("Files"), "ledger", (context) => new LedgerPanel(context)],
  ["vaults", t("Vaults"), "vaults", (context) => new VaultsPanel(context)],
  ["stats", t("Statistics"), "stats", (context) => new StatsPanel(context)],
  ["log", t("Searches"), "log", (context) => new LogPanel(context)],
  ["memory", t("Memory"), "memory", (context) => new MemoryPanel(context)],
  ["tend", t("Tend"), "garden_plans", (context) => new TendPanel(context)],
  ["gleanings", t("Saved links"), "gleanings", (context) => new GleaningsPanel(context)],
  ["runs", t("Runs"), "runs", (context) => new RunsPanel(context)],
  ["models", t("Models"), "models", (context) => new ModelsPanel(context)],
  ["answers", t("Answers"), "ask_setup", (context) => new LanguageModelPanel(context)],
  ["devices", t("Devices"), "pair", (context) => new DevicesPanel(context)],
  ["config", t("Settings"), "config", (context) => new ConfigPanel(context)],
];

export class Manage implements View {
  readonly title = t("Manage");
  readonly el = h("div", { class: "manage" });
  readonly #context: ViewContext;
  readonly #tabs = h("nav", { class: "tabs", "aria-label": t("Panels") });
  readonly #body = h("div", { class: "panel" });
  readonly #panels = new Map<string, Panel>();
  #shown: Panel | null = null;

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(this.#tabs, this.#body);
  }

  show(address: Address): void {
    const offered = allPanels().filter(([, , needs]) => this.#context.has(needs));
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
