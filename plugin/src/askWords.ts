/** Words for what happens while a question is answered, the same in the plugin and in the pages. */

import type { AskStep } from "./contract";

const TOOLS: Readonly<Record<string, string>> = {
  rewrite: "Understood",
  context: "Looked for",
  search: "Searched",
  read: "Read",
  neighbors: "Followed links of",
  read_web_page: "Read the page",
  search_web: "Searched the web for",
};

/** A step as what was done, with what, and what came of it. */
export function stepWords({ tool, about, outcome }: AskStep): { readonly did: string; readonly subject: string; readonly result: string } {
  return {
    did: TOOLS[tool] ?? tool.replaceAll("_", " "),
    subject: about.startsWith(`${tool}: `) ? about.slice(tool.length + 2) : about,
    result: tool === "rewrite" ? `as: ${outcome}` : outcome,
  };
}

/** What stands below an answer that was stopped after the text `answer`. */
export function stoppedText(answer: string): string {
  return answer ? "Stopped. This answer is incomplete." : "Stopped before an answer was complete.";
}
