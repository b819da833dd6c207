/**
 * Starts the sidecar and ends it. It tells its port and token on its first line, ends when its
 * stdin closes, and so ends with the app however the app ends. The only place that starts programs.
 */

import { Platform } from "obsidian";
import type { Absence, Target } from "./connection";
import type { Handshake } from "./replies";
import { versionProblem } from "./identity";
import { handshake, refusal } from "./replies";
import { Ring, Timer, delay } from "./support";

/** What is started: a program, for a vault's folder. */
export interface Launch {
  readonly executable: string;
  readonly folder: string;
  readonly vaultName: string;
}

interface Output {
  setEncoding(encoding: "utf8"): unknown;
  on(event: "data", listener: (data: string) => void): unknown;
}
/** As much of a Node child process as is used. */
export interface Child {
  readonly stdin: { end(): unknown } | null;
  readonly stdout: Output | null;
  readonly stderr: Output | null;
  once(event: "close", listener: (code: number | null) => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
  kill(signal?: "SIGKILL"): unknown;
}
type Start = (program: string, args: readonly string[]) => Promise<Child>;

/** The last words of a program that has ended, or why it never ran. */
interface Ended {
  readonly ended: string;
}
/** Another process serves the vault already. */
interface InUse {
  readonly url: string;
}

const MOST_RESTARTS = 3;
const RESTART_AFTER_MS = 3_000;
const STEADY_MS = 5 * 60_000; // having run this long, the next crash counts from one again
const HANDSHAKE_MS = 60_000;
const VERSION_MS = 10_000;
const MAX_VERSION_CHARS = 4_096;
const GRACE_MS = 5_000;
const OTHER_ENDS_MS = 2_000;
const SHOWN_LINES = 3;

export class Launcher {
  readonly log = new Ring<string>(200);
  readonly #start: Start;
  readonly #ended: () => void;
  #child: Child | null = null;
  #target: Target | null = null;
  #launching: Promise<Target | Absence> | null = null;
  #crashes = 0;
  #since = 0;
  #ending: Promise<unknown> = Promise.resolve(); // of the server that was stopped last
  #stops = 0; // a launch that was begun before the last stop leads nowhere

  /** `ended` is called when a running server ends without having been told to. */
  constructor(ended: () => void, start: Start = startProgram) {
    this.#ended = ended;
    this.#start = start;
  }

  /** The server that runs, or a new one. Calls while one starts get the same answer. */
  target(launch: Launch): Promise<Target | Absence> {
    if (this.#target) return Promise.resolve(this.#target);
    this.#launching ??= this.#launch(launch).finally(() => (this.#launching = null));
    return this.#launching;
  }

  /** A person wants it once more: earlier crashes count no longer. */
  resetCrashes(): void {
    this.#crashes = 0;
  }

  /** Ends the server: politely at once, by force after a while. */
  stop(): void {
    const child = this.#child;
    this.#child = null;
    this.#target = null;
    this.#stops += 1;
    if (child) this.#ending = end(child);
  }

  async #launch(launch: Launch): Promise<Target | Absence> {
    const stops = this.#stops;
    await this.#ending;
    const problem = await this.#check(launch.executable);
    if (stops !== this.#stops) return { why: "stopped" };
    if (problem !== null) return { why: "wrong-program", detail: `${launch.executable} ${problem}` };
    while (this.#crashes <= MOST_RESTARTS) {
      if (this.#crashes > 0) await delay(RESTART_AFTER_MS);
      let outcome = await this.#attempt(launch);
      if ("url" in outcome && stops === this.#stops) {
        // Most likely that of this plugin before it was loaded anew, which is just ending.
        await delay(OTHER_ENDS_MS);
        outcome = await this.#attempt(launch);
      }
      if (stops !== this.#stops) return { why: "stopped" };
      if ("url" in outcome) return this.#join(launch, outcome.url);
      if ("port" in outcome) {
        this.#since = Date.now();
        return (this.#target = targetOf(outcome, launch));
      }
      this.#crashes += 1;
      this.log.add(outcome.ended);
    }
    return { why: "crashed", detail: this.log.latest.slice(-SHOWN_LINES).join("\n") };
  }

  /** Null where the program is ours. It is run for that, but told nothing of a vault. */
  async #check(executable: string): Promise<string | null> {
    const child = await this.#start(executable, ["--version", "--json"]);
    this.#child = child;
    const printed = await printedBy(child);
    if (this.#child === child) this.#child = null;
    const problem = typeof printed === "string" ? versionProblem(printed) : printed.ended;
    if (problem !== null) this.log.add(`${executable} ${problem}`);
    return problem;
  }

  async #attempt({ executable, folder }: Launch): Promise<Handshake | InUse | Ended> {
    this.log.add(`Starting ${executable}`);
    const args = ["serve", folder, "--port", "0", "--handshake"];
    const child = await this.#start(executable, args);
    this.#child = child;
    child.once("close", (code) => this.#closed(child, code));
    const note = (line: string): void => this.log.add(line);
    readLines(child.stderr, note);
    const outcome = await firstLine(child, note);
    if (!("port" in outcome)) {
      if (this.#child === child) this.#child = null;
      void end(child);
    }
    return outcome;
  }

  /** A server that somebody started by hand: it uses the token that is stored on this machine. */
  async #join({ executable, folder, vaultName }: Launch, url: string): Promise<Target> {
    const child = await this.#start(executable, ["token", "show"]);
    const token = await new Promise<string>((resolve) => {
      const nothing = (): void => resolve(""); // unless it has said something before
      readLines(child.stdout, resolve);
      child.once("error", nothing);
      child.once("close", nothing);
    });
    return { endpoint: { url, token }, vault: { idOrName: vaultName, folder }, isShared: true };
  }

  #closed(child: Child, code: number | null): void {
    if (this.#child !== child) return; // we ended it ourselves
    this.#child = null;
    if (!this.#target) return; // it never came up, which the attempt has noticed
    this.#target = null;
    this.#crashes = Date.now() - this.#since > STEADY_MS ? 1 : this.#crashes + 1;
    this.log.add(endOf(code));
    this.#ended();
  }
}

async function startProgram(program: string, args: readonly string[]): Promise<Child> {
  if (!Platform.isDesktop) throw new Error("Desktops only.");
  const { spawn } = await import("node:child_process");
  const { homedir } = await import("node:os");
  // No shell: the vault's path is an argument and nothing else.
  return spawn(program, [...args], { cwd: homedir(), windowsHide: true, stdio: "pipe" });
}

/** All that a short-lived program prints to stdout, or why that is not to be had. */
function printedBy(child: Child): Promise<string | Ended> {
  return new Promise((resolve) => {
    let printed = "";
    const timer = new Timer();
    const finish = (outcome: string | Ended): void => {
      timer.clear();
      resolve(outcome);
    };
    const giveUp = (ended: string): void => {
      finish({ ended });
      child.kill("SIGKILL"); // it is not known to be ours and may ignore a polite signal
    };
    timer.set(VERSION_MS, () => giveUp(`gave no version within ${VERSION_MS / 1000} seconds.`));
    child.stdin?.end();
    child.stderr?.on("data", () => undefined); // a full pipe would block it
    child.stdout?.setEncoding("utf8");
    child.stdout?.on("data", (data) => {
      printed += data;
      if (printed.length > MAX_VERSION_CHARS) giveUp("printed more than a version.");
    });
    child.once("error", ({ message }) => finish({ ended: `cannot be run: ${message}.` }));
    child.once("close", (code) => {
      finish(code === 0 ? printed : { ended: `gave no version and ended with code ${code ?? "unknown"}.` });
    });
  });
}

function targetOf(handshake: Handshake, { folder, vaultName }: Launch): Target {
  const endpoint = { url: `http://127.0.0.1:${handshake.port}`, token: handshake.token };
  return { endpoint, vault: { idOrName: handshake.vaults[0]?.id ?? vaultName, folder } };
}

/** What the program says first. Later lines of its stdout go to `note`, so that it never blocks. */
function firstLine(
  child: Child,
  note: (line: string) => void,
): Promise<Handshake | InUse | Ended> {
  return new Promise((resolve) => {
    const timer = new Timer();
    const fail = (ended: string): void => resolve({ ended });
    timer.set(HANDSHAKE_MS, () => fail(`It said nothing for ${HANDSHAKE_MS / 1000} seconds.`));
    let take = (line: string): void => {
      resolve(parseFirstLine(line));
      take = note;
    };
    readLines(child.stdout, (line) => take(line));
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => {
      timer.clear();
      fail(endOf(code));
    });
  });
}

function endOf(code: number | null): string {
  return `It ended with code ${code ?? "unknown"}.`;
}

function parseFirstLine(line: string): Handshake | InUse | Ended {
  try {
    const said = JSON.parse(line) as unknown;
    const { error, url } = refusal(said);
    if (!error) return handshake(said);
    return error === "in_use" && url ? { url } : { ended: error };
  } catch {
    return { ended: `It said: ${line.slice(0, 200)}` };
  }
}

function readLines(output: Output | null, take: (line: string) => void): void {
  let rest = "";
  output?.setEncoding("utf8");
  output?.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) take(line.trimEnd());
  });
}

/** Resolves when it has ended. */
function end(child: Child): Promise<unknown> {
  const timer = new Timer();
  timer.set(GRACE_MS, () => child.kill());
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stdin?.end();
  return ended.finally(() => timer.clear());
}
