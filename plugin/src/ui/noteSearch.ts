/** A field over an open note that searches in it by meaning; what is found is scrolled to. */

import { Component, type MarkdownView, type Plugin } from "obsidian";
import { asServerError, type Client } from "../client";
import type { Passage, SearchReply } from "../contract";
import { breadcrumb } from "../format";
import { isLocal } from "../local/reply";
import { button, faint, handleKey, STATUS } from "./controls";
import { renderSnippet } from "./highlight";
import { LiveSearch } from "./liveSearch";
import { showPassage } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

const placeholder = (): string => t("Search in this note by meaning…");
const LIMIT = 10;
const SNIPPET_CHARS = 90;

/** Opens the field over `view`, or goes to the one that is open. */
export function searchInNote(plugin: Plugin, context: ViewContext, view: MarkdownView): void {
  const open = view.containerEl.querySelector<HTMLInputElement>(".notewell-in-note input");
  if (open) open.select();
  else plugin.addChild(new NoteSearch(plugin, context, view));
}

class NoteSearch extends Component {
  readonly #plugin: Plugin;
  readonly #context: ViewContext;
  readonly #view: MarkdownView;
  readonly #path: string;
  readonly #live: LiveSearch<string>;
  #el!: HTMLElement;
  #field!: HTMLInputElement;
  #countEl!: HTMLElement;
  #listEl!: HTMLElement;
  #found: readonly Passage[] = [];
  #at = -1;
  #remark = "";

  constructor(plugin: Plugin, context: ViewContext, view: MarkdownView) {
    super();
    this.#plugin = plugin;
    this.#context = context;
    this.#view = view;
    this.#path = view.file?.path ?? "";
    this.#live = new LiveSearch({
      session: () => context.connection.session,
      request: (client, query, isTyping) => this.#ask(client, query, isTyping),
      local: (query, isTyping) => Promise.resolve(this.#byWords(query, isTyping)),
      show: (reply, isFinal) => this.#show(reply, isFinal),
      fail: (error) => this.#countEl.setText(asServerError(error).message),
      busy: (isBusy) => this.#listEl.setAttr("aria-busy", isBusy),
    });
  }

  override onload(): void {
    const { workspace } = this.#plugin.app;
    this.#draw();
    // The field belongs to this note alone.
    this.registerEvent(workspace.on("file-open", () => this.#closeIfGone()));
    this.registerEvent(workspace.on("layout-change", () => this.#closeIfGone()));
  }

  override onunload(): void {
    this.#live.cancel();
    this.#el.remove();
  }

  #draw(): void {
    const { containerEl, contentEl } = this.#view;
    // Beside the content, which may scroll.
    this.#el = containerEl.createDiv({ cls: "notewell-in-note", attr: { role: "search", "aria-label": placeholder() } });
    this.#el.setCssProps({ "--notewell-top": `${contentEl.offsetTop}px` });
    const row = this.#el.createDiv("notewell-line");
    const attr = { "aria-label": placeholder(), placeholder: placeholder(), enterkeyhint: "search", maxlength: 1000 };
    this.#field = row.createEl("input", { type: "search", attr });
    this.#countEl = row.createSpan({ cls: "notewell-faint", attr: STATUS });
    button(row, "arrow-up", t("Passage before"), () => this.#step(-1));
    button(row, "arrow-down", t("Next passage"), () => this.#step(1));
    button(row, "x", t("Close"), () => this.#close());
    this.#listEl = this.#el.createDiv({ cls: "notewell-in-note-list", attr: { role: "listbox", "aria-label": t("Passages") } });
    this.#field.oninput = (): void => this.#type();
    this.#el.onkeydown = (event): void => this.#key(event);
    this.#field.focus();
  }

  #key(event: KeyboardEvent): void {
    handleKey(event, {
      ArrowDown: () => this.#step(1),
      ArrowUp: () => this.#step(-1),
      Escape: () => this.#close(),
      ...(event.targetNode === this.#field && { Enter: () => this.#step(event.shiftKey ? -1 : 1) }),
    });
  }

  #type(): void {
    const query = this.#field.value.trim();
    if (query) this.#live.type(query);
    else {
      this.#live.cancel();
      this.#list([]);
      this.#countEl.setText("");
    }
  }

  #ask(client: Client, query: string, typing: boolean): Promise<SearchReply> {
    return client.search(`${query} path:"${this.#path}"`, { limit: LIMIT, mode: "hybrid", weak: true, typing });
  }

  /** What has the words, in the text as it stands in the editor. */
  #byWords(query: string, isTyping: boolean): SearchReply {
    return this.#context.local.within(this.#path, this.#view.getViewData(), query, { limit: LIMIT, isTyping });
  }

  /** By meaning first, then what has the words elsewhere in the note. */
  #show(reply: SearchReply, isFinal: boolean): void {
    const found = this.#passages(reply);
    const lines = new Set(found.map(({ line }) => line));
    const words = isLocal(reply) ? [] : this.#passages(this.#byWords(this.#field.value.trim(), false));
    const all = [...found, ...words.filter(({ line }) => !lines.has(line))];
    this.#list(all.slice(0, LIMIT), isLocal(reply) ? t("words only") : "");
    if (isFinal && this.#found.length > 0) this.#go(0);
  }

  #passages({ results }: SearchReply): Passage[] {
    const own = results.find(({ path }) => path === this.#path.normalize()); // `path:` finds parts of paths
    return own ? [own, ...own.passages] : [];
  }

  #list(found: readonly Passage[], remark = ""): void {
    this.#found = found;
    this.#at = -1;
    this.#listEl.empty();
    found.forEach((passage, at) => {
      const el = this.#listEl.createDiv({ cls: "notewell-passage", attr: { role: "option", "aria-selected": "false", tabindex: -1 } });
      faint(el, breadcrumb(passage, this.#view.file?.basename ?? ""));
      renderSnippet(el.createDiv("notewell-snippet"), passage.snippet, passage.highlights, SNIPPET_CHARS);
      el.onclick = (): void => this.#go(at);
    });
    this.#remark = remark;
    this.#count();
  }

  #count(): void {
    const { length } = this.#found;
    const where = length === 0 ? t("Nothing found") : this.#at < 0 ? String(length) : t("{at} of {length}", { at: this.#at + 1, length });
    this.#countEl.setText([where, this.#remark].filter(Boolean).join(" · "));
  }

  #step(step: 1 | -1): void {
    const { length } = this.#found;
    if (length > 0) this.#go((this.#at + step + length) % length);
  }

  #go(at: number): void {
    const passage = this.#found[at];
    if (!passage) return;
    this.#at = at;
    [...this.#listEl.children].forEach((el, n) => {
      el.setAttribute("aria-selected", String(n === at));
      if (n === at) el.scrollIntoView({ block: "nearest" });
    });
    showPassage(this.#view, passage);
    this.#count();
  }

  #closeIfGone(): void {
    if (!this.#el.isConnected || this.#view.file?.path !== this.#path) this.#plugin.removeChild(this);
  }

  #close(): void {
    this.#plugin.removeChild(this);
    this.#view.app.workspace.setActiveLeaf(this.#view.leaf, { focus: true });
  }
}
