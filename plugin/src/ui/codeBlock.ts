/** The code block `notewell`: results within a note, kept up to date while they are seen. */

import { MarkdownRenderChild, type Plugin } from "obsidian";
import { asServerError } from "../client";
import type { SearchReply } from "../contract";
import { count } from "../format";
import type { Finder } from "../finder";
import { foundBy, isLocal } from "../local/reply";
import { readBlock, type BlockOptions } from "./blockOptions";
import { faint, link, STATUS } from "./controls";
import { plainOwner } from "./plainOwner";
import { grouped, sorted } from "./ranking";
import { ResultList } from "./resultList";
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

export class Block extends MarkdownRenderChild {
  readonly #parts: BlockParts;
  readonly #list: ResultList;
  readonly #footEl: HTMLElement;
  #limit: number;
  #isStale = true;
  #number = 0;

  constructor(el: HTMLElement, parts: BlockParts) {
    super(el);
    this.#parts = parts;
    const { query, limit } = parts.options;
    this.#limit = limit;
    this.#list = new ResultList(el, plainOwner(parts.context, () => (query ? t("Notes found for {query}", { query }) : t("Similar notes"))));
    this.#list.titlesOnly = parts.options.view === "compact";
    this.#list.byFolder = parts.options.group === "folder";
    this.#footEl = el.createDiv({ cls: "notewell-faint", attr: STATUS });
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
