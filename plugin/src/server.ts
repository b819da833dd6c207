/** Finds this vault's server: started on this computer, or at the address in the settings. */

import { announcedServer } from "./discovery";
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

/** What was found on this computer: a program to start, a server that runs for this vault. */
export interface Found {
  readonly program: string | null;
  readonly isRunning: boolean;
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

  /** What is on this computer, without starting or asking anything. */
  async look(): Promise<Found> {
    return { program: await this.program(), isRunning: (await this.#announced()) !== null };
  }

  /** A server of this vault that somebody else started on this computer. */
  async #announced(): Promise<Target | null> {
    const { folder, machine, vaultName } = this.#parts;
    const computer = await machine();
    const endpoint = folder !== null && computer ? await announcedServer(folder, computer) : null;
    return endpoint && folder !== null ? { endpoint, vault: { idOrName: vaultName, folder }, isShared: true } : null;
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
    const { launcher, folder, vaultName } = this.#parts;
    if (folder === null) return { why: "not-set-up" };
    if (this.#isWanted === false) return { why: "stopped" };
    const programs = await this.#programs();
    const { usable, rejected } = programs;
    const problem = this.#problem(programs);
    if (problem) return (problem.why !== "stopped" && (await this.#announced())) || problem;
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

  /** Why nothing is started; null where a program may be. */
  #problem({ usable, rejected }: Programs): Unavailable | null {
    const { startAgreed, autostart } = this.#parts.settings.chosen;
    if (usable.length === 0) return rejected.length > 0 ? wrongProgram(rejected) : { why: "not-installed" };
    if (!startAgreed) return { why: "needs-consent" };
    return this.#isWanted || autostart ? null : { why: "stopped" };
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
