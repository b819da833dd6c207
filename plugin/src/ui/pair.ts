/** Follows a pairing link: asks, exchanges its code for a token, and connects. */

import { Notice, type App, type Plugin } from "obsidian";
import { asServerError, type Client, type Endpoint } from "../client";
import { deviceName, pairingOffer, pairingParts, pairingQuestion, secretName } from "../pairing";
import type { Settings } from "../settings";
import { confirm } from "./dialogs";
import { t } from "../texts";

export interface PairParts {
  readonly app: App;
  readonly settings: Settings;
  /** A client of the server at an address, without a token. */
  readonly open: (url: string) => Client;
}

/** Nothing is sent, and no setting changes, unless the user agrees and the server takes the code. */
export async function followPairingLink(
  { app, settings, open }: PairParts,
  given: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const offer = pairingOffer(given);
  if (!offer) {
    new Notice(t("This pairing link is not complete. Make a new one on the server's computer."));
    return;
  }
  await settings.load(); // a link may start the app
  const device = deviceName(app.vault.getName());
  if (!(await confirm(app, pairingQuestion(offer, device, present(settings))))) return;
  try {
    const { token } = await open(offer.url).redeem(offer.code, device);
    const { secretStorage } = app;
    const name = secretName(offer, (known) => secretStorage.getSecret(known) !== null);
    secretStorage.setSecret(name, token);
    await settings.set("tokenName", name);
    await settings.set("address", offer.url);
    await settings.set("remoteVault", "");
    await settings.set("mode", "remote");
    new Notice(t("Connected as “{device}”.", { device }));
  } catch (error) {
    new Notice(t("Pairing failed: {message}", { message: asServerError(error).message }));
  }
}

/** The connection that pairing would replace; null where there is none. */
function present({ chosen }: Settings): string | null {
  if (chosen.mode === "local") return t("the server on this computer");
  return chosen.mode === "remote" && chosen.address ? chosen.address : null;
}

/** Registers the links of `notewell pair`. Returns what follows a link that is pasted instead of opened. */
export function takePairingLinks(
  plugin: Plugin,
  settings: Settings,
  open: (endpoint: Endpoint) => Client,
): (link: string) => Promise<void> {
  const parts = { app: plugin.app, settings, open: (url: string): Client => open({ url, token: "" }) };
  plugin.registerObsidianProtocolHandler("notewell-pair", (given) => void followPairingLink(parts, given));
  return (link) => followPairingLink(parts, pairingParts(link));
}
