/** Bases: a query of notes, shown by the views that plugins register. Filters and formulas are the app's own, and not here. */

import type {
  App,
  BasesAllOptions,
  BasesEntry as AppBasesEntry,
  BasesEntryGroup,
  BasesPropertyId,
  BasesQueryResult,
  BasesView as AppBasesView,
  BasesViewConfig as AppBasesViewConfig,
  BasesViewRegistration,
  QueryController,
  TFile,
  Value,
  WorkspaceLeaf,
} from "obsidian";
import { Component } from "./mocks";
import type { Part } from "./part";
import { ItemView } from "./views";

/** What a person chose: the notes, the properties to show, the one to group by, and the view's own options. */
export interface Base {
  readonly name: string;
  readonly paths: readonly string[];
  readonly order: readonly string[];
  readonly groupBy?: string;
  readonly options: Readonly<Record<string, unknown>>;
}

type ViewPart = Part<AppBasesView, "app" | "config" | "data" | "type" | "onDataUpdated">;

export abstract class BasesView extends Component implements ViewPart {
  app!: App;
  config!: AppBasesViewConfig;
  data!: BasesQueryResult;
  abstract type: string;

  protected constructor(_controller: QueryController) {
    super();
  }

  abstract onDataUpdated(): void;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "").replace(/^""$/, "");
}

class TextValue {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  isTruthy(): boolean {
    return this.text !== "";
  }
}

class Entry implements Part<AppBasesEntry, "file" | "getValue"> {
  constructor(
    readonly app: App,
    readonly file: TFile,
  ) {}

  getValue(id: BasesPropertyId): Value | null {
    const [kind, name = ""] = [id.slice(0, id.indexOf(".")), id.slice(id.indexOf(".") + 1)];
    const known: Readonly<Record<string, unknown>> = kind === "file" ? { ...this.file } : (this.app.metadataCache.getFileCache(this.file)?.frontmatter ?? {});
    const value = known[name];
    return new TextValue(textOf(value)) as unknown as Value;
  }
}

class Config implements Part<AppBasesViewConfig, "name" | "get" | "set" | "getOrder" | "getDisplayName"> {
  readonly #base: Base;
  readonly chosen = new Map<string, unknown>();

  constructor(base: Base) {
    this.#base = base;
    for (const [key, value] of Object.entries(base.options)) this.chosen.set(key, value);
  }

  get name(): string {
    return this.#base.name;
  }

  get(key: string): unknown {
    return this.chosen.get(key);
  }

  set(key: string, value: unknown): void {
    this.chosen.set(key, value);
  }

  getOrder(): BasesPropertyId[] {
    return [...this.#base.order] as BasesPropertyId[];
  }

  getDisplayName(id: BasesPropertyId): string {
    return id.slice(id.indexOf(".") + 1);
  }
}

/** The tab of a base, with the options of its view above it. */
export class BaseTab extends ItemView {
  readonly #base: Base;
  readonly #registration: BasesViewRegistration;
  #shown: BasesView | null = null;

  constructor(leaf: WorkspaceLeaf, base: Base, registration: BasesViewRegistration) {
    super(leaf);
    this.#base = base;
    this.#registration = registration;
  }

  getViewType(): string {
    return "bases";
  }

  getDisplayText(): string {
    return this.#base.name;
  }

  protected override async onOpen(): Promise<void> {
    const config = new Config(this.#base);
    const typed = config as unknown as AppBasesViewConfig;
    const toolbar = this.contentEl.createDiv("bases-header");
    const container = this.contentEl.createDiv("bases-view");
    const view = this.#registration.factory(new Component(), container) as unknown as BasesView;
    Object.assign(view, { app: this.app, config: typed });
    for (const option of this.#registration.options?.(typed) ?? []) {
      drawOption(toolbar, option, config, () => this.#update());
    }
    this.#shown = view;
    this.addChild(view);
    this.#update();
  }

  /** Runs the query again, as the app does at each change of a note of the base. */
  #update(): void {
    if (!this.#shown) return;
    const { paths, groupBy } = this.#base;
    const entries = paths.flatMap((path) => {
      const file = this.app.vault.getFileByPath(path);
      return file ? [new Entry(this.app, file)] : [];
    });
    this.#shown.data = { data: entries, groupedData: groups(entries, groupBy) } as unknown as BasesQueryResult;
    this.#shown.onDataUpdated();
  }
}

function groups(entries: readonly AppBasesEntry[], by?: string): BasesEntryGroup[] {
  const found = new Map<string, AppBasesEntry[]>();
  for (const entry of entries) {
    const key = by ? String(entry.getValue(by as BasesPropertyId)) : "";
    found.set(key, [...(found.get(key) ?? []), entry]);
  }
  return [...found].map(([key, own]) => ({ key: new TextValue(key) as unknown as Value, entries: own, hasKey: () => key !== "" }));
}

function drawOption(parent: HTMLElement, option: BasesAllOptions, config: Config, changed: () => void): void {
  if (option.type === "group") return;
  const label = parent.createEl("label", { text: `${option.displayName} ` });
  const keep = (value: unknown): void => {
    config.set(option.key, value);
    changed();
  };
  if (option.type === "dropdown") {
    const field = label.createEl("select");
    for (const [value, text] of Object.entries(option.options)) field.createEl("option", { value, text });
    field.value = textOf(config.get(option.key) ?? option.default);
    field.onchange = (): void => keep(field.value);
  } else if (option.type === "toggle") {
    const field = label.createEl("input", { type: "checkbox" });
    field.checked = (config.get(option.key) ?? option.default) === true;
    field.onchange = (): void => keep(field.checked);
  } else {
    const field = label.createEl("input", { type: "text", placeholder: "placeholder" in option ? (option.placeholder ?? "") : "" });
    field.value = textOf(config.get(option.key));
    field.onchange = (): void => keep(field.value);
  }
}
