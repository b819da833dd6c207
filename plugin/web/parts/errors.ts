/** Messages for failures, with the next step, and for empty lists. */

import type { ServerError } from "../../src/client";
import { button, h } from "../lib/dom";
import { t } from "../../src/texts";

interface Told {
  readonly title: string;
  /** What to do; without it, the server's own words. */
  readonly advice?: string;
}

const byKind = (): Readonly<Record<ServerError["kind"], Told>> => ({
  unreachable: {
    title: t("The server is not running, or out of reach"),
    advice: t("Start it on its machine with “notewell serve”, or “make run” in the repository. From another device, check the network."),
  },
  timeout: { title: t("The server takes too long"), advice: t("It may be busy with a first index. Try again in a moment.") },
  unauthorized: {
    title: t("This browser is not signed in"),
    advice: t("Open the link that “notewell serve” prints, or reload this page and sign in with the token."),
  },
  refused: { title: t("The server rejected the request") },
  garbage: { title: t("Unexpected reply"), advice: t("A proxy between this page and the server may have replied instead.") },
});

/** What is said by the status alone. */
export const byStatus = (): Readonly<Record<number, Told>> => ({
  403: { title: t("This browser may not do that") },
  404: { title: t("Not found") },
  409: { title: t("It has changed in the meantime") },
  429: { title: t("Too many requests") },
  503: { title: t("The server is busy"), advice: t("It answers others first. Try again in a moment.") },
  504: { title: t("The server takes too long") },
});

/** What is said of a failure. */
export function told(error: ServerError): { readonly title: string; readonly advice: string } {
  const { title, advice } = (error.kind === "refused" ? byStatus()[error.status] : undefined) ?? byKind()[error.kind];
  return { title, advice: advice ?? error.message };
}

/** `level` is that of its heading: a section of a page has a heading above it. */
export function errorBox(error: ServerError, retry: () => void, level: "h1" | "h3" = "h1"): HTMLElement {
  const { title, advice } = told(error);
  return h(
    "div",
    { class: "note-box", role: "alert" },
    h(level, {}, title),
    h("p", {}, advice),
    button(error.kind === "unauthorized" ? t("Sign in") : t("Try again"), error.kind === "unauthorized" ? () => location.reload() : retry, { class: "quiet" }),
  );
}

/** A message in place of an empty list. */
export function emptyBox(title: string, text: string, ...more: (Node | null)[]): HTMLElement {
  return h("div", { class: "empty" }, h("h1", {}, title), h("p", {}, text), ...more);
}
