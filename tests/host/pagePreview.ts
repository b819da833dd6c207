/** The core plugin that shows a note in a popover while its link is hovered over. */

import type { App, HoverLinkSource } from "obsidian";
import { parseLinktext } from "./mocks";

interface HoverLink {
  readonly event: MouseEvent;
  readonly source: string;
  readonly targetEl: HTMLElement;
  readonly linktext: string;
  readonly sourcePath?: string;
}

type AnyEvents = { on(name: string, callback: (hover: HoverLink) => void): unknown };

export function servePreviews(app: App, sources: ReadonlyMap<string, HoverLinkSource>): void {
  (app.workspace as unknown as AnyEvents).on("hover-link", (hover) => {
    const source = sources.get(hover.source);
    if (!source) throw new Error(`No hover source “${hover.source}” is registered.`);
    if (source.defaultMod && !hover.event.ctrlKey) return;
    void show(app, hover);
  });
}

async function show(app: App, { targetEl, linktext, sourcePath = "" }: HoverLink): Promise<void> {
  const { path } = parseLinktext(linktext);
  const file = app.metadataCache.getFirstLinkpathDest(path, sourcePath);
  if (!file) return;
  const text = await app.vault.cachedRead(file);
  if (!targetEl.isConnected) return; // what was pointed at was drawn anew meanwhile
  targetEl.doc.querySelector(".hover-popover")?.remove();
  const el = targetEl.doc.body.createDiv("popover hover-popover");
  el.createEl("pre", { text: text.slice(0, 800) });
  const { right, top } = targetEl.getBoundingClientRect();
  el.setCssStyles({ left: `${right + 8}px`, top: `${top}px` });
  const follow = (event: MouseEvent): void => {
    const { targetNode } = event;
    if (targetNode && (targetEl.contains(targetNode) || el.contains(targetNode))) return;
    el.remove();
    targetEl.doc.removeEventListener("mousemove", follow);
  };
  targetEl.doc.addEventListener("mousemove", follow);
}
