/**
 * The earlier note that the paragraph under the cursor may need, in one quiet line below the text. It is looked
 * for in a pause of the typing, and shown where it stands out from all others; at most one in five paragraphs, and
 * none twice. docs/writing.md has how often it is right.
 */

import { ViewPlugin, type EditorView, type PluginValue, type ViewUpdate } from "@codemirror/view";
import type { EditorState, Extension } from "@codemirror/state";
import { editorInfoField, setIcon, setTooltip, type Plugin, type TFile } from "obsidian";
import type { Result } from "../contract";
import type { Finder } from "../finder";
import { plain } from "../local/passages";
import { Timer } from "../support";
import { marksOf, withMark } from "./marks";
import { linkTo, noteAt, openPlace, paneFor } from "./open";
import type { ViewContext } from "./viewContext";
import { STATUS } from "./controls";
import { t } from "../texts";

const PAUSE_MS = 1_000;
const FEWEST_LETTERS = 60; // less says too little
const LONGEST = 2_000; // characters of a paragraph
const STANDS_OUT = 0.12; // before the next note
const APART = 5; // paragraphs
const LOOKED_AT = 3; // this note itself, the one to show, and the next
const MOST_KNOWN = 500;
const NO_PROSE = /^\s*(#{1,6}\s|---|```|$)/;

interface Suggestion {
  readonly file: TFile;
  readonly result: Result;
}

interface Parts {
  readonly context: ViewContext;
  readonly finder: Finder;
}

class Strip implements PluginValue {
  readonly #view: EditorView;
  readonly #parts: Parts;
  readonly #shownIn: (strip: Strip) => void;
  readonly #pause = new Timer();
  readonly #passed = new Set<string>();
  #wait = 0; // paragraphs, until a note may be shown again
  #el: HTMLElement | null = null;
  suggestion: Suggestion | null = null;

  constructor(view: EditorView, parts: Parts, shownIn: (strip: Strip) => void) {
    this.#view = view;
    this.#parts = parts;
    this.#shownIn = shownIn;
  }

  update({ docChanged, transactions }: ViewUpdate): void {
    // What comes from another pane or from a file is not being written here.
    if (docChanged && transactions.some((one) => one.isUserEvent("input"))) this.#pause.set(PAUSE_MS, () => void this.#look());
  }

  destroy(): void {
    this.#pause.clear();
    this.hide();
  }

  isOf(file: TFile | null): boolean {
    return this.#view.dom.isConnected && file !== null && this.suggestion?.file === file;
  }

  /** Inserts the link at the cursor. */
  link(): void {
    const { file, result } = this.suggestion ?? {};
    this.hide();
    if (!file || !result) return;
    const { state } = this.#view;
    const { from, to } = state.selection.main;
    const isApart = from === 0 || /[\s([]/.test(state.sliceDoc(from - 1, from));
    const insert = `${isApart ? "" : " "}${linkTo(this.#parts.context.app, { path: result.path, passage: null }, file.path)}`;
    this.#view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete" });
    this.#view.focus();
  }

  /** Hides the note from what is similar to this one, for good. */
  async dismiss(): Promise<void> {
    const { file, result } = this.suggestion ?? {};
    this.hide();
    const { settings } = this.#parts.context;
    if (file && result) await settings.set("marks", withMark(settings.chosen.marks, file.path, result.path, "hidden", true));
  }

  hide(): void {
    this.#el?.remove();
    this.#el = this.suggestion = null;
  }

  async #look(): Promise<void> {
    const { state } = this.#view;
    const file = state.field(editorInfoField, false)?.file;
    const text = paragraphAt(state);
    if (!file || text.replace(/[^\p{L}\p{N}]/gu, "").length < FEWEST_LETTERS || !this.#isDue(text)) return;
    const result = await this.#found(file, text);
    if (this.#pause.isSet || !this.#view.dom.isConnected) return; // typed on, or closed
    if (result && this.#isNew(file, result)) await this.#show({ file, result });
  }

  /** The note that stands out from all others; null where none does. */
  async #found(file: TFile, text: string): Promise<Result | null> {
    // Whoever writes is not told that the server went away; the status bar is.
    const reply = await this.#parts.finder.similar({ text }, LOOKED_AT).catch(() => null);
    const [result, next] = reply?.results.filter(({ path }) => path !== file.path.normalize()) ?? [];
    const standsOut = result?.match === "strong" && result.score - (next?.score ?? 0) >= STANDS_OUT;
    return standsOut ? result : null;
  }

  /** Whether enough paragraphs were written since the last note was shown. */
  #isDue(text: string): boolean {
    const beginning = text.slice(0, 24);
    if (this.#wait > 0 && !this.#passed.has(beginning)) this.#wait -= 1;
    this.#passed.add(beginning);
    return this.#wait === 0;
  }

  /** Whether a note of this vault is neither linked, nor hidden, nor was suggested here before. */
  #isNew({ path: own }: TFile, { path }: Result): boolean {
    const { app, settings } = this.#parts.context;
    const { marks, suggested } = settings.chosen;
    const note = noteAt(app, path);
    const isLinked = note !== null && note.path in (app.metadataCache.resolvedLinks[own] ?? {});
    return note !== null && !isLinked && !marksOf(marks, own).hidden.includes(path) && !suggested.includes(pair(own, path));
  }

  async #show(suggestion: Suggestion): Promise<void> {
    const { context } = this.#parts;
    const { file, result } = suggestion;
    const { title, snippet, path } = result;
    this.hide();
    this.suggestion = suggestion;
    this.#wait = APART;
    const el = this.#view.dom.createDiv({ cls: "notewell-writing", attr: STATUS });
    const note = el.createEl("a", { text: title, href: "#" });
    note.onclick = (event): void => {
      event.preventDefault();
      void openPlace(context.app, { path, passage: result }, paneFor(event, true));
    };
    el.createSpan({ cls: "notewell-faint", text: snippet });
    const button = (icon: string, name: string, act: () => unknown): void => {
      const made = el.createEl("button", { cls: "clickable-icon", attr: { "aria-label": name } });
      setIcon(made, icon);
      setTooltip(made, name);
      made.onclick = act;
    };
    button("link", t("Link it"), () => this.link());
    button("x", t("Not for this note"), () => void this.dismiss());
    this.#el = el;
    this.#shownIn(this);
    const { settings } = context;
    await settings.set("suggested", [...settings.chosen.suggested, pair(file.path, path)].slice(-MOST_KNOWN));
  }
}

/** The paragraph in which the cursor is; empty in a heading, a list of properties and between paragraphs. */
export function paragraphAt({ doc, selection }: EditorState): string {
  const line = doc.lineAt(selection.main.head);
  if (NO_PROSE.test(line.text)) return "";
  let [first, last] = [line.number, line.number];
  while (first > 1 && !NO_PROSE.test(doc.line(first - 1).text)) first -= 1;
  while (last < doc.lines && !NO_PROSE.test(doc.line(last + 1).text)) last += 1;
  return plain(doc.sliceString(doc.line(first).from, doc.line(last).to)).slice(0, LONGEST);
}

const pair = (source: string, target: string): string => `${source}\n${target}`;

/** Shows the strip in every editor while the setting asks for it, and has its two commands. */
export function registerWhileWriting(plugin: Plugin, context: ViewContext, finder: Finder): void {
  const { workspace } = plugin.app;
  const extensions: Extension[] = [];
  let latest: Strip | null = null;
  const make = (view: EditorView): Strip => new Strip(view, { context, finder }, (strip) => (latest = strip));
  plugin.registerEditorExtension(extensions);
  const update = (isWanted: boolean): void => {
    if (isWanted === extensions.length > 0) return;
    extensions.splice(0, extensions.length, ...(isWanted ? [ViewPlugin.define(make)] : []));
    workspace.updateOptions();
  };
  plugin.register(context.settings.watch("whileWriting", update));
  const command = (id: string, name: string, act: (strip: Strip) => unknown): void => {
    plugin.addCommand({
      id,
      name,
      checkCallback: (isChecking) => {
        const strip = latest?.isOf(workspace.getActiveFile()) ? latest : null;
        if (strip && !isChecking) void act(strip);
        return strip !== null;
      },
    });
  };
  command("link-suggested", t("Link the suggested note"), (strip) => strip.link());
  command("dismiss-suggested", t("Dismiss the suggested note"), (strip) => strip.dismiss());
}
