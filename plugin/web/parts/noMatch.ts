/** What is said where nothing matches well, and what a person can try next. */

import { asServerError } from "../../src/client";
import type { SearchReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { newNote } from "../lib/links";
import { emptyBox } from "./errors";
import { conditions } from "./chips";
import { weakCount, weakFold } from "./resultGroups";
import { locale, t, tn, tparts } from "../../src/texts";

const LEAST_ASKED = 3; // words of a query that may be kept as a question
const UNFIT = /[\\/:*?"<>|#^[\]]/; // what names of files may not have

/** The box in place of an empty list. `weak` is the number of weak matches that were left out. */
function noMatch(context: ViewContext, reply: SearchReply, q: string, weak: number): HTMLElement {
  const { query } = context.address;
  const steps: (HTMLElement | null)[] = [
    weak ? button(tn(weak, "Show {n} weak match", "Show {n} weak matches"), () => context.change({ weak: "true" })) : null,
    ...(q ? querySteps(context, q) : []),
    newNoteButton(context, q),
    q && !query["everything"] ? button(t("Search everything"), () => context.change({ everything: "true" }), { title: t("Daily notes and shelved notes too") }) : null,
  ];
  const corrected = reply.corrected ? ` ${t("Also searched: “{query}”.", { query: reply.corrected.text })}` : "";
  const title = unknownWord(reply.warnings) ?? (weak ? t("Nothing matches well") : t("Nothing found"));
  const text = `${query["like"] ? t("No other note is about the same.") : t("Try fewer or different words.")}${corrected}`;
  return emptyBox(title, text, h("div", { class: "buttons" }, ...steps));
}

/** Creates a note of the query's words in Obsidian; none for a query with conditions, or a vault that is no folder. */
function newNoteButton({ vault }: ViewContext, q: string): HTMLElement | null {
  if (!vault || vault.source !== "folder" || !q || conditions(q).length > 0 || UNFIT.test(q)) return null;
  return h("a", { class: "quiet", href: newNote(vault.name, q.trim()) }, t("Create “{name}” in Obsidian", { name: q.trim() }));
}

/** That no note has the words of the query, in the person's language; null where notes have some. */
export function unknownWord(warnings: readonly string[]): string | null {
  const told = warnings.find((warning) => /^Nothing has the words? “/.test(warning));
  if (told === undefined) return null;
  const words = [...told.matchAll(/“[^”]*”/g)].map(([word]) => word);
  const named = new Intl.ListFormat(locale() ?? "en", { type: "disjunction" }).format(words);
  return words.length === 1 ? t("Nothing has the word {word}", { word: named }) : t("Nothing has the words {words}", { words: named });
}

/** Queries that ask for less: without quotes, without filters. */
function querySteps(context: ViewContext, q: string): (HTMLElement | null)[] {
  const change = (text: string) => (): void => context.change({ q: text });
  const unquoted = q.replaceAll('"', "").trim();
  const filters = conditions(q).filter(({ text }) => !/^-?"/.test(text));
  const bare = filters.reduceRight((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, q).replace(/\s+/g, " ").trim();
  return [
    /(^|[\s(])"[^"]+"/.test(q) ? button(t("Search without quotes"), change(unquoted)) : null,
    filters.length && bare ? button(t("Search without filters"), change(bare)) : null,
  ];
}

/** That a query was corrected, with the way back; null where it was not. */
export function correctionLine(context: ViewContext, { corrected, query }: SearchReply): HTMLElement | null {
  if (!corrected) return null;
  return h(
    "p",
    { class: "facts corrected" },
    ...tparts("Results for {query}", { query: h("strong", { dir: "auto" }, corrected.text) }),
    " · ",
    h("a", { href: context.to("search", { ...context.address.query, exact: "true" }) }, t("Search only for “{query}”", { query })),
  );
}

/** What stands below a list: what to try where nothing was found, that more is drawn, or the weak matches, folded. */
export function listEnd(context: ViewContext, reply: SearchReply, found: number, hasMore: boolean): Node | null {
  const weak = weakCount(reply.filtered, reply.results);
  const shown = reply.results.length;
  const q = context.address.query["q"] ?? "";
  if (shown === 0) return h("div", {}, noMatch(context, reply, q, weak), waiting(context, q), missing(context, q), past(context));
  if (hasMore) return h("p", { class: "faint more" }, "…");
  if (shown < found) return h("p", { class: "faint more" }, t("These are the first {n}. Narrow the search to see others.", { n: shown }));
  return h("div", {}, weakFold(weak, () => context.change({ weak: "true" })), waiting(context, q), missing(context, q), past(context));
}

/** Keeps a query of some words as a question: a note that is written later and answers it is told. */
function waiting(context: ViewContext, q: string): Node | null {
  const isAsked = q.trim().split(/\s+/).length >= LEAST_ASKED && conditions(q).length === 0;
  if (!isAsked || !context.mayWrite || !context.has("add_question")) return null;
  const keep = async (): Promise<void> => {
    const { QuestionClient } = await import("../app/questionClient");
    await context.vaultClient.as(QuestionClient).add(q.trim());
    fill(el, h("a", { href: context.to("manage", {}, "questions") }, t("The question is kept")));
  };
  const el = h("div", { class: "more" }, button(t("Tell me when a note answers this"), () => void keep().catch((error: unknown) => context.showNotice(asServerError(error).message)), { class: "plain" }));
  return el;
}

/** Leads to the search of what notes once said, where the vault has a history. */
function past(context: ViewContext): Node | null {
  if (!context.hasPast || context.address.query["like"]) return null;
  const open = (): void => void import("./past").then(({ pastForm }) => fill(el, pastForm(context)), () => undefined);
  const el = h("div", { class: "more" }, button(t("Search the past"), open, { class: "plain" }));
  return el;
}

/** A fold where a person names a note that the search does not show, and is told why. */
function missing(context: ViewContext, q: string): Node | null {
  if (!q || !context.has("diagnose")) return null;
  const open = (): void => void import("./missingNote").then(({ missingNote }) => {
    el.append(missingNote(context, q));
    el.querySelector("input")?.focus();
  }, () => undefined);
  const el = h("details", { class: "properties more" }, h("summary", {}, t("A note is missing?")));
  el.addEventListener("toggle", open, { once: true });
  return el;
}
