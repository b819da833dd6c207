/** What the palette lists: before a letter is typed what belongs to the passage being read and what was read lately, then what is typed. */

import type { Result } from "../../src/contract";
import { folderOf, lastFolder } from "../../src/format";
import { asServerError } from "../../src/client";
import type { ViewContext } from "../app/viewContext";
import { nameOf } from "../lib/format";
import { actions, completions, everyAction, isFilter, namedNotes, question, type BarRow } from "../parts/barRows";
import { lately } from "../parts/lately";
import { leftOut, pinned } from "../parts/ownMarks";
import { noteAddress } from "../parts/resultRow";
import { history, saved } from "../parts/searchHistory";
import { t } from "../../src/texts";

/** A note, or a place in one. */
export interface NotePlace {
  readonly path: string;
  readonly title: string;
  readonly line: number;
  readonly uri: string | null;
  /** What was found in it; null for a name. */
  readonly result: Result | null;
  readonly heading: string | null;
}

export interface PaletteRow {
  readonly label: string;
  readonly detail: string;
  readonly note: NotePlace | null;
  /** What Enter does. */
  readonly run: () => void;
  /** A query to go on with, in place of what Enter does. */
  readonly query?: string;
}

export interface PaletteGroup {
  readonly title: string;
  readonly rows: readonly PaletteRow[];
}

const BELONGING = 5;
const LATELY = 6;
const SEARCHES = 4;
const ON_THIS_DAY = 4;
const YEARS_BACK = 10;
const NAMES = 3;
const FOUND = 8;
const HEADINGS = 20;

/** What is known at once of an empty field. */
export function known(context: ViewContext): readonly PaletteGroup[] {
  const { vault } = context;
  const read = context.address.query["note"];
  const [first, out] = [pinned.of(vault).filter((path) => path !== read), new Set(leftOut.of(vault))];
  const opened = lately.of(vault).filter((path) => path !== read && !first.includes(path) && !out.has(path)).slice(0, LATELY);
  const searches = [...new Set([...saved(vault), ...history(vault)])].slice(0, SEARCHES);
  return groups([
    [t("Pinned"), first.map((path) => ofName(context, path, nameOf(path)))],
    [t("Read lately"), opened.map((path) => ofName(context, path, nameOf(path)))],
    [t("Searches"), searches.map((q) => ({ label: q, detail: "", note: null, run: () => context.go("search", { q }) }))],
  ]);
}

/** For the first time, until more is known. */
export function someActions(context: ViewContext): readonly PaletteGroup[] {
  return groups([[t("Actions"), everyAction(context).slice(0, LATELY).map(ofAction)]]);
}

interface Belonging {
  readonly near: readonly PaletteGroup[];
  readonly changed: readonly PaletteGroup[];
}

/** What the server knows of an empty field: notes that belong to the passage being read, and those that changed. */
export async function belonging(context: ViewContext): Promise<Belonging> {
  const { note, line } = context.address.query;
  const client = context.vaultClient;
  const around = note && context.has("around") ? client.around(note, Number(line ?? 1), BELONGING) : null;
  const late = client.find("modified:30d", { limit: LATELY, passages: 0, everything: true, door: "none" });
  const before = client.find(thisDay(new Date()), { limit: ON_THIS_DAY, passages: 0, everything: true, door: "none" });
  const marked = context.has("bookmarks") ? client.bookmarks().then(({ notes }) => notes, () => []) : [];
  const [near, bookmarks, changed, sameDay] = await Promise.all([resultsOf(around), marked, resultsOf(late), resultsOf(before)]);
  const own = new Set([...lately.of(context.vault).slice(0, LATELY), ...pinned.of(context.vault), note]);
  const out = new Set(leftOut.of(context.vault));
  const ofResults = (results: readonly Result[]): readonly PaletteRow[] => results.filter(({ path }) => !out.has(path)).map((result) => ofResult(context, result));
  return {
    near: groups([[t("For this passage"), ofResults(near)]]),
    changed: groups([
      [t("Bookmarks in Obsidian"), bookmarks.filter(({ path }) => !own.has(path) && !out.has(path)).slice(0, LATELY).map(({ path, title }) => ofName(context, path, title))],
      [t("Changed lately"), ofResults(changed.filter(({ path }) => !own.has(path) && !bookmarks.some((one) => one.path === path)))],
      [t("On this day"), sameDay.filter(({ path }) => !out.has(path)).map((result) => ({ ...ofResult(context, result), detail: (result.created ?? "").slice(0, 4) }))],
    ]),
  };
}

/** The query for notes of this day in earlier years; a day that a year lacks, as of February, is left out. */
export function thisDay(now: Date): string {
  const [month, day] = [now.getMonth(), now.getDate()];
  const years = Array.from({ length: YEARS_BACK }, (_, n) => new Date(now.getFullYear() - n - 1, month, day)).filter((date) => date.getMonth() === month);
  const two = (n: number): string => String(n).padStart(2, "0");
  return years.map((date) => `created:${date.getFullYear()}-${two(month + 1)}-${two(day)}`).join(" OR ");
}

/** What is known is shown without what the server does not answer. */
async function resultsOf(asked: Promise<{ readonly results: readonly Result[] }> | null): Promise<readonly Result[]> {
  try {
    return (await asked)?.results ?? [];
  } catch (error) {
    asServerError(error);
    return [];
  }
}

/** Names first, then notes by words and meaning, actions, and the question as the last row. */
export async function typed(context: ViewContext, q: string): Promise<readonly PaletteGroup[]> {
  if (q.includes("#") && !/\s#\S*$/.test(q)) return headings(context, q); // after a space it is a tag
  if (isFilter(q)) {
    const found = await completions(context, q).catch(() => []);
    if (found.length > 0) return groups([[t("Filters"), found.map(({ label, kind, query = label }) => ({ label, detail: kind, note: null, run: () => undefined, query }))]]);
  }
  const [named, found] = await Promise.all([
    names(context, q).catch(() => []),
    context.vaultClient.find(q, { limit: FOUND, passages: 1, typing: true }).then(({ results }) => results),
  ]);
  const paths = new Set(named.map(({ note }) => note?.path));
  return groups([
    [t("Names"), named],
    [t("Notes"), found.filter(({ path }) => !paths.has(path)).map((result) => ofResult(context, result))],
    [t("Actions"), ending(context, q)],
  ]);
}

/** The rows that need no server: actions, all results, and the question last. */
function ending(context: ViewContext, q: string): readonly PaletteRow[] {
  const all: PaletteRow = { label: t("All results for “{query}”", { query: q }), detail: "", note: null, run: () => context.go("search", { q }) };
  return [...actions(context, q).map(ofAction), all, ...question(context, q).map(ofAction)];
}

/** Where the server finds nothing, or does not answer. */
export function actionsAlone(context: ViewContext, q: string): readonly PaletteGroup[] {
  return groups([[t("Actions"), ending(context, q)]]);
}

function ofAction({ label, kind, act }: BarRow): PaletteRow {
  return { label, detail: kind, note: null, run: () => act?.() };
}

function groups(all: readonly (readonly [title: string, rows: readonly PaletteRow[]])[]): readonly PaletteGroup[] {
  return all.filter(([, rows]) => rows.length > 0).map(([title, rows]) => ({ title, rows }));
}

async function names(context: ViewContext, q: string): Promise<readonly PaletteRow[]> {
  return (await namedNotes(context, q)).slice(0, NAMES).map(({ text, path }) => ofName(context, path, text));
}

/** Headings and blocks after `#`: of the note that is named before it, else of the one that is read. */
async function headings(context: ViewContext, q: string): Promise<readonly PaletteGroup[]> {
  const [before = "", after = ""] = q.split(/#(.*)/s);
  const named = before.trim() ? (await names(context, before.trim()))[0]?.note?.path : context.address.query["note"];
  if (!named) return actionsAlone(context, q);
  const note = await context.vaultClient.fullNote(named);
  const wanted = after.trim().toLocaleLowerCase();
  const fits = note.headings.filter(({ text }) => text.toLocaleLowerCase().includes(wanted));
  const rows = fits.slice(0, HEADINGS).map(({ text, line }) => placeRow(context, { path: note.path, title: note.title, line, uri: note.uri, result: null, heading: text }, text));
  return groups([[note.title, rows], [t("Actions"), ending(context, q)]]);
}

function ofName(context: ViewContext, path: string, label: string): PaletteRow {
  return placeRow(context, { path, title: nameOf(path), line: 1, uri: null, result: null, heading: null }, label);
}

function ofResult(context: ViewContext, result: Result): PaletteRow {
  const { path, title, line, uri, heading } = result;
  return placeRow(context, { path, title, line, uri, result, heading: heading?.split(" > ").at(-1) ?? null }, title);
}

function placeRow(context: ViewContext, note: NotePlace, label: string): PaletteRow {
  const folder = folderOf(note.path);
  const run = (): void => void (location.hash = noteAddress(context, note.path, note.line));
  return { label, detail: folder ? lastFolder(folder) : "", note, run };
}
