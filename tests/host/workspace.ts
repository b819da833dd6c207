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
import type { Extension } from "@codemirror/state";
import { EditorSuggests } from "./editorSuggest";
import { WorkspaceLeaf, type LeafHome } from "./leaf";
import type { StoredPanel } from "./environment";
import { MarkdownView } from "./markdownView";
import { debounce, Events, parseLinktext } from "./mocks";
import { openWindow } from "./popout";
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
  | "openPopoutLeaf"
  | "updateOptions"
>;

const MOST_LAST_FILES = 10;

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
  /** Not public in the app; plugins use it all the same. */
  readonly editorSuggest: EditorSuggests;
  readonly editorExtensions: Extension[] = [];
  readonly #creators = new Map<string, ViewCreator>();
  readonly #sides: Record<Side, TabGroup>;
  readonly #root: HTMLElement;
  readonly #groups: TabGroup[];
  #waiting: (() => unknown)[] = [];
  /** The leaves among the notes, the one used last at the end. */
  #recent: readonly WorkspaceLeaf[] = [];
  #file: TFile | null = null;
  #lastFiles: string[] = [];

  constructor(app: App, parent: HTMLElement) {
    super();
    this.app = app;
    this.editorSuggest = new EditorSuggests(app);
    this.containerEl = parent.createDiv("workspace");
    const left = this.containerEl.createDiv("workspace-split mod-left-split");
    this.#root = this.containerEl.createDiv("workspace-split mod-root");
    const right = this.containerEl.createDiv("workspace-split mod-right-split");
    this.#sides = { left: new TabGroup(left), right: new TabGroup(right) };
    this.#groups = [new TabGroup(this.#root)];
    this.#root.addEventListener("mousedown", () => this.closeDrawers());
  }

  /** The editors take what plugins changed in their extensions. */
  updateOptions(): void {
    for (const { view } of this.#leaves()) if (view instanceof MarkdownView) view.updateExtensions();
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
    const notes = this.#recent.filter((leaf) => leaf.view.navigation);
    const free = notes.findLast((leaf) => !leaf.pinned);
    if (pane === false && free) return free.typed;
    if (pane === "window") return this.openPopoutLeaf();
    const leaf = new WorkspaceLeaf(this);
    const group = pane === "split" ? this.#addGroup(this.#root) : (notes.at(-1)?.parent ?? this.#groups[0]);
    group?.add(leaf);
    return leaf.typed;
  }

  openPopoutLeaf(): AppLeaf {
    const leaf = new WorkspaceLeaf(this);
    this.#addWindow().add(leaf);
    return leaf.typed;
  }

  moveLeafToPopout(leaf: AppLeaf): void {
    const moved = hosted(leaf);
    moved.parent.remove(moved);
    this.#addWindow().add(moved);
    moved.migrated();
    this.opened(moved, true);
  }

  /** Opens the panels that were open when the app was closed; those at the back are deferred. */
  async restore(panels: readonly StoredPanel[]): Promise<void> {
    for (const { side, kept } of panels) {
      const leaf = new WorkspaceLeaf(this);
      this.#sides[side].add(leaf);
      await leaf.defer(kept);
    }
    for (const { leaves } of Object.values(this.#sides)) await leaves.at(-1)?.loadIfDeferred();
  }

  /** What `restore` takes. */
  panels(): StoredPanel[] {
    return (["left", "right"] as const).flatMap((side) =>
      this.#sides[side].leaves.map((leaf) => ({ side, kept: leaf.getViewState() })),
    );
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
    await leaf.loadIfDeferred();
    this.closeDrawers();
    parent.el.parentElement?.addClass("is-open");
    this.trigger("layout-change");
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
    return this.#recent.at(-1)?.typed ?? null;
  }

  /** That of the note used last, whatever else is used now. */
  getActiveFile(): TFile | null {
    const view = this.#recent.findLast((leaf) => leaf.view instanceof MarkdownView)?.view;
    return view instanceof MarkdownView ? view.file : null;
  }

  /** The paths of the files opened last, the latest first. */
  getLastOpenFiles(): string[] {
    return this.#lastFiles;
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
      const front = this.#recent.at(-1);
      if (front?.parent === leaf.parent) leaf.parent.show(front);
      return;
    }
    leaf.parent.show(leaf);
    void leaf.loadIfDeferred();
    this.used(leaf);
  }

  used(leaf: WorkspaceLeaf): void {
    const isNews = this.activeLeaf !== leaf.typed;
    this.activeLeaf = leaf.typed;
    if (this.#groups.includes(leaf.parent)) {
      this.#recent = [...this.#recent.filter((other) => other !== leaf), leaf];
    }
    if (isNews) this.trigger("active-leaf-change", leaf);
    const file = this.getActiveFile();
    if (file === this.#file) return;
    this.#file = file;
    if (file) this.#lastFiles = [file.path, ...this.#lastFiles.filter((path) => path !== file.path)].slice(0, MOST_LAST_FILES);
    this.trigger("file-open", file);
  }

  detached(leaf: WorkspaceLeaf): void {
    leaf.parent.remove(leaf);
    this.#recent = this.#recent.filter((other) => other !== leaf);
    const next = this.#recent.at(-1) ?? this.#groups.flatMap((group) => group.leaves).at(-1);
    if (this.activeLeaf === leaf.typed) this.activeLeaf = next?.typed ?? null;
  }

  #addGroup(parent: HTMLElement): TabGroup {
    const group = new TabGroup(parent);
    this.#groups.push(group);
    return group;
  }

  /** A second window; what is in it goes when it is closed. */
  #addWindow(): TabGroup {
    const win = openWindow(() => {
      for (const leaf of [...group.leaves]) leaf.detach();
      this.#groups.remove(group);
    });
    const { body } = win.document;
    const group = this.#addGroup(body.createDiv("workspace").createDiv("workspace-split mod-root"));
    return group;
  }

  #leaves(): WorkspaceLeaf[] {
    return [...this.#groups, this.#sides.left, this.#sides.right].flatMap((group) => group.leaves);
  }
}

function hosted(leaf: AppLeaf): WorkspaceLeaf {
  return leaf as unknown as WorkspaceLeaf;
}
