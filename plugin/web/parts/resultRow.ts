/** A note in a list of results: its title, folder and matching passages; and the keys of such a list. */

import type { Passage, Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, h, type Child } from "../lib/dom";
import { icon } from "../lib/icons";
import { obsidianLink } from "../lib/links";
import { marked } from "../lib/marks";
import { breadcrumb, fileText, folderOf, lastFolder } from "../../src/format";
import { ago, day } from "../lib/format";
import { t, tn } from "../../src/texts";

const FURTHER = 3; // further passages shown below the best one
const SNIPPET_CHARS = 180; // fit the narrow column beside a note

export interface RowOptions {
  /** Called with the line when a result is opened. */
  readonly opened: (result: Result, line: number) => void;
  readonly isCurrent: boolean;
  /** The address that explains its place; none for lists without a query. */
  readonly why?: string | null;
}

export function resultRow(context: ViewContext, result: Result, options: RowOptions): HTMLElement {
  const title = h(
    "a",
    {
      href: noteAddress(context, result.path, result.line, result.vault),
      "data-result": rowKey(result),
      "data-uri": obsidianLink(result.uri),
      "aria-current": options.isCurrent ? "true" : null,
      dir: "auto",
      on: { click: () => options.opened(result, result.line) },
    },
    result.title,
  );
  return h(
    "li",
    { class: "result", "data-key": rowKey(result) },
    h("h2", {}, title),
    meta(result),
    passageText(result, result.title),
    reasons(result),
    further(context, result, options),
    actions(context, result, options.why ?? null),
  );
}

type Found = Pick<Result, "path"> & Partial<Pick<Result, "vault">>;

/** What a row is known by; paths may be the same in several vaults. */
export function rowKey({ path, vault }: Found): string {
  return vault ? `${vault}:${path}` : path;
}

/** The address that shows a note next to the current list; of several vaults, from its own. */
export function noteAddress(context: ViewContext, path: string, line?: number, vault?: string | null): string {
  const { view, query } = context.address;
  const shared = view === "search" ? query : { q: query["q"] };
  return context.to("search", { ...shared, ...ofVault(vault), note: path, line: line && line > 1 ? String(line) : null });
}

/** The part of an address that names the vault of a result, where several were searched. */
function ofVault(vault: Found["vault"]): { readonly vault?: string } {
  return vault ? { vault } : {};
}

function meta(result: Result): HTMLElement {
  const changed = result.modified ?? result.created;
  const file = fileText(result);
  const parts: Child[] = [
    result.vault && h("span", { class: "tag", dir: "auto", title: t("Vault") }, result.vault),
    folderText(result.path),
    file && h("span", { dir: "auto" }, file),
    ...result.tags.slice(0, 3).map((tag) => h("span", { class: "tag", dir: "auto" }, `#${tag}`)),
    result.as_of && h("span", {}, t("as of {day}", { day: day(result.as_of) })),
    result.current === false && h("span", {}, t("no longer there")),
  ];
  const when = changed && h("time", { datetime: changed, title: day(changed) }, ago(changed));
  return h("p", { class: "meta" }, parts.some(Boolean) && h("span", { class: "result-facts" }, ...parts), when);
}

/** The last folder of a note, with the whole path where it is pointed at or tapped; null in the vault's root. */
export function folderText(path: string): HTMLElement | null {
  const folder = folderOf(path);
  if (!folder) return null;
  const el = h("span", { class: "folder", dir: "auto", title: folder }, lastFolder(folder));
  el.addEventListener("click", () => (el.textContent = el.classList.toggle("is-whole") ? folder : lastFolder(folder)));
  return el;
}

export function passageText(passage: Passage, title: string): HTMLElement {
  const where = breadcrumb(passage, title);
  return h(
    "p",
    { class: "snippet", dir: "auto" },
    where && h("span", { class: "where" }, where),
    ...marked(passage.snippet, passage.highlights, SNIPPET_CHARS),
  );
}

const sharedWords = (): Readonly<Record<string, string>> => ({
  passage: t("like"),
  duplicate: t("nearly the same as"),
  links: t("both linked with"),
  tags: t("both have"),
  embeds: "",
  phrase: "",
  synonym: "",
});

/** For similar notes: what they share with the original note; for others: by which file in it or which property it was found. */
export function reasons({ reasons: all }: Pick<Result, "reasons">): HTMLElement | null {
  if (!all?.length) return null;
  const texts = all.map(({ kind, text }) => `${sharedWords()[kind] ?? t("both")} ${text.replaceAll(" > ", " › ")}`.trim());
  return h("p", { class: "meta" }, h("span", { dir: "auto" }, texts.join(" · ")));
}

/** The note's other matching passages, collapsed. */
function further(context: ViewContext, result: Result, options: RowOptions): HTMLElement | null {
  const { passages } = result;
  if (passages.length === 0) return null;
  const links = passages.slice(0, FURTHER).map((passage) =>
    h(
      "li",
      {},
      h(
        "a",
        {
          class: "passage",
          href: noteAddress(context, result.path, passage.line, result.vault),
          on: { click: () => options.opened(result, passage.line) },
        },
        passageText(passage, result.title),
      ),
    ),
  );
  const label = tn(passages.length, "{n} more passage", "{n} more passages");
  return h("details", { class: "further" }, h("summary", {}, label), h("ul", {}, ...links));
}

function actions(context: ViewContext, result: Result, why: string | null): HTMLElement {
  const uri = obsidianLink(result.uri);
  // On touch screens, where nothing can be pointed at, one sign stands for all of them.
  const more = button(icon("more"), () => more.setAttribute("aria-expanded", String(more.getAttribute("aria-expanded") !== "true")), {
    class: "plain more-actions",
    "aria-expanded": "false",
    ...named(t("Actions")),
  });
  return h(
    "p",
    { class: "actions" },
    more,
    why && h("a", { href: why }, icon("explore"), t("Why this result?")),
    // The server's link opens a PDF at the page of its best passage.
    uri && h("a", { href: uri, ...named(result.page ? t("Open page {page} in Obsidian", { page: result.page }) : t("Open in Obsidian")) }, icon("open")),
    h("a", { href: context.to("search", { like: result.path, ...ofVault(result.vault) }), ...named(t("Similar notes")) }, icon("similar")),
    h("a", { href: context.to("graph", { path: result.path, ...ofVault(result.vault) }), ...named(t("Graph")) }, icon("graph")),
  );
}

function named(label: string): { readonly title: string; readonly "aria-label": string } {
  return { title: label, "aria-label": label };
}

/** Moves the focus through a list of results by keys; true where the key was used. */
export function moveAmong(list: HTMLElement, key: string): boolean {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, End: Infinity, Home: -Infinity }[key];
  const rows = [...list.querySelectorAll<HTMLElement>("[data-result]")];
  const at = rows.findIndex((row) => row === document.activeElement);
  if (step === undefined || (at < 0 && !Number.isFinite(step))) return false;
  if (at === 0 && step === -1) {
    document.getElementById("q")?.focus();
    return true;
  }
  const next = at < 0 ? rows[0] : rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return next !== undefined;
}

/** Opens the focused result, or else the current one, in Obsidian; false where there is none. */
export function openInObsidian(list: HTMLElement): boolean {
  const row = list.querySelector<HTMLElement>("[data-result]:focus") ?? list.querySelector<HTMLElement>('[aria-current="true"]');
  const uri = row?.dataset["uri"];
  if (uri) location.assign(uri);
  return uri !== undefined;
}
