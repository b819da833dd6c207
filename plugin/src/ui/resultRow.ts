/**
 * One note in a list of results: its title and score, its best passage, and further passages
 * folded beneath. Drawn with the app's own search classes, so that every theme knows it.
 */

import { setIcon, setTooltip } from "obsidian";
import type { Passage, Result } from "../contract";
import type { ScoreDisplay } from "../settings";
import { breadcrumb, folderOf, scoreParts, scoreText } from "./format";
import { pieces, renderPieces } from "./highlight";

export interface RowLook {
  readonly score: ScoreDisplay;
  /** Longer snippets. */
  readonly moreContext: boolean;
  /** Words beside the title, such as "linked". */
  readonly badges: (result: Result) => readonly string[];
}

const MATCHES = "search-result-file-matches";
const TARGET = { role: "treeitem", tabindex: -1, draggable: "true" };
const SNIPPET_CHARS = 300;
const LONG_SNIPPET_CHARS = 1_200;

export class ResultRow {
  readonly el: HTMLElement;
  /** What can be pointed at and opened: the title first, then every passage. */
  readonly targets = new Map<HTMLElement, Passage>();
  #drawn: string;
  #isOpen = false;
  #titleEl: HTMLElement | null = null;
  #foldEl: HTMLElement | null = null;

  #shown: Result;
  #look: RowLook;

  constructor(
    parent: HTMLElement,
    shown: Result,
    look: RowLook,
  ) {
    this.#shown = shown;
    this.#look = look;
    this.el = parent.createDiv({
      cls: "tree-item search-result recollect-result",
      attr: { role: "none" },
    });
    this.#drawn = keyOf(shown, look);
    this.#draw();
  }

  get result(): Result {
    return this.#shown;
  }

  get isExpanded(): boolean {
    return this.#isOpen;
  }

  update(result: Result, look: RowLook): void {
    const drawn = keyOf(result, look);
    if (drawn === this.#drawn) return; // a node under the pointer must not be replaced for nothing
    this.#drawn = drawn;
    const focused = this.#focusedTarget();
    this.#shown = result;
    this.#look = look;
    this.#draw();
    if (focused >= 0) [...this.targets.keys()][focused]?.focus();
  }

  /** Shows or folds the further passages; they are drawn when first asked for. */
  expand(open: boolean): void {
    if (this.#shown.passages.length === 0 || open === this.#isOpen) return;
    this.#isOpen = open;
    this.el.toggleClass("is-collapsed", !open);
    this.#titleEl?.setAttr("aria-expanded", String(open));
    if (open) {
      this.#foldEl = this.el.createDiv({ cls: MATCHES, attr: { role: "group" } });
      for (const passage of this.#shown.passages) this.#drawPassage(this.#foldEl, passage);
    } else {
      for (const target of [...this.targets.keys()]) {
        if (this.#foldEl?.contains(target)) this.targets.delete(target);
      }
      this.#foldEl?.remove();
      this.#foldEl = null;
    }
  }

  #focusedTarget(): number {
    const { activeElement } = this.el.doc;
    return [...this.targets.keys()].findIndex((target) => target === activeElement);
  }

  #draw(): void {
    const wasOpen = this.#isOpen;
    this.el.empty();
    this.targets.clear();
    this.#isOpen = false;
    this.#foldEl = null;
    this.#drawTitle();
    this.#drawPassage(this.el.createDiv({ cls: MATCHES, attr: { role: "group" } }), this.#shown);
    this.el.toggleClass("is-collapsed", this.#shown.passages.length > 0);
    if (wasOpen) this.expand(true);
  }

  #drawTitle(): void {
    const shown = this.#shown;
    const self = this.el.createDiv({
      cls: "tree-item-self search-result-file-title is-clickable",
      attr: { ...TARGET, "aria-level": 1, "data-path": shown.path },
    });
    this.#titleEl = self;
    this.targets.set(self, shown);
    if (shown.passages.length > 0) {
      self.setAttr("aria-expanded", "false");
      const fold = self.createDiv({ cls: "tree-item-icon collapse-icon is-collapsed" });
      setIcon(fold, "right-triangle");
      setTooltip(fold, "Further passages");
    }
    const inner = self.createDiv({ cls: "tree-item-inner" });
    inner.createSpan({ text: shown.title });
    const folder = folderOf(shown.path);
    if (folder) inner.createDiv({ cls: "recollect-faint", text: folder });
    const flair = self.createDiv({ cls: "tree-item-flair-outer" });
    for (const badge of this.#look.badges(shown)) {
      flair.createSpan({ cls: "tree-item-flair recollect-badge", text: badge });
    }
    this.#drawScore(flair);
  }

  #drawScore(flair: HTMLElement): void {
    if (this.#look.score === "off") return;
    const { score } = this.#shown;
    const el = flair.createSpan({ cls: "tree-item-flair recollect-score" });
    if (this.#look.score === "number") {
      el.setText(scoreText(score));
    } else {
      el.addClass("mod-bar");
      const percent = Math.round(Math.min(1, Math.max(0, score)) * 100);
      el.setCssProps({ "--recollect-score": `${percent}%` });
      el.setAttr("aria-label", scoreText(score));
    }
    setTooltip(el, scoreParts(this.#shown));
  }

  #drawPassage(parent: HTMLElement, passage: Passage): void {
    const el = parent.createDiv({
      cls: "search-result-file-match tappable recollect-passage",
      attr: { ...TARGET, "aria-level": 2 },
    });
    this.targets.set(el, passage);
    const trail = breadcrumb(passage);
    if (trail) el.createDiv({ cls: "recollect-faint", text: trail });
    const limit = this.#look.moreContext ? LONG_SNIPPET_CHARS : SNIPPET_CHARS;
    const parts = pieces(passage.snippet, passage.highlights, limit);
    renderPieces(el.createDiv({ cls: "recollect-snippet" }), parts);
  }
}

/** What a row's looks depend on. */
function keyOf(result: Result, { score, moreContext, badges }: RowLook): string {
  return JSON.stringify([result, score, moreContext, badges(result)]);
}
