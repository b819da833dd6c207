/**
 * Completes a link by the meaning of the sentence that is being written, after `[[?`.
 *
 * `[[` alone stays the app's own: of its suggesters the first that takes a text has it, and none can add to
 * another's. `?` sets this one apart, and no other key has to be learnt.
 */

import { EditorSuggest, type App, type Editor, type EditorPosition, type EditorSuggestContext, type EditorSuggestTriggerInfo, type TFile } from "obsidian";
import { asServerError } from "../client";
import type { Result } from "../contract";
import type { Finder } from "../finder";
import { folderOf } from "../format";
import { plain } from "../local/passages";
import { delay } from "../support";
import { noteAt } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

const OPENING = "[[?";
const PAUSE_MS = 150;
const LIMIT = 8;
const LONGEST = 600; // characters of the paragraph before the link
const FEWEST_LETTERS = 12; // less says too little, and the note's title is added

/** The app's list of suggesters, which is not in its public typings. */
interface Suggesters {
  readonly editorSuggest?: { readonly suggests?: unknown[] };
}

export class LinkSuggest extends EditorSuggest<Result> {
  readonly #context: ViewContext;
  readonly #finder: Finder;
  #latest = "";

  constructor(context: ViewContext, finder: Finder) {
    super(context.app);
    this.#context = context;
    this.#finder = finder;
    this.limit = LIMIT;
    this.setInstructions([{ command: "↵", purpose: t("link by meaning") }]);
  }

  override onTrigger(cursor: EditorPosition, editor: Editor, _file: TFile | null): EditorSuggestTriggerInfo | null {
    if (!this.#context.settings.chosen.completeLinks) return null;
    const before = editor.getLine(cursor.line).slice(0, cursor.ch);
    const at = before.lastIndexOf(OPENING);
    const query = before.slice(at + OPENING.length);
    return at < 0 || query.includes("]]") ? null : { start: { line: cursor.line, ch: at }, end: cursor, query };
  }

  override async getSuggestions({ editor, start, query, file }: EditorSuggestContext): Promise<Result[]> {
    const text = sentenceBefore(editor, start, query, file?.basename ?? "");
    this.#latest = text;
    await delay(PAUSE_MS);
    if (this.#latest !== text) return []; // typed on
    try {
      const { results } = await this.#finder.similar({ text }, LIMIT + 1);
      return results.filter(({ path }) => path !== file?.path.normalize()).slice(0, LIMIT);
    } catch (error) {
      this.#context.connection.report(asServerError(error)); // whoever writes is not told; the status bar is
      return [];
    }
  }

  override renderSuggestion({ title, path }: Result, el: HTMLElement): void {
    el.addClass("mod-complex");
    const content = el.createDiv("suggestion-content");
    content.createDiv({ cls: "suggestion-title", text: title });
    const folder = folderOf(path);
    if (folder) content.createDiv({ cls: "suggestion-note", text: folder });
  }

  override selectSuggestion({ path }: Result): void {
    const { context } = this;
    const note = noteAt(this.app, path);
    if (!context || !note) return;
    const { editor, start, end, file } = context;
    const link = this.app.fileManager.generateMarkdownLink(note, file?.path ?? "");
    // The app closes brackets as they are opened.
    const isClosed = editor.getLine(end.line).slice(end.ch).startsWith("]]");
    editor.replaceRange(link, start, { line: end.line, ch: end.ch + (isClosed ? 2 : 0) });
    editor.setCursor(editor.offsetToPos(editor.posToOffset(start) + link.length));
    this.close();
  }
}

/** Puts `suggest` before the app's own suggester of links, which would take `[[?` for a name. */
export function putFirst({ workspace }: App, suggest: LinkSuggest): void {
  const suggests = (workspace as Suggesters).editorSuggest?.suggests;
  const at = suggests?.indexOf(suggest) ?? -1;
  if (suggests && at > 0) suggests.unshift(...suggests.splice(at, 1));
}

/** The paragraph before the link, its end where it is long, and what was typed after the brackets. */
export function sentenceBefore(editor: Pick<Editor, "getLine">, { line, ch }: EditorPosition, query: string, title: string): string {
  const lines = [editor.getLine(line).slice(0, ch)];
  for (let at = line - 1; at >= 0 && lines.join(" ").length < LONGEST; at -= 1) {
    const above = editor.getLine(at);
    if (!above.trim() || /^(#{1,6}\s|---|```)/.test(above)) break;
    lines.unshift(above);
  }
  const written = plain(`${lines.join("\n")} ${query}`).slice(-LONGEST);
  const isShort = written.replace(/[^\p{L}\p{N}]/gu, "").length < FEWEST_LETTERS;
  return isShort ? `${title} ${written}`.trim() : written;
}
