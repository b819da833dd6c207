/** Commands for the app's own command line: `obsidian notewell query="…"`, similar notes, state and update of the index. */

import type { CliData, CliFlags, Plugin } from "obsidian";
import { asServerError } from "../client";
import type { Result, SearchReply } from "../contract";
import type { Finder } from "../finder";
import { t } from "../texts";
import { activePath } from "./open";
import { longStatus } from "./statusText";
import type { ViewContext } from "./viewContext";

const LIMIT = 10;
const MOST = 100;

type Answer = (given: CliData) => Promise<string>;

/** Apps before 1.12.2 have no command line. */
export function registerCommandLine(plugin: Plugin, context: ViewContext, finder: Finder): void {
  if (!("registerCliHandler" in plugin)) return;
  const { id } = plugin.manifest;
  const list: CliFlags = {
    limit: { value: "<number>", description: t("How many notes, 1 to {most}", { most: MOST }) },
    format: { value: "text|json", description: t("How they are printed") },
  };
  const add = (command: string, description: string, flags: CliFlags | null, answer: Answer): void =>
    plugin.registerCliHandler(command, description, flags, (given) => answer(given).catch((error: unknown) => t("Error: {problem}", { problem: asServerError(error).message })));
  const query = { value: "<text>", description: t("Words, phrases and conditions"), required: true };
  add(id, t("Search notes by meaning and by words"), { query, ...list }, (given) => searched(given, finder));
  const path = { value: "<path>", description: t("The note; without it, the one that is open") };
  add(`${id}:similar`, t("Notes similar to a note"), { path, ...list }, (given) => similar(given, context, finder));
  add(`${id}:status`, t("Show index status"), null, () => Promise.resolve(longStatus(context).join("\n")));
  add(`${id}:reindex`, t("Reindex changed notes"), { full: { description: t("All notes, also those that did not change") } }, (given) => reindexed(given, context));
}

async function searched({ query = "", ...given }: CliData, finder: Finder): Promise<string> {
  if (!query.trim()) return t("Error: {problem}", { problem: t("query= is missing.") });
  return printed(await finder.search(query, limitOf(given)), given);
}

async function similar({ path, ...given }: CliData, { app }: ViewContext, finder: Finder): Promise<string> {
  const wanted = path ?? activePath(app);
  const file = wanted === undefined ? null : app.metadataCache.getFirstLinkpathDest(wanted, "");
  if (!file) return t("Error: {problem}", { problem: wanted === undefined ? t("no note is open; name one by path=.") : t("there is no note “{path}”.", { path: wanted }) });
  return printed(await finder.similar({ path: file.path }, limitOf(given)), given);
}

async function reindexed({ full }: CliData, { connection }: ViewContext): Promise<string> {
  if (!connection.session) return t("The search program does not run. The plugin’s own index follows the notes.");
  await connection.session.client.reindex(full ? { full: true } : {});
  return t("Reindexing has begun.");
}

function limitOf({ limit }: CliData): number {
  const wanted = Math.trunc(Number(limit ?? LIMIT));
  return wanted >= 1 ? Math.min(wanted, MOST) : LIMIT;
}

/** The notes, one a paragraph: path and line, then the passage. */
function printed({ results, warnings }: SearchReply, { format }: CliData): string {
  if (format === "json") return JSON.stringify({ results: results.map(fields), warnings });
  const rows = results.map(({ path, line, snippet }) => `${path}:${line}\n  ${snippet.replaceAll(/\s+/g, " ").trim()}`);
  return [...(rows.length > 0 ? rows : [t("No note matches.")]), ...warnings].join("\n");
}

function fields({ path, title, line, heading, snippet, match, score }: Result): Partial<Result> {
  return { path, title, line, heading, snippet, match, score };
}
