/** The state of the index in few words. */

import type { ConnectionState } from "../connection";
import type { Status } from "../contract";
import { explain } from "./explain";
import { count, duration } from "./format";

/** For the status bar. */
export function shortStatus(state: ConnectionState, waiting: number): string {
  if (!("status" in state)) {
    const offline = state.name === "starting" ? "starting…" : state.name.replace("-", " ");
    return waiting > 0 ? `${offline} · ${waiting} waiting` : offline;
  }
  const { queue, ledger, guard } = state.status;
  const words = [];
  if (guard) words.push("notes are missing");
  if (queue.paused) words.push("paused");
  const total = sum(ledger);
  const done = total - (ledger["pending"] ?? 0) - (ledger["keyword_only"] ?? 0);
  if (state.name === "indexing") words.push(`${done}/${total}`);
  if (queue.failed > 0) words.push(count(queue.failed, "error", "errors"));
  return words.join(" · ") || "ready";
}

/** A line for each thing there is to say. */
export function longStatus(state: ConnectionState, waiting: number): string[] {
  const lines = "status" in state ? ofIndex(state.status) : ofAbsence(state);
  if (waiting > 0) lines.push(`${count(waiting, "change", "changes")} not sent yet.`);
  return lines;
}

function ofAbsence(state: ConnectionState): string[] {
  const told = explain(state, 0);
  return told ? [`${told.title}. ${told.text}`] : [];
}

function ofIndex(status: Status): string[] {
  const { queue, ledger } = status;
  const lines = [
    `${count(status.notes, "note", "notes")}, ${count(status.chunks, "passage", "passages")}.`,
    `Search by meaning: ${status.semantic_reason ?? status.semantic}.`,
  ];
  const states = Object.entries(ledger).filter(([name, n]) => name !== "indexed" && n > 0);
  if (states.length > 0) {
    lines.push(`${states.map(([name, n]) => `${n} ${name.replace("_", " ")}`).join(", ")}.`);
  }
  if (queue.paused) lines.push("Indexing is paused.");
  else if (queue.eta_s !== null) lines.push(`About ${duration(queue.eta_s)} to go.`);
  if (status.problem) lines.push(status.problem);
  if (status.state === "degraded") lines.push("A part of the index does not work; see the log.");
  return lines;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
