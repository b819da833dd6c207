/** Renders Markdown into an element: links as the app makes them (`a.internal-link`), and code blocks of plugins. */

import type { App, Component as AppComponent, MarkdownPostProcessorContext, MarkdownRenderChild as AppChild } from "obsidian";
import { render } from "../../plugin/web/lib/markdown";
import { Component } from "./mocks";

export class MarkdownRenderChild extends Component implements Pick<AppChild, "containerEl"> {
  constructor(readonly containerEl: HTMLElement) {
    super();
  }
}

type CodeBlock = (source: string, el: HTMLElement, context: MarkdownPostProcessorContext) => unknown;

/** What plugins draw in the place of code blocks of a language. */
export const codeBlocks = new Map<string, CodeBlock>();

const FENCED = /^```(\w+)\n([\s\S]*?)^```$/gm;

export class MarkdownRenderer {
  static async render(_app: App, markdown: string, el: HTMLElement, sourcePath: string, component: AppComponent): Promise<void> {
    await Promise.resolve(); // the app renders later as well
    let at = 0;
    for (const found of markdown.matchAll(FENCED)) {
      const draw = codeBlocks.get(found[1] ?? "");
      if (!draw) continue;
      renderText(el, markdown.slice(at, found.index));
      const addChild = (child: AppChild): void => void component.addChild(child);
      const context = { docId: "", sourcePath, frontmatter: null, addChild, getSectionInfo: () => null };
      draw((found[2] ?? "").trimEnd(), el.createDiv(`block-language-${found[1]}`), context);
      at = found.index + found[0].length;
    }
    renderText(el, markdown.slice(at));
  }
}

function renderText(el: HTMLElement, text: string): void {
  const holder = createDiv();
  holder.append(render(text, { note: (target) => target, tag: (tag) => tag }));
  for (const link of Array.from(holder.querySelectorAll("a"))) {
    const href = link.getAttribute("href") ?? "";
    if (/^[a-z]+:/i.test(href)) link.className = "external-link";
    else {
      link.className = "internal-link";
      link.dataset["href"] = href;
    }
  }
  el.append(...Array.from(holder.childNodes));
}
