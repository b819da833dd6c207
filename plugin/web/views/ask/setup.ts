/** Messages where there is no answer, and ways to set up a language model. */

import type { ServerError } from "../../../src/client";
import type { ViewContext } from "../../app/viewContext";
import { button, h } from "../../lib/dom";
import { localPrograms } from "../../parts/languageModel";
import { t, tparts } from "../../../src/texts";

/** What to do where no language model is set up; `problem` is the server's description of what is missing. */
export function setup(context: ViewContext, problem: string, retry: () => void): HTMLElement {
  const mayChoose = context.mayAdminister && context.has("ask_setup");
  return h(
    "section",
    { class: "ask-setup", "aria-label": t("Setting up") },
    h("h2", {}, t("No language model is set up")),
    h("p", {}, t("With one, answers are written from your notes, and cite them. Nothing is sent to one before somebody chose it.")),
    mayChoose ? localPrograms(context, retry) : h("p", {}, ...tparts("Only an administrator chooses one: in Settings, or on the server’s computer with {command}", { command: h("code", {}, "notewell config set ask.provider NAME") })),
    mayChoose ? h("p", {}, h("a", { href: context.to("manage", {}, "answers") }, t("Choose a service instead"))) : null,
    h("details", {}, h("summary", {}, t("Details")), h("p", { class: "faint" }, problem)),
    button(t("Look again"), retry, { class: "quiet" }),
  );
}

interface Trouble {
  readonly title: string;
  readonly advice: string;
}

const byCode = (): Readonly<Record<string, Trouble>> => ({
  ask_off: { title: t("No language model is set up"), advice: "" },
  bad_config: { title: t("The language model is not set up correctly"), advice: "" },
  provider_key: { title: t("The language model rejected the key"), advice: "" },
  no_model: { title: t("The provider has no suitable model"), advice: "" },
  provider_failed: { title: t("The language model is not responding"), advice: t("Check that it is running. Searching works without it.") },
  conversation_not_found: { title: t("This conversation is no longer stored"), advice: t("Your next question starts a new one.") },
});
const rateLimited = (): Trouble => ({ title: t("Too many questions"), advice: t("Wait a little, then ask again.") });
const other = (): Trouble => ({ title: t("No answer"), advice: "" });

/** Why there is no answer. `code` is the server's error code. */
export function troubleOf(code: string, detail: string): Trouble {
  if (code === "rate_limited" || /status 429\b/.test(detail)) return rateLimited();
  return byCode()[code] ?? other();
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
    button(t("Ask again"), retry, { class: "quiet" }),
  );
}
