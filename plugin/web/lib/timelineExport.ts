/** A timeline as a table for other programs, and as a note of Obsidian. */

import type { DatedNote } from "../../src/contract";
import { t } from "../../src/texts";

const COLUMNS = ["date", "dated_by", "path", "title", "line", "score"] as const;

/** CSV by RFC 4180, with a header. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function timelineCsv(notes: readonly DatedNote[]): string {
  const rows = notes.map((note) => COLUMNS.map((name) => cell(note[name])).join(","));
  return [COLUMNS.join(","), ...rows, ""].join("\r\n");
}

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A note with a link for each note, under a heading for each month, oldest first. */
export function timelineNote(topic: string, notes: readonly DatedNote[]): string {
  const lines = [`# ${t("Timeline")}: ${topic.replace(/\s+/g, " ").trim()}`];
  let month = "";
  for (const { date, path, title } of notes) {
    if (date.slice(0, 7) !== month) {
      month = date.slice(0, 7);
      lines.push("", `## ${month}`, "");
    }
    lines.push(`- ${date} [[${linkTarget(path)}|${title.replace(/[[\]|\r\n]/g, " ")}]]`);
  }
  return `${lines.join("\n")}\n`;
}

function linkTarget(path: string): string {
  return path.replace(/\.md$/i, "");
}

/** A file name that every system takes. */
export function exportName(topic: string, ending: string): string {
  const name = topic.replace(/[\\/:*?"<>|#^[\]\s]+/g, " ").trim().slice(0, 60).trim();
  return `${t("Timeline")} ${name || t("of notes")}.${ending}`;
}

/** Offers a text to the browser as a file to save. */
export function saveAs(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser reads it after the click
}
