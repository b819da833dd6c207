/** Messages for failures, with advice, and for empty lists. */

import type { ServerError } from "../../src/client";
import { button, h } from "../lib/dom";

const TITLES = {
  unreachable: "The server is not responding",
  timeout: "The server takes too long",
  unauthorized: "This browser is not signed in",
  refused: "The server rejected the request",
  garbage: "Unexpected reply",
} as const;

const ADVICE = {
  unreachable: "Check that it is running and that this device is on its network.",
  timeout: "It may be busy with a first index. Try again in a moment.",
  unauthorized: "Open the sign-in link that the server printed again.",
  refused: "",
  garbage: "A proxy between this page and the server may have replied instead.",
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
