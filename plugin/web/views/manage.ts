/** Settings: four pages of sections. What people change is open; the address names the section that was opened last. */

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
import { OpenEndsPanel } from "./manage/openEnds";
import { QuestionsPanel } from "./manage/questions";
import { PagesPanel } from "./manage/pagesPanel";
import { Settings, SettingsPanel } from "./manage/settings";
import { StatsPanel } from "./manage/stats";
import { TendPanel } from "./manage/tend/page";
import { VaultsPanel } from "./manage/vaults";
import { t } from "../../src/texts";

/** `needs` is a feature of the server; a section without it is not offered. One that `isOpen` cannot be folded. */
interface Section {
  readonly part: string;
  readonly title: string;
  readonly needs: string;
  readonly isOpen: boolean;
  readonly make: (context: ViewContext) => Panel;
}
interface Page {
  readonly part: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

const folded = (part: string, title: string, needs: string, make: Section["make"]): Section => ({ part, title, needs, isOpen: false, make });
const open = (part: string, title: string, needs: string, make: Section["make"]): Section => ({ part, title, needs, isOpen: true, make });

/** The settings that people change most, each on the page of its subject. */
const SEARCHED = ["vault.exclude", "vault.types"];

const allPages = (): readonly Page[] => [
  {
    part: "",
    title: t("This vault"),
    sections: [
      open("", "", "status", (context) => new VaultState(context)),
      open("searched", t("What is searched"), "config", (context) => new Settings(context, SEARCHED)),
      folded("ledger", t("Files, and why one is not found"), "ledger", (context) => new LedgerPanel(context)),
      folded("vaults", t("Sources"), "vaults", (context) => new VaultsPanel(context)),
      folded("stats", t("Statistics"), "stats", (context) => new StatsPanel(context)),
      folded("runs", t("Activity"), "runs", (context) => new RunsPanel(context)),
      folded("log", t("Recent searches"), "log", (context) => new LogPanel(context)),
    ],
  },
  {
    part: "care",
    title: t("Maintenance"),
    sections: [
      open("tend", t("Suggestions"), "garden_plans", (context) => new TendPanel(context)),
      folded("questions", t("Questions that wait"), "questions", (context) => new QuestionsPanel(context)),
      folded("open-ends", t("Open ends"), "open_ends", (context) => new OpenEndsPanel(context)),
      folded("conflicts", t("Conflict copies"), "conflicts", (context) => new ConflictsPanel(context)),
      folded("gleanings", t("Saved links"), "gleanings", (context) => new GleaningsPanel(context)),
      folded("memory", t("Memories"), "memory", (context) => new MemoryPanel(context)),
    ],
  },
  {
    part: "people",
    title: t("People and devices"),
    sections: [
      open("devices", t("Devices"), "pair", (context) => new DevicesPanel(context)),
      folded("audit", t("Access log"), "audit", (context) => new AuditPanel(context)),
    ],
  },
  {
    part: "engine",
    title: t("General"),
    sections: [
      open("language", t("These pages"), "config", () => new PagesPanel()),
      open("models", t("Search by meaning"), "models", (context) => new ModelsPanel(context)),
      folded("answers", t("Answers"), "ask_setup", (context) => new LanguageModelPanel(context)),
      folded("config", t("All settings"), "config", (context) => new SettingsPanel(context)),
    ],
  },
];

/** A section on its page, open or folded until it is asked for; its panel is made with the first opening. */
class Fold {
  readonly el: HTMLElement;
  readonly #context: ViewContext;
  readonly #section: Section;
  #panel: Panel | null = null;
  #isShown = false;

  /** `toggled` is called when somebody opens or folds it. */
  constructor(context: ViewContext, one: Section, toggled: (fold: Fold) => void) {
    this.#context = context;
    this.#section = one;
    const title = one.title ? h("h2", {}, one.title) : null;
    this.el = one.isOpen ? h("section", { class: "fold" }, title) : h("details", { class: "fold" }, h("summary", {}, title));
    if (!one.isOpen) this.el.addEventListener("toggle", () => this.isOpen === this.#isShown || toggled(this));
  }

  get part(): string {
    return this.#section.part;
  }

  get isOpen(): boolean {
    return this.#section.isOpen || (this.el as HTMLDetailsElement).open;
  }

  unfold(): void {
    if (!this.isOpen) (this.el as HTMLDetailsElement).open = true;
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
  /** The section that the address named before: it is not scrolled to again. */
  #named = "";
  #aim = new ResizeObserver(() => undefined);

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
    links.find((link) => link.hasAttribute("aria-current"))?.scrollIntoView({ block: "nearest", inline: "nearest" }); // narrow windows
    if (present.part !== this.#page || this.#vault !== this.#context.vault?.id) this.#open(present);
    this.#showSections(address);
  }

  /** Opens the section that the address names, and shows what is open. A plan or a memory is looked at alone. */
  #showSections(address: Address): void {
    const named = this.#folds.find(({ part }) => part === address.part && part !== "");
    const isNew = named !== undefined && named.part !== this.#named;
    named?.unfold();
    const isAlone = named !== undefined && Boolean(address.query["plan"] ?? address.query["id"]);
    this.#body.classList.toggle("is-alone", isAlone);
    for (const one of this.#folds) {
      one.el.classList.toggle("is-named", one === named);
      one.show(address);
    }
    if (isNew && !isAlone && named !== this.#folds[0]) this.#scrollTo(named.el);
    this.#named = named?.part ?? "";
  }

  /** What stands above is still loading, so it stays in sight until somebody scrolls or presses something. */
  #scrollTo(el: HTMLElement): void {
    this.#aim.disconnect();
    this.#aim = new ResizeObserver(() => el.scrollIntoView({ block: "start" }));
    this.#aim.observe(this.#body);
    for (const event of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(event, () => this.#aim.disconnect(), { once: true, passive: true });
  }

  #open({ part, title, sections }: Page): void {
    this.leave();
    this.#page = part;
    this.#vault = this.#context.vault?.id;
    this.#named = "";
    const name = (fold: Fold): void => {
      this.#named = fold.isOpen ? fold.part : part;
      this.#context.name(this.#named);
    };
    this.#folds = sections.map((one) => new Fold(this.#context, one, name));
    fill(this.#body, h("h1", { class: "unseen" }, title), ...this.#folds.map(({ el }) => el));
  }

  key(event: KeyboardEvent): boolean {
    return this.#folds.some((one) => one.key(event));
  }

  leave(): void {
    this.#aim.disconnect();
    for (const one of this.#folds) one.leave();
    this.#page = "none";
  }
}

function isOn({ part, sections }: Page, name: string): boolean {
  return part === name || sections.some((one) => one.part === name);
}
