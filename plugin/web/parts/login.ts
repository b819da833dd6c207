/** The sign-in page: with the link that the server printed, or with its token. */

import { fill, h } from "../lib/dom";
import { mark } from "../lib/icons";

export function showLogin(root: HTMLElement): void {
  const field = h("input", {
    id: "token",
    type: "password",
    autocomplete: "current-password",
    autocapitalize: "none",
    spellcheck: "false",
    required: true,
  });
  const form = h(
    "form",
    { class: "login", on: { submit: (event: SubmitEvent) => signIn(event, field.value.trim()) } },
    h("label", { for: "token" }, "Token"),
    h("div", { class: "login-row" }, field, h("button", { class: "primary" }, "Sign in")),
    h(
      "p",
      { class: "faint" },
      "On the server’s machine, ",
      h("code", {}, "notewell token show"),
      " prints the token. The link that ",
      h("code", {}, "notewell serve"),
      " prints signs in without it.",
    ),
  );
  const title = h("h1", {}, mark(), "Notewell");
  fill(root, h("main", { class: "alone" }, title, h("p", {}, "Sign in to search your notes."), form));
  field.focus();
}

/** Loads the page with the token; the server sets a cookie that scripts cannot read, and redirects back. */
function signIn(event: SubmitEvent, token: string): void {
  event.preventDefault();
  if (token) location.replace(`/?token=${encodeURIComponent(token)}${location.hash}`);
}
