/** The rows that the bar offers below what is typed: completions, names of notes, actions that fit, and the question. */

import type { ViewContext } from "../app/viewContext";
import { setPreference } from "../lib/preferences";
import { history, saved } from "./searchHistory";
import { t } from "../../src/texts";

export interface BarRow {
  readonly label: string;
  readonly kind: string;
  /** A query to go on with; of a complete one, a new word may begin. */
  readonly query?: string;
  readonly isComplete?: boolean;
  /** What is done instead. */
  readonly act?: () => void;
}

const SHOWN = 8;
const NAMES = 5;
const ACTIONS = 3;
const LEAST = 3; // letters, from which actions are offered

/** Saved and earlier searches, for an empty field. */
export function remembered(context: ViewContext): readonly BarRow[] {
  const of = (kind: string) => (query: string): BarRow => ({ label: query, kind, query, isComplete: true });
  return [...saved(context.vault).map(of("saved")), ...history(context.vault).map(of("earlier"))].slice(0, SHOWN);
}

/** Whether a filter is being typed at the end of a query. */
export function isFilter(typed: string): boolean {
  return /(^|[\s(])-?(\w+:\S*|\[[^\]]*)$/.test(typed);
}

/** Completions of the filter that is being typed. */
export async function completions(context: ViewContext, typed: string): Promise<readonly BarRow[]> {
  const found = await context.vaultClient.complete(typed, SHOWN);
  return found.map(({ text, kind, insert, start }) => {
    const query = typed.slice(0, start) + insert;
    return { label: text, kind, query, isComplete: !/[:[]$/.test(insert) };
  });
}

/** A note, and its title or alias. */
interface NamedNote {
  readonly text: string;
  readonly path: string;
}

/** Notes whose title or alias begins with what is typed. */
export async function namedNotes(context: ViewContext, typed: string): Promise<readonly NamedNote[]> {
  const found = await context.vaultClient.complete(typed, SHOWN);
  return found.flatMap(({ kind, start, path, text }) => (path && start === 0 && (kind === "title" || kind === "alias") ? [{ text, path }] : []));
}

export async function names(context: ViewContext, typed: string): Promise<readonly BarRow[]> {
  const notes = await namedNotes(context, typed);
  return notes.slice(0, NAMES).map(({ text, path }) => ({ label: text, kind: t("note"), act: () => context.go("search", { q: text, note: path }) }));
}

/** Actions whose names have a word for each one that is typed. */
export function actions(context: ViewContext, typed: string): readonly BarRow[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.join("").length < LEAST) return [];
  const fits = ({ label }: BarRow): boolean => {
    const own = label.toLowerCase().split(/\s+/);
    return words.every((word) => own.some((one) => one.startsWith(word)));
  };
  return everyAction(context).filter(fits).slice(0, ACTIONS);
}

/** The last row: what is typed, as a question. */
export function question(context: ViewContext, typed: string): readonly BarRow[] {
  const q = typed.trim();
  return q && context.has("ask") ? [{ label: t("Ask: {question}", { question: q }), kind: "", act: () => context.go("ask", { q }) }] : [];
}

export function everyAction(context: ViewContext): readonly BarRow[] {
  return [...queueActions(context), ...pages(context), ...(context.has("graph_neighborhood") ? [wholeGraph(context), ...colours(context)] : [])];
}

function queueActions(context: ViewContext): readonly BarRow[] {
  const { status } = context.status;
  if (!context.mayAdminister || !status) return [];
  const act = (what: "pause" | "resume", label: string, done: string): BarRow => ({
    label,
    kind: t("action"),
    act: () => {
      const told = (text: string) => (): void => context.showNotice(text);
      void context.vaultClient.queue(what).then(told(done), told(t("That did not work."))).then(() => context.status.refresh());
    },
  });
  return [status.progress.phase === "paused" ? act("resume", t("Resume indexing"), t("Indexing goes on")) : act("pause", t("Pause indexing"), t("Indexing is paused"))];
}

/** Pages of Manage; `needs` is the feature of the server that they show. */
function pages(context: ViewContext): readonly BarRow[] {
  const all: readonly (readonly [label: string, part: string, needs: string])[] = [
    [t("Pair a phone"), "devices", "pair"],
    [t("Open settings"), "config", "config"],
    [t("Open models"), "models", "models"],
    [t("Open devices"), "devices", "pair"],
    [t("Open vaults"), "vaults", "vaults"],
    [t("Open the index"), "", "status"],
    [t("Open files"), "ledger", "ledger"],
    [t("Open suggestions to tend"), "tend", "garden_plans"],
    [t("Open saved links"), "gleanings", "gleanings"],
    [t("Open memories"), "memory", "memory"],
    [t("Open runs"), "runs", "runs"],
    [t("Open statistics"), "stats", "stats"],
    [t("Open the audit log"), "audit", "audit"],
    [t("Choose a language model"), "answers", "ask_setup"],
  ];
  return all.filter(([, , needs]) => context.has(needs)).map(([label, part]) => ({ label, kind: t("page"), act: () => context.go("manage", {}, part) }));
}

function wholeGraph(context: ViewContext): BarRow {
  return { label: t("Graph of the vault"), kind: t("page"), act: () => context.go("graph", {}) };
}

function colours(context: ViewContext): readonly BarRow[] {
  const all: readonly (readonly [label: string, colour: string])[] = [
    [t("Colour graph by tag"), "tag"],
    [t("Colour graph by folder"), "folder"],
    [t("Colour graph by community"), "community"],
    [t("Colour graph by last change"), "age"],
    [t("Colour graph by type"), "type"],
  ];
  return all.map(([label, colour]) => ({
    label,
    kind: t("action"),
    act: () => {
      setPreference("graph-colour", colour);
      context.go("graph", { colour });
    },
  }));
}
