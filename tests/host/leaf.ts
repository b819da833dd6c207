/** A place for one view, with its tab. */

import type {
  App,
  OpenViewState,
  TFile as AppFile,
  View as AppView,
  ViewState,
  WorkspaceLeaf as AppLeaf,
} from "obsidian";
import { setIcon } from "./icons";
import { MarkdownView } from "./markdownView";
import { Events, TFile } from "./mocks";
import type { TabGroup } from "./tabs";
import { DeferredView, View } from "./views";

type Part = Pick<
  AppLeaf,
  | "openFile"
  | "getViewState"
  | "setViewState"
  | "getEphemeralState"
  | "setEphemeralState"
  | "setPinned"
  | "detach"
  | "getDisplayText"
  | "isDeferred"
  | "loadIfDeferred"
>;

/** What a leaf needs of its workspace. */
export interface LeafHome {
  readonly app: App;
  creator(type: string): ((leaf: AppLeaf) => AppView) | undefined;
  opened(leaf: WorkspaceLeaf, isActive: boolean): void;
  /** A person works in it. */
  used(leaf: WorkspaceLeaf): void;
  detached(leaf: WorkspaceLeaf): void;
}

class EmptyView extends View {
  getViewType(): string {
    return "empty";
  }

  getDisplayText(): string {
    return "New tab";
  }
}

export class WorkspaceLeaf extends Events implements Part {
  readonly app: App;
  readonly containerEl = createDiv("workspace-leaf");
  readonly tabEl = createDiv("workspace-tab-header");
  readonly hoverPopover = null;
  view: View;
  parent!: TabGroup;
  pinned = false;
  readonly #home: LeafHome;

  constructor(home: LeafHome) {
    super();
    this.#home = home;
    this.app = home.app;
    this.view = new EmptyView(this.typed);
    this.tabEl.addEventListener("click", () => home.opened(this, true));
    for (const event of ["mousedown", "focusin"]) {
      this.containerEl.addEventListener(event, () => home.used(this));
    }
  }

  /** Itself under the app's type, of which it is a part. */
  get typed(): AppLeaf {
    return this as unknown as AppLeaf;
  }

  getDisplayText(): string {
    return this.view.getDisplayText();
  }

  getViewState(): ViewState {
    return { type: this.view.getViewType(), state: this.view.getState() };
  }

  async setViewState({ type, state, active }: ViewState, eState?: unknown): Promise<void> {
    const create = this.#home.creator(type);
    if (!create) throw new Error(`No view of type “${type}” is registered.`);
    const isOther = this.isDeferred || this.view.getViewType() !== type;
    if (isOther) await this.#open(create(this.typed) as unknown as View);
    await this.view.setState(state ?? {}, { history: false });
    if (eState !== undefined) this.view.setEphemeralState(eState);
    this.#home.opened(this, active === true);
  }

  async openFile(file: AppFile, state: OpenViewState = {}): Promise<void> {
    if (!(file instanceof TFile)) throw new Error("That is no file.");
    if (!(this.view instanceof MarkdownView)) await this.#open(new MarkdownView(this.typed));
    await (this.view as MarkdownView).show(file);
    this.view.setEphemeralState(state.eState);
    this.#home.opened(this, state.active !== false);
  }

  get isDeferred(): boolean {
    return this.view instanceof DeferredView;
  }

  /** Holds the place of a view of which only the state is known. */
  async defer(kept: ViewState): Promise<void> {
    await this.#open(new DeferredView(this.typed, kept));
    this.drawTab();
  }

  async loadIfDeferred(): Promise<void> {
    if (this.isDeferred) await this.setViewState(this.getViewState());
  }

  /** Its tab has come to stand in another window. */
  migrated(): void {
    this.view.migrated();
  }

  getEphemeralState(): Record<string, unknown> {
    return this.view.getEphemeralState();
  }

  setEphemeralState(state: unknown): void {
    this.view.setEphemeralState(state);
  }

  setPinned(isPinned: boolean): void {
    this.pinned = isPinned;
  }

  /** Shows the view's present name on the tab. */
  drawTab(): void {
    this.tabEl.empty();
    setIcon(this.tabEl.createDiv("workspace-tab-header-inner-icon"), this.view.getIcon());
    this.tabEl.createDiv({ cls: "workspace-tab-header-inner-title", text: this.getDisplayText() });
  }

  detach(): void {
    void this.view.close();
    this.#home.detached(this);
  }

  async #open(view: View): Promise<void> {
    await this.view.close();
    this.view = view;
    await view.open(this.containerEl);
  }
}
