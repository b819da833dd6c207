/** The page that a pairing link opens: which server it is, what the device may do, and a button. */

import { fill, h } from "../lib/dom";
import { mark } from "../lib/icons";
import type { Secret } from "../app/signIn";
import { deviceName, secretOf, type PairingLink } from "../lib/pairing";
import { t, tparts } from "../../src/texts";

/** Shows the page; `session` is who this browser is signed in as already. Nothing is sent before the click. */
export function showPairing(root: HTMLElement, link: PairingLink, session: string | null, enter: (secret: Secret) => void): void {
  const name = h("input", { id: "device", maxlength: 58, required: true, autocomplete: "off", value: deviceName(matchMedia("(pointer: coarse)").matches) });
  const named = link.name ? h("p", {}, ...tparts("The link calls this server {name}.", { name: h("bdi", {}, `“${link.name}”`) })) : null;
  const rights =
    link.scope === "read"
      ? t("It may then search and read your notes, until an administrator takes that away.")
      : t("It may then search and read your notes, send changes and have them read again, until an administrator takes that away.");
  const already = session === null ? null : h("p", { class: "refusal", role: "note" }, t("This browser is signed in already, as “{session}”. Signing in again replaces that.", { session }));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    enter(secretOf(link, name.value));
  };
  fill(
    root,
    h(
      "main",
      { class: "alone" },
      h("h1", {}, mark(), "Notewell"),
      h("p", {}, ...tparts("Let this browser use the server at {host}?", { host: h("strong", {}, location.host) })),
      named,
      h("p", {}, rights),
      already,
      h(
        "form",
        { class: "login", on: { submit } },
        h("label", { for: "device" }, t("Name of this device")),
        h("div", { class: "login-row" }, name, h("button", { class: "primary" }, t("Sign in"))),
        h("p", { class: "faint" }, t("The code of the link and this name are sent to the server. The link works once.")),
      ),
      h("p", {}, h("a", { href: "#/search" }, session === null ? t("Cancel") : t("Stay as it is"))),
    ),
  );
}
