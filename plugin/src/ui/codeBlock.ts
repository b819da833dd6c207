/** The code block `notewell`: results within a note, kept up to date while they are seen. */

import { MarkdownRenderChild, type App, type HoverPopover, type Menu, type Plugin, type WorkspaceLeaf } from "obsidian";
import { asServerError } from "../client";
import type { Result, SearchReply } from "../contract";
import { count } from "../format";
import type { Finder } from "../finder";
import { foundBy, isLocal } from "../local/reply";
import { readBlock, type BlockOptions } from "./blockOptions";
import { faint, link } from "./controls";
import type { Place } from "./open";
import { grouped, sorted } from "./ranking";
import { ResultList, type ListOwner } from "./resultList";
import { SEARCH_VIEW } from "./searchView";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

export const CODE_BLOCK = "notewell";
const SEEN_CHECK_MS = 1_000;

export function registerCodeBlock(plugin: Plugin, context: ViewContext, finder: Finder): void {
  plugin.registerMarkdownCodeBlockProcessor(CODE_BLOCK, (source, el, block) => {
    const { options, problems } = readBlock(source);
    el.addClass("notewell-block");
    if (problems.length > 0) {
      const box = el.createDiv({ cls: "notewell-message", attr: { role: "alert" } });
      for (const text of problems) box.createDiv({ text });
    } else block.addChild(new Block(el, { context, finder, options, sourcePath: block.sourcePath }));
  });
}

interface BlockParts {
  readonly context: ViewContext;
  readonly finder: Finder;
  readonly options: BlockOptions;
  /** The note that the block stands in. */
  readonly sourcePath: string;
}

export class Block extends MarkdownRenderChild implements ListOwner {
  hoverPopover: HoverPopover | null = null;
  readonly app: App;
  readonly context: ViewContext;
  readonly #parts: BlockParts;
  readonly #list: ResultList;
  readonly #footEl: HTMLElement;
  #limit: number;
  #isStale = true;
  #number = 0;

  constructor(el: HTMLElement, parts: BlockParts) {
    super(el);
    this.#parts = parts;
    this.context = parts.context;
    this.app = parts.context.app;
    this.#limit = parts.options.limit;
    this.#list = new ResultList(el, this);
    this.#list.titlesOnly = parts.options.view === "compact";
    this.#list.byFolder = parts.options.group === "folder";
    this.#footEl = el.createDiv({ cls: "notewell-faint", attr: { role: "status" } });
  }

  get leaf(): WorkspaceLeaf {
    const { workspace } = this.app;
    return workspace.getMostRecentLeaf() ?? workspace.getLeaf(false);
  }

  override onload(): void {
    this.register(this.#parts.finder.subscribe(() => (this.#isStale = true)));
    // A note may have many blocks, and most are not seen: those ask for nothing.
    const update = (): void => {
      if (this.#isStale && this.containerEl.isShown()) void this.#refresh();
    };
    this.registerInterval(window.setInterval(update, SEEN_CHECK_MS));
    void this.#refresh();
  }

  getViewType(): string {
    return SEARCH_VIEW; // which is known to the app as a source of previews
  }

  getDisplayText(): string {
    const { query } = this.#parts.options;
    return query ? t("Notes found for {query}", { query }) : t("Similar notes");
  }

  badges(_result: Result): readonly string[] {
    return [];
  }

  addItems(_menu: Menu, _place: Place): void {
    // A block has no items of its own.
  }

  onChosen(): void {
    // Its query is no search of the user's now.
  }

  focusEditor(): void {
    this.app.workspace.setActiveLeaf(this.leaf, { focus: true });
  }

  focusTop(): void {
    // There is nothing above the first result.
  }

  pointerLeft(): void {
    // Nothing is above the list.
  }

  async #refresh(): Promise<void> {
    const number = (this.#number += 1);
    this.#isStale = false;
    this.#list.el.setAttr("aria-busy", true);
    try {
      const reply = await this.#ask();
      if (number === this.#number) this.#show(reply);
    } catch (error) {
      if (number === this.#number) this.#footEl.setText(asServerError(error).message);
    }
    this.#list.el.setAttr("aria-busy", false);
  }

  #ask(): Promise<SearchReply> {
    const { finder, options, sourcePath } = this.#parts;
    // The note that holds the block would often be its own first result.
    return options.isSimilar ? finder.similar({ path: sourcePath }, this.#limit) : finder.search(options.query, this.#limit + 1);
  }

  #show(reply: SearchReply): void {
    const { options, sourcePath } = this.#parts;
    const others = reply.results.filter(({ path, match }) => path !== sourcePath.normalize() && match !== "weak");
    this.#list.byMatch = options.sort === "relevance";
    const shown = sorted(others.slice(0, this.#limit), options.sort);
    this.#list.merge(options.group === "folder" ? grouped(shown, options.sort) : shown);
    this.#footEl.empty();
    if (others.length === 0) faint(this.#footEl, t("No notes found"));
    else faint(this.#footEl, [count(Math.min(others.length, this.#limit), "note"), isLocal(reply) && foundBy(reply)].filter(Boolean).join(" · "));
    const mayHaveMore = reply.results.length >= this.#limit && reply.total > this.#limit;
    if (!mayHaveMore) return;
    link(this.#footEl, t("Show more"), () => {
      this.#limit += options.limit;
      void this.#refresh();
    });
  }
}
