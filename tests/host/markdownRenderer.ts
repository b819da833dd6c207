/** Renders Markdown into an element, with links as the app makes them: `a.internal-link` with `data-href`. */

import type { App, Component } from "obsidian";
import { render } from "../../plugin/web/lib/markdown";

export class MarkdownRenderer {
  static async render(_app: App, markdown: string, el: HTMLElement, _sourcePath: string, _component: Component): Promise<void> {
    await Promise.resolve(); // the app renders later as well
    el.append(render(markdown, { note: (target) => target, tag: (tag) => tag }));
    for (const link of Array.from(el.querySelectorAll("a"))) {
      const href = link.getAttribute("href") ?? "";
      if (/^[a-z]+:/i.test(href)) link.className = "external-link";
      else {
        link.className = "internal-link";
        link.dataset["href"] = href;
      }
    }
  }
}
