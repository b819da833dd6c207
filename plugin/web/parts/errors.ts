/** Messages for failures, with advice, and for empty lists. */

import type { ServerError } from "../../src/client";
import { button, h } from "../lib/dom";

const TITLES = {
  unreachable: "The server does not answer",
  timeout: "The server takes too long",
  unauthorized: "This browser is not signed in",
  refused: "The server refuses",
  garbage: "Not an answer of Notewell",
} as const;

const ADVICE = {
  unreachable: "Is it running, and is this device in its network?",
  timeout: "It may be busy with a first index. Try again in a moment.",
  unauthorized: "Open the link that the server printed once more.",
  refused: "",
  garbage: "Something between this page and the server may have answered instead.",
} as const;

export function errorBox(error: ServerError, retry: () => void): HTMLElement {
  const advice = error.kind === "refused" ? error.message : ADVICE[error.kind];
  return h(
    "div",
    { class: "note-box", role: "alert" },
    h("h2", {}, TITLES[error.kind]),
    h("p", {}, advice),
    button("Try again", retry, { class: "quiet" }),
  );
}

/** A message in place of an empty list. */
export function emptyBox(title: string, text: string, ...more: (Node | null)[]): HTMLElement {
  return h("div", { class: "empty" }, h("h2", {}, title), h("p", {}, text), ...more);
}
