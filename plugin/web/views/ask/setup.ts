/** What to say where no answer came, and what to do about it. */

import type { ServerError } from "../../../src/client";
import { button, h } from "../../lib/dom";

const OLLAMA = "ollama pull qwen3";
const SETTINGS = `[ask]
provider = "openai"
base_url = "http://127.0.0.1:11434/v1"
model = "qwen3"`;

/** How a language model is set up; `said` is the server's word on what is missing. */
export function setup(said: string, retry: () => void): HTMLElement {
  return h(
    "section",
    { class: "ask-setup", "aria-label": "Setting up" },
    h("h2", {}, "No language model is set up"),
    h("p", {}, said),
    h("p", {}, "With Ollama everything stays on the server’s computer. Get a model that can use tools:"),
    code(OLLAMA),
    h("p", {}, "Then name it in the file that ", h("code", {}, "notewell config path"), " shows, and start the server again:"),
    code(SETTINGS),
    h("p", { class: "faint" }, "Other programs and services, and where keys go: docs/ask.md. This cannot be set from here: whom notes are sent to is decided on the server’s own computer."),
    button("Look again", retry, { class: "quiet" }),
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
  bad_config: { title: "The language model is not set up rightly", advice: "" },
  provider_key: { title: "The language model refuses the key", advice: "" },
  no_model: { title: "The provider offers no model for this", advice: "" },
  provider_failed: { title: "The language model does not answer", advice: "Is it running? Searching works without it." },
  conversation_not_found: { title: "This conversation is no longer kept", advice: "What you ask now begins a new one." },
};
const PATIENCE: Trouble = { title: "Too many questions for now", advice: "Wait a little, then ask again." };
const OTHER: Trouble = { title: "There is no answer", advice: "" };

/** Why there is no answer. `code` is the server's word for the kind of failure. */
export function troubleOf(code: string, detail: string): Trouble {
  if (code === "rate_limited" || /status 429\b/.test(detail)) return PATIENCE;
  return BY_CODE[code] ?? OTHER;
}

/** The same for a failure on the way to the server, or of the server's own. */
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
