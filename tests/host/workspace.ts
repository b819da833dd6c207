/** The window: two side panels around the notes. */

import type {
  App,
  Constructor,
  OpenViewState,
  PaneType,
  Side,
  TFile,
  View as AppView,
  ViewCreator,
  Workspace as AppWorkspace,
  WorkspaceLeaf as AppLeaf,
} from "obsidian";
import { WorkspaceLeaf, type LeafHome } from "./leaf";
import { MarkdownView } from "./markdownView";
import { debounce, Events, parseLinktext } from "./mocks";
import { TabGroup } from "./tabs";

type Part = Pick<
  AppWorkspace,
  | "layoutReady"
  | "containerEl"
  | "onLayoutReady"
  | "openLinkText"
  | "setActiveLeaf"
  | "getMostRecentLeaf"
  | "ensureSideLeaf"
  | "getActiveViewOfType"
  | "getActiveFile"
  | "iterateAllLeaves"
  | "getLeavesOfType"
  | "detachLeavesOfType"
  | "revealLeaf"
>;

export class Workspace extends Events implements Part, LeafHome {
  layoutReady = false;
  activeLeaf: AppLeaf | null = null;
  /** How often a view asked to have its state kept. */
  saves = 0;
  readonly app: App;
  readonly containerEl: HTMLElement;
  readonly requestSaveLayout = debounce(async () => {
    this.saves += 1;
  }, 100);
  readonly #creators = new Map<string, ViewCreator>();
  readonly #sides: Record<Side, TabGroup>;
  readonly #root: HTMLElement;
  readonly #groups: TabGroup[];
  #waiting: (() => unknown)[] = [];
  #recent: WorkspaceLeaf | null = null;
  #file: TFile | null = null;

  constructor(app: App, parent: HTMLElement) {
    super();
    this.app = app;
    this.containerEl = parent.createDiv("workspace");
    const left = this.containerEl.createDiv("workspace-split mod-left-split");
    this.#root = this.containerEl.createDiv("workspace-split mod-root");
    const right = this.containerEl.createDiv("workspace-split mod-right-split");
    this.#sides = { left: new TabGroup(left), right: new TabGroup(right) };
    this.#groups = [new TabGroup(this.#root)];
    this.#root.addEventListener("mousedown", () => this.closeDrawers());
  }

  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.#waiting.push(callback);
  }

  ready(): void {
    this.layoutReady = true;
    for (const callback of this.#waiting.splice(0)) callback();
  }

  /** `null` takes the creator away. */
  register(type: string, creator: ViewCreator | null): void {
    if (creator) this.#creators.set(type, creator);
    else this.#creators.delete(type);
  }

  creator(type: string): ViewCreator | undefined {
    return this.#creators.get(type);
  }

  getLeaf(pane: PaneType | boolean = false): AppLeaf {
    const recent = this.#recent;
    if (pane === false && recent && !recent.pinned) return recent.typed;
    if (pane === "window") throw new Error("The host opens no second window.");
    const leaf = new WorkspaceLeaf(this);
    const group = pane === "split" ? new TabGroup(this.#root) : (recent?.parent ?? this.#groups[0]);
    if (pane === "split" && group) this.#groups.push(group);
    group?.add(leaf);
    return leaf.typed;
  }

  async ensureSideLeaf(
    type: string,
    side: Side,
    options: { active?: boolean; reveal?: boolean; state?: unknown } = {},
  ): Promise<AppLeaf> {
    let leaf = this.getLeavesOfType(type)[0];
    if (!leaf) {
      const made = new WorkspaceLeaf(this);
      this.#sides[side].add(made);
      leaf = made.typed;
      await leaf.setViewState({ type, state: options.state as Record<string, unknown> });
    }
    if (options.reveal !== false) await this.revealLeaf(leaf);
    if (options.active) this.setActiveLeaf(leaf);
    return leaf;
  }

  async revealLeaf(leaf: AppLeaf): Promise<void> {
    const { parent } = hosted(leaf);
    parent.show(hosted(leaf));
    this.closeDrawers();
    parent.el.parentElement?.addClass("is-open");
  }

  /** On phones the side panels lie over the note; opening a note closes them. */
  closeDrawers(): void {
    for (const { el } of Object.values(this.#sides)) el.parentElement?.removeClass("is-open");
  }

  async openLinkText(
    linktext: string,
    sourcePath: string,
    pane: PaneType | boolean = false,
    state: OpenViewState = {},
  ): Promise<void> {
    const { path } = parseLinktext(linktext);
    const file = this.app.metadataCache.getFirstLinkpathDest(path, sourcePath);
    if (!file) throw new Error(`The app would make a new note for “${linktext}”.`);
    await this.getLeaf(pane).openFile(file, state);
    this.closeDrawers();
  }

  setActiveLeaf(leaf: AppLeaf, params?: { focus?: boolean } | boolean): void {
    this.opened(hosted(leaf), true);
    const { view } = hosted(leaf);
    if (typeof params === "object" && params.focus && view instanceof MarkdownView) {
      view.editor.focus();
    }
  }

  getMostRecentLeaf(): AppLeaf | null {
    return this.#recent?.typed ?? null;
  }

  getActiveFile(): TFile | null {
    const view = this.#recent?.view;
    return view instanceof MarkdownView ? view.file : null;
  }

  getActiveViewOfType<T extends AppView>(type: Constructor<T>): T | null {
    const view = this.activeLeaf?.view;
    return view instanceof type ? view : null;
  }

  get activeEditor(): MarkdownView | null {
    const view = this.activeLeaf && hosted(this.activeLeaf).view;
    return view instanceof MarkdownView ? view : null;
  }

  iterateAllLeaves(visit: (leaf: AppLeaf) => unknown): void {
    for (const leaf of this.#leaves()) visit(leaf.typed);
  }

  getLeavesOfType(type: string): AppLeaf[] {
    const found = this.#leaves().filter((leaf) => leaf.view.getViewType() === type);
    return found.map((leaf) => leaf.typed);
  }

  detachLeavesOfType(type: string): void {
    for (const leaf of this.getLeavesOfType(type)) leaf.detach();
  }

  opened(leaf: WorkspaceLeaf, isActive: boolean): void {
    leaf.drawTab();
    if (!isActive) {
      // It was put on top when it was made; what was looked at stays in front.
      if (this.#recent?.parent === leaf.parent) leaf.parent.show(this.#recent);
      return;
    }
    leaf.parent.show(leaf);
    this.activeLeaf = leaf.typed;
    if (this.#groups.includes(leaf.parent)) this.#recent = leaf;
    this.trigger("active-leaf-change", leaf);
    const file = this.getActiveFile();
    if (file === this.#file) return;
    this.#file = file;
    this.trigger("file-open", file);
  }

  detached(leaf: WorkspaceLeaf): void {
    leaf.parent.remove(leaf);
    if (this.#recent === leaf) this.#recent = this.#groups.flatMap((group) => group.leaves).at(-1) ?? null;
    if (this.activeLeaf === leaf.typed) this.activeLeaf = this.#recent?.typed ?? null;
  }

  #leaves(): WorkspaceLeaf[] {
    return [...this.#groups, this.#sides.left, this.#sides.right].flatMap((group) => group.leaves);
  }
}

function hosted(leaf: AppLeaf): WorkspaceLeaf {
  return leaf as unknown as WorkspaceLeaf;
}
