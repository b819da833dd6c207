/** The link that lets a device in: `#/pair?code=…&name=…&scope=…`. Anybody can write one, so it is checked. */

import { t } from "../../src/texts";

const CODE = /^[\w-]{16,100}$/;
const NAME_CHARS = 64;

export interface PairingLink {
  readonly code: string;
  /** What the link calls the server's computer. */
  readonly name: string;
  readonly scope: "read" | "write";
}

/** The pairing link in a fragment; null where it is none. */
export function pairingLink(hash: string): PairingLink | null {
  const match = /^#\/pair\?(.*)$/.exec(hash);
  if (!match) return null;
  const given = new URLSearchParams(match[1]);
  const code = given.get("code") ?? "";
  if (!CODE.test(code)) return null;
  const scope = given.get("scope") === "read" ? "read" : "write";
  return { code, name: plain(given.get("name") ?? ""), scope };
}

/** Text that somebody else chose, on one line and without characters that reorder it. */
function plain(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, " ").trim().slice(0, NAME_CHARS);
}

/** What signs this browser in by the code, under a name. */
export function secretOf({ code }: PairingLink, device: string): { readonly how: "code"; readonly value: string; readonly name: string } {
  return { how: "code", value: code, name: plain(device) || "Browser" };
}

/** A first name for this browser's device, which a person may change. */
export function deviceName(isTouched: boolean): string {
  return isTouched ? t("Browser on a phone") : t("Browser on a computer");
}
