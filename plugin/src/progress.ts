/** How far the index is, in words, from the one record that the server sends; used by the plugin and the web pages. */

import type { IndexProgress, StatusReply } from "./contract";
import { count, duration } from "./format";
import { t } from "./texts";

/** The part of a status that is told. */
type Told = Pick<StatusReply, "progress" | "semantic" | "queue">;

/** The share of all notes found by words, and of all passages found by meaning; 1 only if nothing is missing. */
export function shares(now: IndexProgress): { words: number; meaning: number } {
  const words = share(now.notes_read, now.notes);
  // The passages of notes that are not read yet are in no count.
  return { words, meaning: words * share(now.passages_embedded, now.passages) };
}

/** "Reading 1,824 of 2,693 notes · by words 68 % · by meaning 3 % · about 9 min"; empty for a complete index. */
export function progressText({ progress: now, semantic, queue }: Told): string {
  const { words, meaning } = shares(now);
  const hasMeaning = semantic !== "unavailable";
  if (now.phase === "idle") return "";
  const overall = hasMeaning ? meaning : words;
  if (now.phase === "paused") return t("Paused") + halted(overall, now, queue.pending);
  if (now.phase === "stuck") return t("Stopped") + halted(overall, now, queue.pending);
  const parts = [t("by words {share}", { share: percent(words) })];
  if (now.phase === "reading") parts.unshift(t("Reading {read} of {notes}", { read: now.notes_read, notes: count(now.notes, "note") }));
  else parts[0] = t("By words {share}", { share: percent(words) });
  if (hasMeaning) parts.push(t("by meaning {share}", { share: percent(meaning) }));
  if (now.eta_s !== null) parts.push(t("about {time}", { time: duration(now.eta_s) }));
  return parts.join(" · ");
}

/** A few words for the status bar; empty for a complete index. */
export function shortProgress(status: Told): string {
  const { progress: now } = status;
  if (now.phase === "reading") return `${now.notes_read}/${now.notes}`;
  if (now.phase === "embedding") return t("{share} by meaning", { share: percent(shares(now).meaning) });
  return progressText(status).toLowerCase();
}

/**
 * How far an index is that nothing works on. Changes that wait are in no share yet: a complete index
 * of which a note has changed since is not "at 100 %".
 */
function halted(overall: number, now: IndexProgress, pending: number): string {
  if (overall < 1) return ` ${t("at {share}", { share: percent(overall) })}`;
  const areChanges = now.passages_embedded >= now.passages && pending > 0;
  return areChanges ? ` · ${count(pending, "change waits", "changes wait")}` : "";
}

export function percent(part: number): string {
  return `${Math.floor(part * 100)} %`;
}

function share(part: number, whole: number): number {
  return part >= whole ? 1 : Math.min(part / whole, 0.99);
}
