/** The numbered sources of an answer; each links to the passage in its note. */

import type { AskSource } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { h } from "../../lib/dom";
import { icon } from "../../lib/icons";
import { obsidianLink, outwardLink } from "../../lib/links";
import { folderOf } from "../../../src/format";
import { noteAddress } from "../../parts/resultRow";
import { t, tn } from "../../../src/texts";

export function sourceList(context: ViewContext, sources: readonly AskSource[]): HTMLElement | null {
  if (sources.length === 0) return null;
  const cited = sources.filter((source) => source.cited);
  const others = sources.filter((source) => !source.cited);
  const list = (some: readonly AskSource[]): HTMLElement => h("ol", {}, ...some.map((source) => row(context, source)));
  return h(
    "div",
    { class: "ask-sources" },
    h("h3", {}, t("Sources")),
    cited.length ? list(cited) : null,
    others.length
      ? h("details", { class: "properties" }, h("summary", {}, tn(others.length, "{n} more was read", "{n} more were read")), list(others))
      : null,
  );
}

function row(context: ViewContext, { n, path, title, uri, line }: AskSource): HTMLElement {
  const page = /^https?:/.test(path) ? outwardLink(path) : null;
  const outward = page && { target: "_blank", rel: "noopener noreferrer", class: "outward" };
  const href = page ?? noteAddress(context, path, line ?? undefined);
  const obsidian = obsidianLink(uri);
  return h(
    "li",
    { value: n },
    h("span", { class: "source-number", "aria-hidden": "true" }, String(n)),
    h("a", { href, "data-source": n, dir: "auto", ...outward }, title),
    h("span", { class: "folder", dir: "auto" }, page ? new URL(page).host : folderOf(path)),
    obsidian && h("a", { class: "source-open", href: obsidian, "aria-label": t("Open {title} in Obsidian", { title }) }, icon("open")),
  );
}
