/**
 * One note in a list of results: its title and score, its best passage, and further passages
 * folded beneath. It uses the app's own CSS classes for search results, which themes style.
 */

import { setIcon, setTooltip } from "obsidian";
import type { Passage, Result } from "../contract";
import type { ScoreDisplay } from "../settings";
import { faint, title } from "./controls";
import { breadcrumb, fileText, folderWithin, lastFolder } from "../format";
import { matchText, scoreParts, scoreText } from "./scores";
import { renderSnippet } from "./highlight";
import type { Place } from "./open";
import { t } from "../texts";

/** A part of a row that can be opened: its title, or one of its passages. */
export interface Hit {
  readonly el: HTMLElement;
  readonly row: ResultRow;
  readonly place: Place;
}

export interface RowLook {
  readonly score: ScoreDisplay;
  readonly snippetChars: number;
  /** Words beside the title, such as "linked". */
  readonly badges: readonly string[];
  readonly titlesOnly: boolean;
  /** A heading above the row, where a group begins. */
  readonly heading: string | null;
  /** Whether the row names its folder. */
  readonly withFolder: boolean;
}

export class ResultRow {
  readonly el: HTMLElement;
  /** The title first, then every passage that shows. */
  hits: Hit[] = [];
  isOpen = false;
  result!: Result;
  #look!: RowLook;
  #drawn = "";
  #isSelected = false;

  constructor(parent: HTMLElement) {
    const cls = "tree-item search-result notewell-result";
    this.el = parent.createDiv({ cls, attr: { role: "none" } });
  }

  /** Draws `result` unless nothing changed, so that the element under the pointer stays. */
  show(result: Result, look: RowLook, isOpen = this.isOpen): void {
    this.result = result;
    this.#look = look;
    this.isOpen = isOpen;
    const drawn = JSON.stringify([result, look, isOpen]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const { activeElement } = this.el.doc;
    const focused = this.hits.findIndex(({ el }) => el === activeElement);
    this.el.empty();
    this.hits = [];
    this.#draw();
    this.hits[focused]?.el.focus();
  }

  /** Shows or folds the further passages; they are drawn when first shown. */
  expand(isOpen: boolean): void {
    this.show(this.result, this.#look, isOpen);
  }

  /** Marks the row as one of several that are selected. */
  select(isSelected: boolean): void {
    if (isSelected === this.#isSelected) return;
    this.#isSelected = isSelected;
    this.#drawSelected();
  }

  #drawSelected(): void {
    this.el.toggleClass("is-selected", this.#isSelected);
    this.hits[0]?.el.setAttr("aria-selected", this.#isSelected);
  }

  #draw(): void {
    const { passages } = this.result;
    if (this.#look.heading !== null) title(this.el, this.#look.heading);
    const isFolded = passages.length > 0 && !this.isOpen;
    this.el.toggleClass("is-collapsed", isFolded);
    // What is marked in a note that has none of the words is near in meaning.
    this.el.toggleClass("is-by-meaning", !this.result.scores.keyword);
    this.#drawTitle(isFolded);
    this.#drawSelected();
    if (this.#look.titlesOnly && !this.isOpen) return;
    const matches = this.el.createDiv({ cls: "search-result-file-matches", attr: { role: "group" } });
    for (const passage of [this.result, ...(this.isOpen ? passages : [])]) {
      if (passage.snippet !== this.result.title) this.#drawPassage(matches, passage); // a note that begins with its name
    }
  }

  #drawTitle(isFolded: boolean): void {
    const { title: name, path, passages, reasons, vault } = this.result;
    const el = this.#target(this.el, "tree-item-self search-result-file-title is-clickable", 1);
    el.setAttr("data-path", path);
    if (passages.length > 0) {
      el.setAttr("aria-expanded", !isFolded);
      const fold = el.createDiv("tree-item-icon collapse-icon");
      fold.toggleClass("is-collapsed", isFolded);
      setIcon(fold, "right-triangle");
      setTooltip(fold, t("Further passages"));
    }
    const inner = el.createDiv("tree-item-inner");
    inner.createSpan({ text: name });
    const folder = this.#look.withFolder ? folderWithin(this.result) : "";
    faint(inner, lastFolder(folder), folder);
    faint(inner, fileText(this.result));
    faint(inner, reasons.map(({ text }) => text).join(" · "));
    const flair = el.createDiv("tree-item-flair-outer");
    for (const badge of [...(vault ? [vault] : []), ...this.#look.badges]) {
      flair.createSpan({ cls: "tree-item-flair notewell-badge", text: badge });
    }
    if (this.#look.score !== "off") this.#drawScore(flair.createSpan("tree-item-flair notewell-score"));
  }

  #drawScore(el: HTMLElement): void {
    const { score } = this.result;
    if (this.#look.score === "match") {
      el.setText(matchText(this.result));
    } else if (this.#look.score === "number") {
      el.setText(scoreText(score));
    } else {
      el.addClass("mod-bar");
      const percent = Math.round(Math.min(1, Math.max(0, score)) * 100);
      el.setCssProps({ "--notewell-score": `${percent}%` });
    }
    setTooltip(el, scoreParts(this.result));
  }

  #drawPassage(parent: HTMLElement, passage: Passage): void {
    const el = this.#target(parent, "search-result-file-match tappable notewell-passage", 2, passage);
    faint(el, breadcrumb(passage, this.result.title));
    const { snippet, highlights } = passage;
    renderSnippet(el.createDiv("notewell-snippet"), snippet, highlights, this.#look.snippetChars);
  }

  #target(parent: HTMLElement, cls: string, level: number, passage: Passage = this.result): HTMLElement {
    const attr = { role: "treeitem", tabindex: -1, draggable: "true", "aria-level": level };
    const el = parent.createDiv({ cls, attr });
    this.hits.push({ el, row: this, place: { path: this.result.path, uri: this.result.uri, passage } });
    return el;
  }
}

export function focus(hit: Hit | undefined): void {
  hit?.el.focus();
  hit?.el.scrollIntoView({ block: "nearest" });
}
