/** The notes that an answer cites, and those that were found for it; each opens at its passage. */

import type { AskSource, Result } from "../../contract";
import { folderOf } from "../../format";
import { faint, title } from "../controls";
import { renderSnippet } from "../highlight";
import { t, tn } from "../../texts";

export interface Source {
  readonly path: string;
  readonly title: string;
  readonly line?: number | null;
}
export interface Passage extends Source {
  readonly snippet: string;
  readonly highlights?: Result["highlights"];
}
export type OpenSource = (source: Source, event: MouseEvent) => void;

const SNIPPET_CHARS = 160;

/** Whether a source is a web page: those have an address in place of a path. */
export function isWebPage({ path }: Source): boolean {
  return /^https?:\/\//.test(path);
}

export function drawSources(parent: HTMLElement, sources: readonly AskSource[], open: OpenSource): void {
  const cited = sources.filter((source) => source.cited);
  const others = sources.filter((source) => !source.cited);
  if (cited.length > 0) {
    title(parent, t("Sources"));
    drawList(parent, cited, open);
  }
  if (others.length === 0) return;
  const more = parent.createEl("details", "notewell-faint");
  more.createEl("summary", { text: tn(others.length, "{n} more was read", "{n} more were read") });
  drawList(more, others, open);
}

function drawList(parent: HTMLElement, sources: readonly AskSource[], open: OpenSource): void {
  const list = parent.createEl("ol", "notewell-sources");
  for (const source of sources) {
    const row = list.createEl("li", { attr: { value: source.n } });
    drawLink(row, source, open);
    faint(row, isWebPage(source) ? new URL(source.path).host : folderOf(source.path));
  }
}

/** Passages of notes below a heading, each with its note; nothing where there is none. */
export function drawFound(parent: HTMLElement, heading: string, results: readonly Passage[], open: OpenSource): void {
  if (results.length === 0) return;
  title(parent, heading);
  const list = parent.createEl("ul", "notewell-sources");
  for (const result of results) {
    const row = list.createEl("li");
    drawLink(row, result, open);
    renderSnippet(row.createDiv("notewell-snippet"), result.snippet, result.highlights ?? [], SNIPPET_CHARS);
  }
}

function drawLink(parent: HTMLElement, source: Source, open: OpenSource): void {
  const attr = { href: isWebPage(source) ? source.path : "#", dir: "auto", "data-path": source.path };
  const el = parent.createEl("a", { cls: isWebPage(source) ? "external-link" : "internal-link", text: source.title, attr });
  const follow = (event: MouseEvent): void => {
    event.preventDefault();
    open(source, event);
  };
  el.onclick = follow;
  el.onauxclick = (event): void => {
    if (event.button === 1) follow(event);
  };
}
