/** Finds this vault's server: started on this computer, or at the address in the settings. */

import type { Unavailable, Target } from "./connection";
import type { Launcher } from "./launcher";
import type { Machine } from "./machine";
import { findPrograms, type Programs } from "./program";
import type { Settings } from "./settings";
import { Timer } from "./support";

export interface ServerParts {
  readonly settings: Settings;
  readonly launcher: Launcher;
  readonly machine: () => Promise<Machine | null>;
  readonly secret: (name: string) => string | null;
  readonly vaultName: string;
  /** The vault's folder on this computer; null where there is none, as on phones. */
  readonly folder: string | null;
}

/** The settings that select the server. Starting with the app concerns the next start only. */
const SERVER_SETTINGS = ["mode", "program", "address", "tokenName", "remoteVault"];
const TYPING_PAUSE_MS = 800;

export class Server {
  readonly #parts: ServerParts;
  #isWanted: boolean | null = null; // null: the settings decide

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /**
   * The user wants the server on this computer to run. `isAgreed`: whether they confirmed the first
   * start; without it nothing is started, but a missing program is looked for.
   */
  start(isAgreed: boolean): void {
    const { settings, launcher } = this.#parts;
    this.#isWanted = true;
    launcher.resetCrashes();
    if (isAgreed) void settings.set("startAgreed", true);
    if (settings.chosen.mode !== "local") void settings.set("mode", "local");
  }

  stop(): void {
    this.#isWanted = false;
    this.#parts.launcher.stop();
  }

  /** Whether a server on this computer can serve this vault. */
  get isPossibleHere(): boolean {
    return this.#parts.folder !== null;
  }

  /** The installed program; null where there is none. */
  async program(): Promise<string | null> {
    const { usable } = await this.#programs();
    return usable[0] ?? null;
  }

  /** Calls `changed` when the settings select another server, once typing pauses. Returns an unsubscribe function. */
  follow(changed: () => void): () => void {
    const { settings, launcher } = this.#parts;
    const timer = new Timer();
    const stop = settings.subscribe((name) => {
      if (!SERVER_SETTINGS.includes(name)) return;
      timer.set(TYPING_PAUSE_MS, () => {
        if (settings.chosen.mode !== "local" || name === "program") launcher.stop();
        changed();
      });
    });
    return () => {
      stop();
      timer.clear();
    };
  }

  async find(starting: () => void): Promise<Target | Unavailable> {
    const { settings, secret, vaultName } = this.#parts;
    const { mode, address, tokenName, remoteVault } = settings.chosen;
    if (mode === "local") return this.#local(starting);
    const url = mode === "remote" && serverUrl(address);
    if (!url) return { why: "not-set-up" };
    const token = (tokenName && secret(tokenName)) || "";
    return { endpoint: { url, token }, vault: { idOrName: remoteVault || vaultName } };
  }

  async #local(starting: () => void): Promise<Target | Unavailable> {
    const { settings, launcher, folder, vaultName } = this.#parts;
    if (folder === null) return { why: "not-set-up" };
    if (this.#isWanted === false) return { why: "stopped" };
    const { usable, rejected } = await this.#programs();
    if (usable.length === 0) return rejected.length > 0 ? wrongProgram(rejected) : { why: "not-installed" };
    const { startAgreed, autostart } = settings.chosen;
    if (!startAgreed) return { why: "needs-consent" };
    if (!this.#isWanted && !autostart) return { why: "stopped" };
    this.#isWanted = true; // a started server stays in use until the user stops it
    starting();
    const problems = [...rejected];
    for (const executable of usable) {
      const outcome = await launcher.target({ executable, folder, vaultName });
      if (!("why" in outcome) || outcome.why !== "wrong-program") return outcome;
      problems.push(outcome.detail ?? executable);
    }
    return wrongProgram(problems);
  }

  async #programs(): Promise<Programs> {
    const { machine, settings } = this.#parts;
    const computer = await machine();
    return computer ? findPrograms(settings.chosen.program, computer) : { usable: [], rejected: [] };
  }
}

function wrongProgram(problems: readonly string[]): Unavailable {
  return { why: "wrong-program", detail: problems.join(" ") };
}

/** Makes a URL without a trailing slash from `host:port` or a whole URL; null where it is not one. */
export function serverUrl(written: string): string | null {
  const trimmed = written.trim();
  try {
    const url = new URL(/^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
    return url.origin + url.pathname.replace(/\/+$/, "");
  } catch {
    return null;
  }
}
