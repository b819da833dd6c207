/** Messages where there is no answer, and instructions for setting up a language model. */

import type { ServerError } from "../../../src/client";
import { button, h } from "../../lib/dom";

const OLLAMA = "ollama pull qwen3";
const SETTINGS = `[ask]
provider = "openai"
base_url = "http://127.0.0.1:11434/v1"
model = "qwen3"`;

/** Instructions for setting up a language model; `problem` is the server's description of what is missing. */
export function setup(problem: string, retry: () => void): HTMLElement {
  return h(
    "section",
    { class: "ask-setup", "aria-label": "Setting up" },
    h("h2", {}, "No language model is set up"),
    h("p", {}, problem),
    h("p", {}, "With Ollama everything stays on the server’s computer. Get a model that can use tools:"),
    code(OLLAMA),
    h("p", {}, "Then set it in the file that ", h("code", {}, "notewell config path"), " shows, and restart the server:"),
    code(SETTINGS),
    h("p", { class: "faint" }, "docs/ask.md describes other providers and where to store keys. For safety, the receiver of notes can only be set on the server’s computer."),
    button("Check again", retry, { class: "quiet" }),
  );
}

function code(text: string): HTMLElement {
  return h("pre", { tabindex: "0" }, h("code", {}, text));
}

interface Trouble {
  readonly title: string;
  readonly advice: string;
}

const BY_CODE: Readonly<Record<string, Trouble>> = {
  ask_off: { title: "No language model is set up", advice: "" },
  bad_config: { title: "The language model is not set up correctly", advice: "" },
  provider_key: { title: "The language model rejected the key", advice: "" },
  no_model: { title: "The provider has no suitable model", advice: "" },
  provider_failed: { title: "The language model is not responding", advice: "Check that it is running. Searching works without it." },
  conversation_not_found: { title: "This conversation is no longer stored", advice: "Your next question starts a new one." },
};
const RATE_LIMITED: Trouble = { title: "Too many questions", advice: "Wait a little, then ask again." };
const OTHER: Trouble = { title: "No answer", advice: "" };

/** Why there is no answer. `code` is the server's error code. */
export function troubleOf(code: string, detail: string): Trouble {
  if (code === "rate_limited" || /status 429\b/.test(detail)) return RATE_LIMITED;
  return BY_CODE[code] ?? OTHER;
}

/** The error code for a failed request. */
export function codeOf(error: ServerError): string {
  if (error.status === 429) return "rate_limited";
  return error.kind === "refused" && error.status === 400 ? "bad_config" : "";
}

export function troubleBox({ title, advice }: Trouble, detail: string, retry: () => void): HTMLElement {
  return h(
    "div",
    { class: "note-box", role: "alert" },
    h("h3", {}, title),
    h("p", {}, detail),
    advice && h("p", {}, advice),
    button("Ask again", retry, { class: "quiet" }),
  );
}
