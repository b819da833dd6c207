/** The sign-in page: with the link that the server printed, or with its token. */

import { fill, h } from "../lib/dom";
import { mark } from "../lib/icons";
import type { Refusal, Secret } from "../app/signIn";
import { t, tparts } from "../../src/texts";

/** What is said where signing in failed, and what to do then. */
export const refusals = (): Readonly<Record<Refusal, { readonly what: string; readonly next: string }>> => ({
  token: {
    what: t("This token is not the server’s."),
    next: t("It may have been renewed, or a part of it was not copied. Copy it again on the server’s machine."),
  },
  code: {
    what: t("This link has expired or was used already."),
    next: t("A link for a device works once. Make a new one on the server’s machine, or sign in with its token."),
  },
});

/** Shows the page for signing in; `refused` is what was tried before. */
export function showLogin(root: HTMLElement, enter: (secret: Secret) => void, refused: Refusal | null = null): void {
  const field = h("input", {
    id: "token",
    type: "password",
    autocomplete: "current-password",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
    "aria-describedby": refused ? "refused" : null,
    "aria-invalid": refused === "token" ? "true" : null,
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const value = field.value.trim();
    if (value) enter({ how: "token", value });
  };
  const form = h(
    "form",
    { class: "login", on: { submit } },
    h("label", { for: "token" }, t("Token")),
    h("div", { class: "login-row" }, field, h("button", { class: "primary" }, t("Sign in"))),
    h(
      "p",
      { class: "faint" },
      ...tparts("On the server’s machine, {show} prints the token. The link that {serve} prints signs in without it.", {
        show: h("code", {}, "notewell token show"),
        serve: h("code", {}, "notewell serve"),
      }),
    ),
  );
  const title = h("h1", {}, mark(), "Notewell");
  const told = refused && refusals()[refused];
  const problem = told && h("div", { class: "refusal", id: "refused", role: "alert" }, h("strong", {}, told.what), h("p", {}, told.next));
  fill(root, h("main", { class: "alone" }, title, h("p", {}, t("Sign in to search your notes.")), problem, form));
  field.focus();
}
