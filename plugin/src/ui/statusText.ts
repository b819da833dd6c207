/** The state of the index as short texts. */

import type { StatusReply } from "../contract";
import { explain, type Explanation } from "./explain";
import { count, duration } from "./format";
import type { ViewContext } from "./viewContext";

type StatusSource = Pick<ViewContext, "connection" | "waiting">;

/** For the status bar. */
export function shortStatus({ connection, waiting }: StatusSource): string {
  const { state } = connection;
  const words: string[] = [];
  if ("status" in state) {
    const { queue, ledger, guard } = state.status;
    if (guard) words.push("notes are missing");
    if (queue.paused) words.push("paused");
    if (state.name === "indexing") {
      const total = Object.values(ledger).reduce((sum, n) => sum + n, 0);
      const open = (ledger["pending"] ?? 0) + (ledger["keyword_only"] ?? 0);
      words.push(`${total - open}/${total}`);
    }
    if (queue.failed > 0) words.push(count(queue.failed, "error"));
  } else {
    words.push(state.name.replace("-", " "));
    if (waiting() > 0) words.push(`${waiting()} waiting`);
  }
  return words.join(" · ") || "ready";
}

/** The full status, one statement a line. */
export function longStatus({ connection, waiting }: StatusSource): string[] {
  const { state } = connection;
  const lines = "status" in state ? indexLines(state.status) : [inOneLine(explain(state, 0))];
  if (waiting() > 0) lines.push(`${count(waiting(), "change")} not sent yet.`);
  return lines;
}

export function inOneLine(explanation: Explanation | null): string {
  return explanation ? `${explanation.title}. ${explanation.text}` : "";
}

function indexLines(status: StatusReply): string[] {
  const { queue, ledger } = status;
  const lines = [
    `${count(status.notes, "note")}, ${count(status.chunks, "passage")}.`,
    `Search by meaning: ${status.semantic_reason ?? status.semantic}.`,
  ];
  const others = Object.entries(ledger)
    .filter(([name, n]) => name !== "indexed" && n > 0)
    .map(([name, n]) => `${n} ${name.replace("_", " ")}`);
  if (others.length > 0) lines.push(`${others.join(", ")}.`);
  if (queue.paused) lines.push("Indexing is paused.");
  else if (queue.eta_s !== null) lines.push(`About ${duration(queue.eta_s)} to go.`);
  if (status.problem) lines.push(status.problem);
  if (status.state === "degraded") lines.push("A part of the index does not work; see the log.");
  return lines;
}
