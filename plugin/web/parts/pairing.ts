/** The page that a pairing link opens: which server it is, what the device may do, and a button. */

import { fill, h } from "../lib/dom";
import { mark } from "../lib/icons";
import { deviceName, redeemAddress, type PairingLink } from "../lib/pairing";

/** Shows the page; `session` is who this browser is signed in as already. Nothing is sent before the click. */
export function showPairing(root: HTMLElement, link: PairingLink, session: string | null, open: (address: string) => void): void {
  const name = h("input", { id: "device", maxlength: 58, required: true, autocomplete: "off", value: deviceName(navigator.userAgent) });
  const named = link.name ? h("p", {}, "The link calls this server ", h("bdi", {}, `“${link.name}”`), ".") : null;
  const rights = link.scope === "read" ? "search and read your notes" : "search and read your notes, send changes and have them read again";
  const already = session === null ? null : h("p", { class: "refusal", role: "note" }, `This browser is signed in already, as “${session}”. Signing in again replaces that.`);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    open(redeemAddress(link, name.value));
  };
  fill(
    root,
    h(
      "main",
      { class: "alone" },
      h("h1", {}, mark(), "Notewell"),
      h("p", {}, "Let this browser use the server at ", h("strong", {}, location.host), "?"),
      named,
      h("p", {}, `It may then ${rights}, until an administrator takes that away.`),
      already,
      h(
        "form",
        { class: "login", on: { submit } },
        h("label", { for: "device" }, "Name of this device"),
        h("div", { class: "login-row" }, name, h("button", { class: "primary" }, "Sign in")),
        h("p", { class: "faint" }, "The code of the link and this name are sent to the server. The link works once."),
      ),
      h("p", {}, h("a", { href: "#/search" }, session === null ? "Cancel" : "Stay as it is")),
    ),
  );
}
