/** Settings: four pages of sections. The address names the section that is open, as it did when each was a page. */

import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { AuditPanel } from "./manage/audit";
import { ConflictsPanel } from "./manage/conflicts";
import { DevicesPanel } from "./manage/devices";
import { GleaningsPanel } from "./manage/gleanings";
import { VaultState } from "./manage/index";
import { LanguageModelPanel } from "./manage/languageModel";
import { LedgerPanel } from "./manage/ledger";
import { LogPanel, RunsPanel } from "./manage/history";
import { MemoryPanel } from "./manage/memory";
import { ModelsPanel } from "./manage/models";
import type { Panel } from "./manage/panel";
import { QuestionsPanel } from "./manage/questions";
import { LanguagePanel, SettingsPanel } from "./manage/settings";
import { StatsPanel } from "./manage/stats";
import { TendPanel } from "./manage/tend/page";
import { VaultsPanel } from "./manage/vaults";
import { t } from "../../src/texts";

/** `needs` is a feature of the server; a section without it is not offered. A first section without a title is always open. */
interface Section {
  readonly part: string;
  readonly title: string;
  readonly needs: string;
  readonly make: (context: ViewContext) => Panel;
}
interface Page {
  readonly part: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

const section = (part: string, title: string, needs: string, make: Section["make"]): Section => ({ part, title, needs, make });

const allPages = (): readonly Page[] => [
  {
    part: "",
    title: t("This vault"),
    sections: [
      section("", "", "status", (context) => new VaultState(context)),
      section("ledger", t("Files, and why one is not found"), "ledger", (context) => new LedgerPanel(context)),
      section("vaults", t("Sources"), "vaults", (context) => new VaultsPanel(context)),
      section("stats", t("What is in it"), "stats", (context) => new StatsPanel(context)),
      section("runs", t("What was done"), "runs", (context) => new RunsPanel(context)),
      section("log", t("Searches of before"), "log", (context) => new LogPanel(context)),
    ],
  },
  {
    part: "care",
    title: t("Care"),
    sections: [
      section("tend", t("Tend"), "garden_plans", (context) => new TendPanel(context)),
      section("questions", t("Questions that wait"), "questions", (context) => new QuestionsPanel(context)),
      section("conflicts", t("Conflict copies"), "conflicts", (context) => new ConflictsPanel(context)),
      section("gleanings", t("Saved links"), "gleanings", (context) => new GleaningsPanel(context)),
      section("memory", t("Memories"), "memory", (context) => new MemoryPanel(context)),
    ],
  },
  {
    part: "people",
    title: t("People and devices"),
    sections: [
      section("devices", t("Devices"), "pair", (context) => new DevicesPanel(context)),
      section("audit", t("Who did what"), "audit", (context) => new AuditPanel(context)),
    ],
  },
  {
    part: "engine",
    title: t("Engine"),
    sections: [
      section("models", t("Search by meaning"), "models", (context) => new ModelsPanel(context)),
      section("answers", t("Answers"), "ask_setup", (context) => new LanguageModelPanel(context)),
      section("language", t("Language of these pages"), "config", () => new LanguagePanel()),
      section("config", t("All settings"), "config", (context) => new SettingsPanel(context)),
    ],
  },
];

/** A section on its page, folded until it is asked for; its panel is made with the first opening. */
class Fold {
  readonly el: HTMLElement;
  readonly #context: ViewContext;
  readonly #section: Section;
  #panel: Panel | null = null;
  #isShown = false;

  constructor(context: ViewContext, one: Section, isOpen: boolean) {
    this.#context = context;
    this.#section = one;
    if (!one.title) {
      this.el = h("section", { class: "fold" });
      return;
    }
    this.el = h("details", { class: "fold", open: isOpen }, h("summary", {}, h("h2", {}, one.title)));
    this.el.addEventListener("toggle", () => this.isOpen === this.#isShown || this.show(context.address));
  }

  get part(): string {
    return this.#section.part;
  }

  get isOpen(): boolean {
    return !this.#section.title || (this.el as HTMLDetailsElement).open;
  }

  toggle(isOpen: boolean): void {
    if (this.#section.title) (this.el as HTMLDetailsElement).open = isOpen;
  }

  /** Shows the panel where the section is open. The query of the address is that of its own section alone. */
  show(address: Address): void {
    if (!this.el.isConnected) return;
    if (!this.isOpen) {
      this.leave();
      this.#panel?.el.remove(); // it is made once, and shown again as it was
      return;
    }
    this.#panel ??= this.#section.make(this.#context);
    if (!this.#panel.el.isConnected) this.el.append(this.#panel.el);
    const isOwn = address.part === this.part;
    if (this.#isShown && !isOwn) return;
    this.#isShown = true;
    this.#panel.show(isOwn ? address : { ...address, part: this.part, query: { vault: address.query["vault"] ?? "" } });
  }

  leave(): void {
    if (this.#isShown) this.#panel?.leave?.();
    this.#isShown = false;
  }

  key(event: KeyboardEvent): boolean {
    return this.isOpen && (this.#panel?.key?.(event) ?? false);
  }
}

export class Manage implements View {
  readonly title = t("Settings");
  readonly el = h("div", { class: "manage" });
  readonly #context: ViewContext;
  readonly #tabs = h("nav", { class: "tabs", "aria-label": t("Pages of settings") });
  readonly #body = h("div", { class: "panel" });
  #page = "none";
  #vault: string | undefined;
  #folds: readonly Fold[] = [];
  #opened = "";

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(this.#tabs, this.#body);
  }

  show(address: Address): void {
    const pages = allPages()
      .map((page) => ({ ...page, sections: page.sections.filter(({ needs }) => this.#context.has(needs)) }))
      .filter(({ sections }) => sections.length > 0);
    const present = pages.find((page) => isOn(page, address.part)) ?? pages[0];
    if (!present) return;
    const links = pages.map(({ part, title }) => h("a", { href: this.#context.to("manage", {}, part), "aria-current": part === present.part ? "page" : null }, title));
    fill(this.#tabs, ...links);
    if (present.part !== this.#page || this.#vault !== this.#context.vault?.id) this.#open(present, address);
    this.#showSections(address);
  }

  /** Opens the section that the address names, and shows what is open. A plan or a memory is looked at alone. */
  #showSections(address: Address): void {
    const named = this.#folds.find(({ part }) => part === address.part && part !== "");
    const isNew = named !== undefined && named.part !== this.#opened;
    if (isNew) for (const one of this.#folds) one.toggle(one === named);
    const isAlone = named !== undefined && Boolean(address.query["plan"] ?? address.query["id"]);
    this.#body.classList.toggle("is-alone", isAlone);
    for (const one of this.#folds) {
      one.el.classList.toggle("is-named", one === named);
      one.show(address);
    }
    if (isNew && !isAlone && named !== this.#folds[0]) named.el.scrollIntoView({ block: "start" });
    this.#opened = named?.part ?? "";
  }

  #open({ part, title, sections }: Page, address: Address): void {
    this.leave();
    this.#page = part;
    this.#vault = this.#context.vault?.id;
    this.#opened = "";
    const isNamed = sections.some((one) => one.part === address.part);
    this.#folds = sections.map((one, at) => new Fold(this.#context, one, at === 0 && !isNamed));
    fill(this.#body, h("h1", {}, title), ...this.#folds.map(({ el }) => el));
  }

  key(event: KeyboardEvent): boolean {
    return this.#folds.some((one) => one.key(event));
  }

  leave(): void {
    for (const one of this.#folds) one.leave();
    this.#page = "none";
  }
}

function isOn({ part, sections }: Page, name: string): boolean {
  return part === name || sections.some((one) => one.part === name);
}
