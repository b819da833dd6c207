/** The manage view: one panel at a time, each with its own address. */

import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { AuditPanel } from "./manage/audit";
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
type Offer = readonly [part: string, label: string, needs: string, make: Make];

const allPanels = (): readonly (readonly [group: string, offers: readonly Offer[]])[] => [
  [
    t("Notes"),
    [
      ["", t("Index"), "status", (context) => new IndexPanel(context)],
      ["ledger", t("Files"), "ledger", (context) => new LedgerPanel(context)],
      ["stats", t("Statistics"), "stats", (context) => new StatsPanel(context)],
      ["log", t("Searches"), "log", (context) => new LogPanel(context)],
    ],
  ],
  [
    t("Care"),
    [
      ["tend", t("Tend"), "garden_plans", (context) => new TendPanel(context)],
      ["gleanings", t("Saved links"), "gleanings", (context) => new GleaningsPanel(context)],
      ["memory", t("Memory"), "memory", (context) => new MemoryPanel(context)],
      ["runs", t("Runs"), "runs", (context) => new RunsPanel(context)],
    ],
  ],
  [
    t("Server"),
    [
      ["vaults", t("Vaults"), "vaults", (context) => new VaultsPanel(context)],
      ["models", t("Models"), "models", (context) => new ModelsPanel(context)],
      ["answers", t("Answers"), "ask_setup", (context) => new LanguageModelPanel(context)],
      ["devices", t("Devices"), "pair", (context) => new DevicesPanel(context)],
      ["audit", t("Audit log"), "audit", (context) => new AuditPanel(context)],
      ["config", t("Settings"), "config", (context) => new ConfigPanel(context)],
    ],
  ],
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
    const groups = allPanels().map(([group, offers]) => [group, offers.filter(([, , needs]) => this.#context.has(needs))] as const);
    const offered = groups.flatMap(([, offers]) => offers);
    const present = offered.find(([part]) => part === address.part) ?? offered[0];
    if (!present) return;
    const [part, , , make] = present;
    const link = ([name, label]: Offer): HTMLElement =>
      h("a", { href: this.#context.to("manage", {}, name), "aria-current": name === part ? "page" : null }, label);
    fill(this.#tabs, ...groups.flatMap(([group, offers]) => (offers.length ? [h("span", { class: "tab-group" }, group), ...offers.map(link)] : [])));
    requestAnimationFrame(() => this.#showTab());
    const panel = this.#panels.get(part) ?? make(this.#context);
    this.#panels.set(part, panel);
    if (panel !== this.#shown) {
      this.#shown?.leave?.();
      this.#shown = panel;
      fill(this.#body, panel.el);
    }
    panel.show(address);
  }

  /** On a phone the tabs are one row that scrolls: the present one is to be seen. */
  #showTab(): void {
    const present = this.#tabs.querySelector<HTMLElement>("[aria-current]");
    if (present) this.#tabs.scrollLeft = present.offsetLeft - (this.#tabs.clientWidth - present.offsetWidth) / 2;
  }

  key(event: KeyboardEvent): boolean {
    return this.#shown?.key?.(event) ?? false;
  }

  leave(): void {
    this.#shown?.leave?.();
    this.#shown = null;
  }
}
