/** An editor of the app over CodeMirror. */

import { EditorView } from "@codemirror/view";
import type { Editor as AppEditor, EditorPosition, EditorRange } from "obsidian";

type Part = Pick<
  AppEditor,
  | "getValue"
  | "setValue"
  | "getLine"
  | "lineCount"
  | "lastLine"
  | "getSelection"
  | "getRange"
  | "replaceSelection"
  | "replaceRange"
  | "getCursor"
  | "setCursor"
  | "setSelection"
  | "focus"
  | "hasFocus"
  | "scrollIntoView"
  | "posToOffset"
  | "offsetToPos"
>;

export class Editor implements Part {
  readonly #cm: EditorView;

  constructor(cm: EditorView) {
    this.#cm = cm;
  }

  getValue(): string {
    return this.#cm.state.doc.toString();
  }

  setValue(text: string): void {
    this.#cm.dispatch({ changes: { from: 0, to: this.#cm.state.doc.length, insert: text } });
  }

  getLine(line: number): string {
    return this.#cm.state.doc.line(line + 1).text;
  }

  lineCount(): number {
    return this.#cm.state.doc.lines;
  }

  lastLine(): number {
    return this.lineCount() - 1;
  }

  getSelection(): string {
    const { from, to } = this.#cm.state.selection.main;
    return this.#cm.state.sliceDoc(from, to);
  }

  getRange(from: EditorPosition, to: EditorPosition): string {
    return this.#cm.state.sliceDoc(this.posToOffset(from), this.posToOffset(to));
  }

  replaceSelection(text: string): void {
    this.#cm.dispatch(this.#cm.state.replaceSelection(text));
  }

  replaceRange(insert: string, from: EditorPosition, to: EditorPosition = from): void {
    const changes = { from: this.posToOffset(from), to: this.posToOffset(to), insert };
    this.#cm.dispatch({ changes });
  }

  getCursor(side: "from" | "to" | "head" | "anchor" = "head"): EditorPosition {
    return this.offsetToPos(this.#cm.state.selection.main[side]);
  }

  setCursor(at: EditorPosition | number, ch = 0): void {
    this.setSelection(typeof at === "number" ? { line: at, ch } : at);
  }

  setSelection(anchor: EditorPosition, head: EditorPosition = anchor): void {
    this.#cm.dispatch({
      selection: { anchor: this.posToOffset(anchor), head: this.posToOffset(head) },
    });
  }

  focus(): void {
    this.#cm.focus();
  }

  hasFocus(): boolean {
    return this.#cm.hasFocus;
  }

  scrollIntoView({ from }: EditorRange, center = false): void {
    const y = center ? "center" : "nearest";
    this.#cm.dispatch({ effects: EditorView.scrollIntoView(this.posToOffset(from), { y }) });
  }

  posToOffset({ line, ch }: EditorPosition): number {
    const found = this.#cm.state.doc.line(Math.min(line + 1, this.#cm.state.doc.lines));
    return Math.min(found.to, found.from + ch);
  }

  offsetToPos(offset: number): EditorPosition {
    const line = this.#cm.state.doc.lineAt(offset);
    return { line: line.number - 1, ch: offset - line.from };
  }
}
