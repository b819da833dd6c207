/** Where this vault's server is: started on this computer, or at an address a person entered. */

import type { Absence, Target } from "./connection";
import type { Launcher } from "./launcher";
import { findProgram, type Machine } from "./program";
import type { Settings } from "./settings";
import { Timer } from "./timer";

export interface ServerParts {
  readonly settings: Settings;
  readonly launcher: Launcher;
  readonly machine: () => Promise<Machine | null>;
  readonly secret: (name: string) => string | null;
  readonly vaultName: string;
  /** The vault's folder on this computer; null where there is none, as on phones. */
  readonly folder: string | null;
}

const SERVER_SETTINGS = ["mode", "program", "autostart", "address", "tokenName", "remoteVault"];
const TYPING_RESTED_MS = 800;

export class Server {
  readonly #parts: ServerParts;
  #isWanted: boolean | null = null; // null: as the settings say

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /**
   * A person wants the server on this computer to run. `isAgreed`: having been told what that
   * means; without it nothing is started yet, but a missing program is looked for.
   */
  start(isAgreed: boolean): void {
    const { settings, launcher } = this.#parts;
    this.#isWanted = true;
    launcher.forgive();
    if (isAgreed && !settings.device.startAgreed) settings.setDevice("startAgreed", true);
    if (settings.device.mode !== "local") settings.setDevice("mode", "local");
  }

  stop(): void {
    this.#isWanted = false;
    this.#parts.launcher.stop();
  }

  /** Whether a server on this computer would be for this vault at all. */
  get isPossibleHere(): boolean {
    return this.#parts.folder !== null;
  }

  /** The installed program; null where there is none. */
  async program(): Promise<string | null> {
    const machine = await this.#parts.machine();
    return machine && findProgram(this.#parts.settings.device.program, machine);
  }

  /** Calls `changed` when the settings name another server; not at every key that is typed. */
  follow(changed: () => void): () => void {
    const { settings, launcher } = this.#parts;
    const timer = new Timer();
    const stop = settings.subscribe((name) => {
      if (!SERVER_SETTINGS.includes(name)) return;
      timer.set(TYPING_RESTED_MS, () => {
        if (settings.device.mode !== "local" || name === "program") launcher.stop();
        changed();
      });
    });
    return () => {
      stop();
      timer.clear();
    };
  }

  async find(starting: () => void): Promise<Target | Absence> {
    switch (this.#parts.settings.device.mode) {
      case "unset":
        return absent("not-set-up");
      case "remote":
        return this.#remote();
      case "local":
        return this.#local(starting);
    }
  }

  #remote(): Target | Absence {
    const { settings, secret, vaultName } = this.#parts;
    const { address, tokenName, remoteVault } = settings.device;
    const url = serverUrl(address);
    if (url === null) return absent("not-set-up");
    const token = (tokenName && secret(tokenName)) || "";
    return { endpoint: { url, token }, vault: { word: remoteVault || vaultName } };
  }

  async #local(starting: () => void): Promise<Target | Absence> {
    const { settings, launcher, folder, vaultName } = this.#parts;
    if (folder === null) return absent("not-set-up");
    if (this.#isWanted === false) return absent("stopped");
    const program = await this.program();
    if (program === null) return absent("not-installed");
    if (!settings.device.startAgreed) return absent("needs-consent");
    if (!this.#isWanted && !settings.device.autostart) return absent("stopped");
    starting();
    return launcher.target({ program, folder, vaultName });
  }
}

/** `host:port` or a whole address, as one without a last slash; null where it makes no sense. */
export function serverUrl(written: string): string | null {
  const trimmed = written.trim();
  if (!trimmed) return null;
  try {
    const url = new URL(/^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
    return url.origin + url.pathname.replace(/\/+$/, "");
  } catch {
    return null;
  }
}

function absent(reason: Absence["reason"]): Absence {
  return { reason, detail: "" };
}
