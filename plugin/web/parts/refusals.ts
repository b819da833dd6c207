/** Why a write, or another change, was refused, and the next step, in plain words. */

import type { ServerError } from "../../src/client";
import { byStatus, told } from "./errors";
import { t } from "../../src/texts";

/** Why something was not done, and the next step, in plain words. */
const refused = (): Readonly<Record<string, readonly [what: string, next: string]>> => ({
  read_only: [t("The server may not write to this vault."), t("Start it without --read-only, or write in Obsidian.")],
  scope_required: [t("This browser may only read."), t("Sign in with the link that “notewell serve” prints, or with another link for devices.")],
  note_changed: [t("The note changed in the meantime."), t("Look at it again, then repeat what you did.")],
  protected: [t("This note is protected."), t("Write to another one, or change it in Obsidian.")],
  write_failed: [t("The note could not be written."), t("Look whether the disk of the server’s computer is full or the folder is locked, and try again.")],
  outside_vault: [t("This place lies outside the vault."), t("Choose a name within it.")],
  bad_name: [t("No file can have this name."), t("Choose one without \\ : * ? \" < > | and without a dot at the end.")],
  provider_key: [t("The service does not accept the key."), t("Make a new one there, and enter it again.")],
  keyring_refused: [t("The keyring of the server’s computer did not store the key."), t("Unlock it there, or set NOTEWELL_ASK_KEY where the server starts.")],
  missing_extra: [t("The server’s computer cannot store keys."), t("Install the extra “keyring” there, or set NOTEWELL_ASK_KEY where the server starts.")],
  consent_required: [t("Nobody agreed to send notes there."), t("Read where they would go, and tick the box.")],
  web_off: [t("The server may not read web pages."), t("An administrator allows it in Settings, Engine.")],
  mirror_unwritable: [t("The server’s copy of this vault cannot be written."), t("Look whether its disk is full.")],
});

/** One line on why something was refused, with the next step. */
export function refusalOf(error: ServerError): string {
  const known = refused()[error.code];
  if (known) return known.join(" ");
  if (error.kind === "refused" && !byStatus()[error.status]) return error.message;
  const { title, advice } = told(error);
  return `${title}. ${advice}`;
}
