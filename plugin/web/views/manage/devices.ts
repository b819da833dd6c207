/** Lets a phone, another Obsidian or a browser in, by a QR code and a link that work once; which devices have access; the file for phones. */

import type { DevicesReply, DeviceView, PairReply, PairRequest, PhoneIndexReply } from "../../../src/contract";
import { administering } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { ago, bytes as bytesText, day } from "../../lib/format";
import { about, Loader, runAction, sureButton, table, type Panel } from "./panel";
import { Settings } from "./settings";
import { locale, t, tparts } from "../../../src/texts";

type Scope = NonNullable<PairRequest["scope"]>;

export class DevicesPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #phone: PhoneIndexSwitch;
  readonly #list: DeviceList;
  readonly #address: Settings;
  readonly #scope = h("select", { id: "pair-scope" }, h("option", { value: "write" }, t("read and write")), h("option", { value: "read" }, t("read only")));
  readonly #controls = h("div");
  readonly #body = h("div", { class: "panel-body", "aria-live": "polite" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.#phone = new PhoneIndexSwitch(context);
    this.#address = new Settings(context, ["server.public_url"]);
    this.#list = new DeviceList(context, () => this.#drawControls());
    this.el.append(about(t("A link lets a phone, another Obsidian or a browser in, as a device of its own.")), this.#controls, this.#body);
    this.el.append(this.#list.el, this.#phone.el, h("section", {}, h("h3", {}, t("How others reach this server")), this.#address.el));
  }

  show(): void {
    this.#phone.show();
    this.#address.show();
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
    h("h3", {}, t("Make it reachable for a phone")),
    h("p", {}, t("Only this computer reaches the server, so a phone cannot open its links yet.")),
    h(
      "ol",
      {},
      step(t("Install Tailscale on this computer and on the phone. Then, in a terminal here:"), `tailscale serve --bg ${number}`),
      h("li", {}, t("Enter the address that it prints below, as “Address for other devices”, and start the server again.")),
      h("li", {}, t("Come back here and make a link: it has a QR code then.")),
    ),
    h("details", {}, h("summary", {}, t("Without Tailscale, in a home network that you trust")), h("ol", {}, step(t("Stop the server, and start it for the whole network; what is sent is not encrypted:"), `notewell serve --host 0.0.0.0 --port ${number}`))),
    h("p", { class: "faint" }, t("A proxy in front of the server, such as Caddy, gives it a certificate of its own.")),
  );
}

const rights = (): Readonly<Record<DeviceView["scope"], string>> => ({
  read: t("read only"),
  write: t("read and write"),
  admin: t("everything, also these settings"),
});

class DeviceList {
  readonly el = h("section");
  readonly #context: ViewContext;
  readonly #shared: () => void;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  /** `shared` is called once the server says that it lets in others than the program that started it. */
  constructor(context: ViewContext, shared: () => void) {
    this.#context = context;
    this.#shared = shared;
    this.el.append(this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => administering(this.#context).devices(),
      (reply) => this.#draw(reply),
    );
  }

  #draw({ devices, shared }: DevicesReply): Node[] {
    if (!shared) return [h("p", { class: "faint" }, t("This server was started by a program, such as Obsidian, for itself: no other device has access. One that is started with “notewell serve” lets devices in."))];
    this.#shared();
    const title = h("h3", {}, t("Devices with access"));
    if (devices.length === 0) return [title, h("p", { class: "faint" }, t("No device has access of its own yet. This computer always has."))];
    const rows = devices.map((device) => [
      device.current ? t("{name} (this browser)", { name: device.name }) : device.name,
      device.kind === "browser" ? t("browser") : t("app or program"),
      rights()[device.scope],
      day(device.created),
      device.last_used === null ? t("never") : ago(device.last_used),
      this.#endButton(device),
    ]);
    return [title, table(t("Devices with access"), [t("Name"), t("Kind"), t("May"), t("Since"), t("Last used"), t("Change")], rows)];
  }

  #endButton({ id, name, current }: DeviceView): HTMLElement {
    return sureButton(t("End access…"), current ? t("Sign this browser out?") : t("Really end?"), () => void this.#end(id, name), name);
  }

  async #end(id: string, name: string): Promise<void> {
    const ended = async (): Promise<void> => {
      const reply = await administering(this.#context).revokeDevice(id);
      fill(this.#body, ...this.#draw(reply));
    };
    if (!(await runAction(this.#context, t("{name} has no access any more", { name }), ended))) this.show();
  }
}

/** The switch for the file of vectors that phones read where no server answers (docs/phone.md). */
export class PhoneIndexSwitch {
  readonly el = h("section");
  readonly #context: ViewContext;
  readonly #body = h("div");
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(h("h3", {}, t("Meaning on phones without a server")), this.#body);
  }

  /** Nothing where the server is older. */
  show(): void {
    this.el.hidden = !this.#context.has("phone_index");
    if (this.el.hidden) return;
    void this.#loader.load(
      () => this.#context.vaultClient.phoneIndex(),
      (found) => this.#draw(found),
    );
  }

  #draw(found: PhoneIndexReply): (Node | null)[] {
    const mayPress = this.#context.mayAdminister && (found.on || found.expected !== null);
    return [
      h("p", {}, stateText(found)),
      h("p", { class: "faint" }, t("It has the paths of the notes and numbers for their meaning, and no text. What syncs the vault has to copy it too; in Obsidian Sync, switch on “Sync all other types” on both devices.")),
      mayPress ? h("p", { class: "buttons" }, found.on ? this.#delete() : this.#write(found)) : null,
    ];
  }

  #delete(): HTMLElement {
    return button(t("Delete the file"), () => this.#switch(false, t("The file is deleted")), { class: "quiet" });
  }

  /** The first press tells what is written where, the second writes. */
  #write({ place }: PhoneIndexReply): HTMLElement {
    return sureButton(t("Write it…"), t("Really write {place}?", { place }), () => this.#switch(true, t("The file is written, and kept up to date")));
  }

  #switch(on: boolean, done: string): void {
    void runAction(this.#context, done, () => this.#context.vaultClient.switchPhoneIndex(on)).then(() => this.show());
  }
}

function stateText({ on, path, bytes, problem, expected }: PhoneIndexReply): string {
  if (problem) return problem;
  if (on) return bytes === null ? t("On; {path} is written within an hour.", { path }) : t("On: {path} in this vault, {bytes}.", { path, bytes: bytesText(bytes) });
  if (!expected) return t("Off. The notes have no vectors yet.");
  const off = t("Off. About {bytes} would be written into this vault as {path}.", { bytes: bytesText(expected.bytes), path });
  return [off, expected.shortened].filter(Boolean).join(" ");
}
