/** The state of the index as short texts. */

import type { StatusReply } from "../contract";
import { explain, type Explanation } from "./explain";
import { count } from "../format";
import { wordsOnly } from "../local/reply";
import { progressText, shortProgress } from "../progress";
import type { ViewContext } from "./viewContext";
import { number, t } from "../texts";
import { stateWord } from "../words";

type StatusSource = Pick<ViewContext, "connection" | "waiting"> & Partial<Pick<ViewContext, "local">>;

/** For the status bar. */
export function shortStatus({ connection, waiting }: StatusSource): string {
  const { state } = connection;
  const words: string[] = [];
  if ("status" in state) {
    const { queue, guard } = state.status;
    if (guard) words.push(t("notes are missing"));
    const progress = shortProgress(state.status);
    if (progress) words.push(progress);
    if (queue.failed > 0) words.push(count(queue.failed, "error"));
  } else {
    words.push(state.name === "offline" ? wordsOnly() : stateWord(state.name));
    if (waiting() > 0) words.push(t("{n} waiting", { n: waiting() }));
  }
  return words.join(" · ") || stateWord("ready");
}

/** The full status, one statement a line. */
export function longStatus({ connection, waiting, local }: StatusSource): string[] {
  const { state } = connection;
  const lines = "status" in state ? indexLines(state.status) : [inOneLine(explain(state, 0))];
  if (waiting() > 0) lines.push(t("{changes} not sent yet.", { changes: count(waiting(), "change") }));
  if (local?.reader.problem) lines.push(local.reader.problem);
  return lines;
}

export function inOneLine(explanation: Explanation | null): string {
  return explanation ? `${explanation.title}. ${explanation.text}` : "";
}

function indexLines(status: StatusReply): string[] {
  const { ledger } = status;
  const lines = [
    `${count(status.notes, "note")}, ${count(status.chunks, "passage")}.`,
    t("Search by meaning: {state}.", { state: status.semantic_reason ?? stateWord(status.semantic) }),
  ];
  const others = Object.entries(ledger)
    .filter(([name, n]) => (name === "failed" || name === "excluded") && n > 0)
    .map(([name, n]) => `${number(n)} ${stateWord(name)}`);
  if (others.length > 0) lines.push(`${others.join(", ")}.`);
  const progress = progressText(status);
  if (progress) lines.push(`${progress}.`);
  if (status.problem) lines.push(status.problem);
  if (status.state === "degraded") lines.push(t("A part of the index does not work; see the log."));
  return lines;
}
