/** Why a write, or another change, was refused, and the next step, in plain words. */

import type { ServerError } from "../../src/client";
import { BY_STATUS, told } from "./errors";

/** Why something was not done, and the next step, in plain words. */
const REFUSED: Readonly<Record<string, readonly [what: string, next: string]>> = {
  read_only: ["The server may not write to this vault.", "Start it without --read-only, or write in Obsidian."],
  scope_required: ["This browser may only read.", "Sign in with the link that “notewell serve” prints, or with another link for devices."],
  note_changed: ["The note changed in the meantime.", "Look at it again, then repeat what you did."],
  protected: ["This note is protected.", "Write to another one, or change it in Obsidian."],
  write_failed: ["The note could not be written.", "Look whether the disk of the server’s computer is full or the folder is locked, and try again."],
  outside_vault: ["This place lies outside the vault.", "Choose a name within it."],
  bad_name: ["No file can have this name.", "Choose one without \\ : * ? \" < > | and without a dot at the end."],
  provider_key: ["The service does not accept the key.", "Make a new one there, and enter it again."],
  keyring_refused: ["The keyring of the server’s computer did not store the key.", "Unlock it there, or set NOTEWELL_ASK_KEY where the server starts."],
  missing_extra: ["The server’s computer cannot store keys.", "Install the extra “keyring” there, or set NOTEWELL_ASK_KEY where the server starts."],
  consent_required: ["Nobody agreed to send notes there.", "Read where they would go, and tick the box."],
  web_off: ["The server may not read web pages.", "An administrator allows it in Manage, Settings."],
  mirror_unwritable: ["The server’s copy of this vault cannot be written.", "Look whether its disk is full."],
};

/** One line on why something was refused, with the next step. */
export function refusalOf(error: ServerError): string {
  const known = REFUSED[error.code];
  if (known) return known.join(" ");
  if (error.kind === "refused" && !BY_STATUS[error.status]) return error.message;
  const { title, advice } = told(error);
  return `${title}. ${advice}`;
}
