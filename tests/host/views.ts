/** What a leaf shows. */

import type { App, IconName, ItemView as AppItemView, Scope, ViewState, ViewStateResult, WorkspaceLeaf } from "obsidian";
import { setIcon, setTooltip } from "./icons";
import { Component } from "./mocks";

type ViewPart = Pick<
  AppItemView,
  "app" | "icon" | "navigation" | "leaf" | "containerEl" | "scope" | "getState" | "setState"
>;

export abstract class View extends Component implements ViewPart {
  readonly app: App;
  icon: IconName = "file";
  navigation = true;
  scope: Scope | null = null;
  readonly containerEl = createDiv("workspace-leaf-content");

  constructor(readonly leaf: WorkspaceLeaf) {
    super();
    this.app = (leaf as WorkspaceLeaf & { readonly app: App }).app;
  }

  abstract getViewType(): string;
  abstract getDisplayText(): string;

  async open(parent: HTMLElement): Promise<void> {
    this.containerEl.dataset["type"] = this.getViewType();
    parent.append(this.containerEl);
    this.load();
    await this.onOpen();
  }

  async close(): Promise<void> {
    await this.onClose();
    this.containerEl.remove();
    this.unload();
  }

  getIcon(): IconName {
    return this.icon;
  }

  getState(): Record<string, unknown> {
    return {};
  }

  async setState(_state: unknown, _result: ViewStateResult): Promise<void> {}

  getEphemeralState(): Record<string, unknown> {
    return {};
  }

  setEphemeralState(_state: unknown): void {}

  /** It stands in another window now. */
  migrated(): void {}

  onResize(): void {}

  onPaneMenu(): void {}

  protected async onOpen(): Promise<void> {}

  protected async onClose(): Promise<void> {}
}

/** Stands in a tab at the back for the view that it will be when somebody looks. */
export class DeferredView extends View {
  readonly #kept: ViewState;

  constructor(leaf: WorkspaceLeaf, kept: ViewState) {
    super(leaf);
    this.#kept = kept;
  }

  getViewType(): string {
    return this.#kept.type;
  }

  getDisplayText(): string {
    return this.#kept.type;
  }

  override getState(): Record<string, unknown> {
    return { ...this.#kept.state };
  }
}

export abstract class ItemView extends View {
  readonly #headerEl = this.containerEl.createDiv("view-header");
  readonly contentEl = this.containerEl.createDiv("view-content");

  addAction(icon: IconName, title: string, action: (event: MouseEvent) => unknown): HTMLElement {
    const el = this.#headerEl.createEl("a", { cls: "clickable-icon view-action" });
    setIcon(el, icon);
    setTooltip(el, title);
    el.addEventListener("click", action);
    return el;
  }
}
