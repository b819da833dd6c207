/** What the server keeps and does: one panel at a time, each with an address of its own. */

import type { Desk, View } from "../app/desk";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { ConfigPanel } from "./manage/config";
import { IndexPanel } from "./manage/index";
import { LedgerPanel } from "./manage/ledger";
import { LogPanel } from "./manage/log";
import { ModelsPanel } from "./manage/models";
import { MemoryPanel } from "./manage/memory";
import type { Panel } from "./manage/panel";
import { StatsPanel } from "./manage/stats";
import { VaultsPanel } from "./manage/vaults";

type Make = (desk: Desk) => Panel;

/** `needs` is a feature of the server; a panel without it is not offered. */
const PANELS: readonly [part: string, label: string, needs: string, make: Make][] = [
  ["", "Index", "status", (desk) => new IndexPanel(desk)],
  ["ledger", "Files", "ledger", (desk) => new LedgerPanel(desk)],
  ["vaults", "Vaults", "vaults", (desk) => new VaultsPanel(desk)],
  ["stats", "Figures", "stats", (desk) => new StatsPanel(desk)],
  ["log", "Searches", "log", (desk) => new LogPanel(desk)],
  ["memory", "Memory", "memory", (desk) => new MemoryPanel(desk)],
  ["models", "Models", "models", (desk) => new ModelsPanel(desk)],
  ["config", "Settings", "config", (desk) => new ConfigPanel(desk)],
];

export class Manage implements View {
  readonly title = "Manage";
  readonly el = h("div", { class: "manage" });
  readonly #desk: Desk;
  readonly #tabs = h("nav", { class: "tabs", "aria-label": "What to manage" });
  readonly #body = h("div", { class: "panel" });
  readonly #panels = new Map<string, Panel>();
  #shown: Panel | null = null;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.el.append(this.#tabs, this.#body);
  }

  show(address: Address): void {
    const offered = PANELS.filter(([, , needs]) => this.#desk.has(needs));
    const present = offered.find(([part]) => part === address.part) ?? offered[0];
    if (!present) return;
    const [part, , , make] = present;
    const links = offered.map(([name, label]) =>
      h("a", { href: this.#desk.to("manage", {}, name), "aria-current": name === part ? "page" : null }, label),
    );
    fill(this.#tabs, ...links);
    const panel = this.#panels.get(part) ?? make(this.#desk);
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
