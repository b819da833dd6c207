/** Words for what happens while a question is answered, the same in the plugin and in the pages. */

import type { AskNotice, AskPermission, AskReply, AskStep } from "./contract";
import { t } from "./texts";

const tools = (): Readonly<Record<string, string>> => ({
  rewrite: t("Understood"),
  context: t("Looked for"),
  search: t("Searched"),
  read: t("Read"),
  neighbors: t("Followed links of"),
  read_web_page: t("Read the page"),
  search_web: t("Searched the web for"),
  run_code: t("Calculated"),
});

/** A step as what was done, with what, and what came of it. */
export function stepWords({ tool, about, outcome }: AskStep): { readonly did: string; readonly subject: string; readonly result: string } {
  return {
    did: tools()[tool] ?? tool.replaceAll("_", " "),
    subject: about.startsWith(`${tool}: `) ? about.slice(tool.length + 2) : about,
    result: tool === "rewrite" ? t("as: {outcome}", { outcome }) : outcome,
  };
}

/** The program that a step ran, and what it printed. */
export function stepCode({ code, output }: AskStep): readonly string[] {
  return [code, output].filter((text): text is string => !!text);
}

/** The question before a page is read whose address the model put together; the address is shown whole, beside it. */
export function permissionText({ host }: AskPermission): string {
  return t("The model asks to read a page of {host}. Its address may hold words of your notes, which are then sent there:", { host });
}

/** What stands below an answer that was stopped after the text `answer`. */
export function stoppedText(answer: string): string {
  return answer ? t("Stopped. This answer is incomplete.") : t("Stopped before an answer was complete.");
}

/** What was sent, and where, before the model answers. */
export function noticeText({ host, model, local, leaves }: AskNotice): string {
  const where = local ? t("Sent to {model} on the server’s computer", { model }) : t("Sent outside the server’s computer, to {model} at {host}", { model, host });
  return `${where}: ${leaves}.`;
}

/** How an answer is supported: numbers without citations mean that the model did not cite properly. */
export function grounding({ answer, grounded, general, cancelled }: AskReply): "cited" | "general" | "uncited" | "missing" | "stopped" {
  if (grounded) return "cited";
  if (cancelled) return "stopped";
  if (general) return "general";
  return /\[\d{1,3}\]/.test(answer) ? "uncited" : "missing";
}

/** Warnings about how far an answer can be trusted; one that was stopped has `stoppedText` instead. */
export function badges(answer: AskReply): [kind: "partial" | "general", text: string][] {
  const all: [kind: "partial" | "general", text: string, holds: boolean][] = [
    ["partial", t("Incomplete"), answer.partial && !answer.cancelled],
    ["general", t("The model’s own knowledge, not your notes"), answer.general],
    ["partial", t("No citations: compare the answer with the sources"), grounding(answer) === "uncited"],
    ["partial", t("A citation without a source was removed"), answer.invalid.length > 0],
  ];
  return all.filter(([, , holds]) => holds).map(([kind, text]) => [kind, text]);
}
