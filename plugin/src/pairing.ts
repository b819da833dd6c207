/** A pairing link, `obsidian://notewell-pair?url=…&code=…`. Anybody can write one, so it is checked. */

import { object, text } from "./shape";
import { t } from "./texts";

const ADDRESS = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?\/?$/i;
const CODE = /^[\w-]{16,100}$/;
const LOOPBACK = /^(localhost|127\.[0-9.]+|\[::1\])$/;
const NAME_CHARS = 58; // the server may add a number

export interface PairingOffer {
  /** The server's address: a scheme, a host and perhaps a port, nothing else. */
  readonly url: string;
  readonly code: string;
  /** What the link calls the server's computer. */
  readonly name: string;
}

/** The new device's token; it is shown only once. */
export const redeemed = object({ token: text, device: text });

/** The offer in a link; null where it is not one. */
export function pairingOffer(given: Readonly<Record<string, string | undefined>>): PairingOffer | null {
  const { url = "", code = "", name = "" } = given;
  if (!ADDRESS.test(url) || !URL.canParse(url) || !CODE.test(code)) return null;
  return { url: new URL(url).origin, code, name: plain(name) };
}

/** What a whole link gives, as the app passes it on when the link is opened; nothing where it is none. */
export function pairingParts(link: string): Readonly<Record<string, string>> {
  const [, query = ""] = /^obsidian:\/\/notewell-pair\/?\?(.*)$/i.exec(link.trim()) ?? [];
  return Object.fromEntries(new URLSearchParams(query));
}

/** Title, text and button of the question before anything is sent; `current` is the address in use. */
export function pairingQuestion(offer: PairingOffer, device: string, current: string | null): [string, string, string] {
  const { host, protocol, hostname } = new URL(offer.url);
  const sentences = [
    t("A link offers the Notewell server at {host}.", { host }),
    offer.name && t("The link calls it “{name}”.", { name: offer.name }),
    t("If you agree, the link's one-time code and the name “{device}” are sent there now, and what you search for later. " + "The text of notes is sent only after another question.", { device }),
    protocol === "http:" && !LOOPBACK.test(hostname) && t("The connection is not encrypted: agree only in a network that you trust."),
    current && t("It replaces the present connection: {current}.", { current }),
    t("Agree only if you made this link yourself."),
  ];
  return [t("Connect to {host}?", { host }), sentences.filter(Boolean).join(" "), current ? t("Replace and connect") : t("Connect")];
}

/** What this Obsidian is called in the server's list of devices. */
export function deviceName(vault: string): string {
  return plain(`Obsidian ${vault}`).slice(0, NAME_CHARS);
}

/** A name for the token that is not taken, as the secret storage wants it. */
export function secretName({ url }: PairingOffer, isTaken: (name: string) => boolean): string {
  const base = `notewell-${new URL(url).host.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}`.slice(0, 50);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** Text that somebody else chose, on one line and without characters that reorder it. */
function plain(given: string): string {
  return given.replace(/[\p{C}\p{Z}]+/gu, " ").trim().slice(0, 64);
}
