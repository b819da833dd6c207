/** A note in an editor. Edits are saved a moment later, as in the app. */

import { Compartment, EditorState, StateField, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Editor as AppEditor, MarkdownFileInfo, MarkdownView as AppMarkdownView, MarkdownViewModeType, TFile, WorkspaceLeaf } from "obsidian";
import type { DragManager } from "./dragManager";
import { Editor } from "./editor";
import { MarkdownRenderer } from "./markdownRenderer";
import { Menu } from "./menu";
import { debounce } from "./mocks";
import { ItemView } from "./views";
import type { Workspace } from "./workspace";

const SAVED_AFTER_MS = 2_000; // as the app does

/** What an editor shows; each view gives its own. */
export const editorInfoField = StateField.define<MarkdownFileInfo>({
  create: () => ({ file: null }) as MarkdownFileInfo,
  update: (info) => info,
});

type Part = Pick<AppMarkdownView, "file" | "getViewType" | "getMode" | "getViewData" | "requestSave">;

export class MarkdownView extends ItemView implements Part {
  file: TFile | null = null;
  readonly editor: Editor;
  readonly #cm: EditorView;
  readonly #ofPlugins = new Compartment();
  #isLoading = false;

  readonly requestSave = debounce(() => {
    if (this.file) void this.app.vault.modify(this.file, this.getViewData());
  }, SAVED_AFTER_MS);

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    this.#cm = new EditorView({
      parent: this.contentEl.createDiv("markdown-source-view mod-cm6"),
      extensions: [
        EditorView.lineWrapping,
        EditorState.allowMultipleSelections.of(true),
        EditorView.domEventHandlers({
          drop: (event) => this.#dropped(event),
          contextmenu: (event) => this.#menu(event),
        }),
        EditorView.updateListener.of(({ docChanged, transactions }) => {
          if (docChanged && !this.#isLoading) this.requestSave();
          if (transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"))) window.setTimeout(() => this.#suggest());
        }),
        editorInfoField.init(() => this as unknown as MarkdownFileInfo),
        this.#ofPlugins.of(this.#extensions),
      ],
    });
    this.editor = new Editor(this.#cm);
  }

  updateExtensions(): void {
    this.#cm.dispatch({ effects: this.#ofPlugins.reconfigure([...this.#extensions]) });
  }

  get #workspace(): Workspace {
    return this.app.workspace as unknown as Workspace;
  }

  get #extensions(): Extension[] {
    return [...this.#workspace.editorExtensions];
  }

  #suggest(): void {
    const at = this.#cm.coordsAtPos(this.#cm.state.selection.main.head);
    const box = new DOMRect(at?.left ?? 0, at?.top ?? 0, 0, (at?.bottom ?? 0) - (at?.top ?? 0));
    this.#workspace.editorSuggest.update(this.editor as unknown as AppEditor, this.file, box);
  }

  #menu(event: MouseEvent): boolean {
    event.preventDefault();
    const at = this.#cm.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    this.#cm.dispatch({ selection: { anchor: at } });
    const menu = new Menu();
    this.app.workspace.trigger("editor-menu", menu, this.editor, this);
    menu.showAtMouseEvent(event);
    return true;
  }

  getViewType(): string {
    return "markdown";
  }

  getDisplayText(): string {
    return this.file?.basename ?? "New tab";
  }

  getMode(): MarkdownViewModeType {
    return "source";
  }

  getViewData(): string {
    return this.editor.getValue();
  }

  async show(file: TFile): Promise<void> {
    const text = await this.app.vault.read(file);
    this.file = file;
    this.#isLoading = true;
    this.editor.setValue(text);
    this.editor.setCursor(0);
    this.#isLoading = false;
  }

  /** Shows the note as it is read, in the place of the editor. */
  async preview(): Promise<void> {
    const el = createDiv("markdown-preview-view markdown-rendered");
    await MarkdownRenderer.render(this.app, this.getViewData(), el, this.file?.path ?? "", this);
    this.contentEl.replaceChildren(el);
  }

  /** The editor listens in the window that it stands in. */
  override migrated(): void {
    this.#cm.setRoot(this.containerEl.doc);
  }

  override setEphemeralState(state: unknown): void {
    const { line } = (state ?? {}) as { line?: unknown };
    if (typeof line !== "number") return;
    const at = { line: Math.min(line, this.editor.lastLine()), ch: 0 };
    this.editor.setCursor(at);
    this.editor.scrollIntoView({ from: at, to: at }, true);
  }

  /** A dragged link is written as this note writes links; anything else is left to the editor. */
  #dropped(event: DragEvent): boolean {
    const { dragManager } = this.app as typeof this.app & { dragManager: DragManager };
    const link = dragManager.linkFor(this.file?.path ?? "");
    if (link === null) return false;
    event.preventDefault();
    const at = this.#cm.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    this.#cm.dispatch({ changes: { from: at, insert: link } });
    return true;
  }
}
