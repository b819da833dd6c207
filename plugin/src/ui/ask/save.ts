/** Saves a conversation as a note of the vault: the app writes it, so that it is the same with every server. */

import { normalizePath, type App, type TFile } from "obsidian";
import type { AskReply, AskSource } from "../../contract";
import { linkTo } from "../open";
import { isWebPage } from "./sources";

const FOLDER = "Answers";
const NAME_CHARS = 80;

/** A note with a heading for each question; sources are links in the style of the app's settings. */
export async function saveConversation(app: App, turns: readonly AskReply[]): Promise<TFile> {
  const { vault } = app;
  if (!vault.getFolderByPath(FOLDER)) await vault.createFolder(FOLDER);
  const path = freePath(app, nameOf(turns[0]?.question ?? ""));
  return vault.create(path, turns.map((turn) => section(app, turn, path)).join("\n"));
}

/** A file name made from a question, without characters that file names or links cannot contain. */
export function nameOf(question: string): string {
  const name = question.replace(/[\\/:*?"<>|#^[\]]/g, " ").replace(/\s+/g, " ").trim().slice(0, NAME_CHARS).trim();
  return name.replace(/^[.\s]+|[.\s]+$/g, "") || "Answer";
}

function freePath({ vault }: App, name: string): string {
  for (let number = 1; ; number += 1) {
    const path = normalizePath(`${FOLDER}/${name}${number === 1 ? "" : ` ${number}`}.md`);
    if (!vault.getAbstractFileByPath(path)) return path;
  }
}

function section(app: App, { question, answer, sources, cancelled }: AskReply, path: string): string {
  // Headings of the answer go below the question's.
  const text = answer.replace(/^(#{1,4}) /gm, "##$1 ").trim() + (cancelled ? "\n\n(Stopped)" : "");
  const rows = sources.filter(({ cited }) => cited).map((source) => `- ${linkOf(app, source, path)}\n`);
  return `## ${question.replace(/\s+/g, " ")}\n\n${text}\n${rows.length > 0 ? `\n${rows.join("")}` : ""}`;
}

function linkOf(app: App, source: AskSource, path: string): string {
  const link = isWebPage(source) ? `<${source.path}>` : linkTo(app, { path: source.path, passage: null }, path);
  return `[${source.n}] ${link || source.title}`;
}
