/** Lets a phone, another Obsidian or a browser in: a QR code and a link that work once. */

import type { PairReply, PairRequest } from "../../../src/contract";
import { administering } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { DeviceList } from "./deviceList";
import { PhoneIndexSwitch } from "./phoneIndex";
import { heading, Loader, type Panel } from "./panel";
import { locale, t, tparts } from "../../../src/texts";

type Scope = NonNullable<PairRequest["scope"]>;

export class DevicesPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #phone: PhoneIndexSwitch;
  readonly #list: DeviceList;
  readonly #scope = h("select", { id: "pair-scope" }, h("option", { value: "write" }, t("read and write")), h("option", { value: "read" }, t("read only")));
  readonly #controls = h("div");
  readonly #body = h("div", { class: "panel-body", "aria-live": "polite" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.#phone = new PhoneIndexSwitch(context);
    this.#list = new DeviceList(context, () => this.#drawControls());
    this.el.append(heading(t("Devices"), t("A link lets a phone, another Obsidian or a browser in, as a device of its own.")), this.#controls, this.#body);
    this.el.append(this.#list.el, this.#phone.el);
  }

  show(): void {
    this.#phone.show();
    if (!this.#context.mayAdminister) fill(this.#controls, h("p", {}, ...tparts("Only an administrator makes links. On the server’s computer: {command}.", { command: h("code", {}, "notewell pair") })));
    else if (this.#context.has("devices")) this.#list.show();
    else this.#drawControls();
  }

  /** A link that was shown is not kept for the next visit. */
  leave(): void {
    fill(this.#body);
  }

  #drawControls(): void {
    fill(
      this.#controls,
      h("p", { class: "pair-choice" }, h("label", { for: "pair-scope" }, t("The device may"), " "), this.#scope, " ", button(t("Make a link"), () => void this.#make(), { class: "primary" })),
    );
  }

  #make(): Promise<void> {
    const scope: Scope = this.#scope.value === "read" ? "read" : "write";
    return this.#loader.load(() => administering(this.#context).pair(scope, location.origin), (made) => [...drawn(made), this.#cancel()]);
  }

  /** Ends the link that is shown, and every other one that nobody used. */
  #cancel(): HTMLElement {
    const end = async (): Promise<void> => {
      await this.#loader.load(
        () => administering(this.#context).cancelPairing(),
        ({ cancelled }) => [h("p", {}, cancelled > 0 ? t("The link is not valid any more.") : t("The link was used, or its time was over, before."))],
      );
    };
    return h("p", {}, button(t("Cancel the link"), () => void end()));
  }
}

/**
 * What is shown of a link; only an `obsidian:` and a web address become links to click. For an address that no other
 * device reaches there is no QR code, but what to do; its links lead to where this page reaches the server, `here`.
 */
export function drawn(made: Pick<PairReply, "url" | "obsidian" | "expires" | "qr" | "loopback">, here = location.origin): (Node | null)[] {
  const time = new Date(made.expires).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });
  const { url, obsidian } = made.loopback ? movedTo(here, made) : made;
  const links = [
    h("p", { class: "pair-link" }, h("strong", {}, t("Browser"), " "), h("code", {}, url)),
    h("p", { class: "pair-link" }, h("strong", {}, "Obsidian "), h("code", {}, obsidian)),
  ];
  if (made.loopback) return [reachable(here), h("p", {}, t("For another browser or Obsidian on this computer, this works once, until {time}:", { time })), ...links];
  return [
    h("img", { class: "pair-code", src: made.qr, alt: t("QR code of the link for a browser"), width: 240, height: 240 }),
    h("p", {}, t("Scan it with the phone’s camera, or open a link on the device. It works once, until {until}.", { until: time })),
    ...links,
  ];
}

/** The links of a reply, for another address of the same server. */
function movedTo(here: string, { url, obsidian }: Pick<PairReply, "url" | "obsidian">): Pick<PairReply, "url" | "obsidian"> {
  const before = new URL(url).origin;
  return { url: url.replace(before, here), obsidian: obsidian.replace(encodeURIComponent(before), encodeURIComponent(here)) };
}

/** What makes a server of this computer alone reachable for a phone. */
function reachable(here: string): HTMLElement {
  const { port, protocol } = new URL(here);
  const number = port || (protocol === "https:" ? "443" : "80");
  const step = (text: string, command: string): HTMLElement => h("li", {}, text, h("pre", { tabindex: "0" }, h("code", {}, command)));
  return h(
    "section",
    { class: "pair-warning" },
    h("h2", {}, t("Make it reachable for a phone")),
    h("p", {}, t("Only this computer reaches the server, so a phone cannot open its links yet.")),
    h(
      "ol",
      {},
      step(t("Install Tailscale on this computer and on the phone. Then, in a terminal here:"), `tailscale serve --bg ${number}`),
      h("li", {}, ...tparts("Enter the address that it prints as {setting}, and restart the server.", { setting: h("a", { href: "#/manage/config" }, t("Address for other devices")) })),
      h("li", {}, t("Come back here and make a link: it has a QR code then.")),
    ),
    h("details", {}, h("summary", {}, t("Without Tailscale, in a home network that you trust")), h("ol", {}, step(t("Stop the server, and start it for the whole network; what is sent is not encrypted:"), `notewell serve --host 0.0.0.0 --port ${number}`))),
    h("p", { class: "faint" }, t("docs/home-server.md has other ways, with certificates.")),
  );
}
