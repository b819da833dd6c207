/**
 * Starts and stops the sidecar. The sidecar prints its port and token on its first line and exits when
 * its stdin closes, so it exits with the app however the app ends. Nothing else starts programs.
 */

import { Platform } from "obsidian";
import type { Unavailable, Target } from "./connection";
import type { Handshake } from "./replies";
import { versionProblem } from "./identity";
import { handshake, refusal } from "./replies";
import { Ring, Timer, delay } from "./support";
import { t } from "./texts";

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
/** The part of a Node child process that is used. */
export interface Child {
  readonly stdin: { end(): unknown } | null;
  readonly stdout: Output | null;
  readonly stderr: Output | null;
  once(event: "close", listener: (code: number | null) => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
  kill(signal?: "SIGKILL"): unknown;
}
type Start = (program: string, args: readonly string[]) => Promise<Child>;

/** Why a program ended, or why it could not be run. */
interface ProgramFailure {
  readonly reason: string;
}
/** Another process serves the vault already. */
interface InUse {
  readonly url: string;
}

const MAX_RESTARTS = 3;
const RESTART_AFTER_MS = 3_000;
const STABLE_AFTER_MS = 5 * 60_000; // after running this long, crashes are counted from one again
const HANDSHAKE_MS = 60_000;
const VERSION_MS = 60_000; // a first start on a busy machine takes its time
const MAX_VERSION_CHARS = 4_096;
const GRACE_MS = 5_000;
const OTHER_EXIT_MS = 2_000;
const SHOWN_LINES = 3;

export class Launcher {
  readonly log = new Ring<string>(200);
  readonly #start: Start;
  readonly #ended: () => void;
  #child: Child | null = null;
  #target: Target | null = null;
  #launching: Promise<Target | Unavailable> | null = null;
  #crashes = 0;
  #since = 0;
  #ending: Promise<unknown> = Promise.resolve(); // resolves when the last stopped server has exited
  #stops = 0; // a launch that began before the last stop is abandoned

  /** `ended` is called when a running server exits by itself. */
  constructor(ended: () => void, start: Start = startProgram) {
    this.#ended = ended;
    this.#start = start;
  }

  /** The running server, or a new one. Calls while one starts share its result. */
  target(launch: Launch): Promise<Target | Unavailable> {
    if (this.#target) return Promise.resolve(this.#target);
    this.#launching ??= this.#launch(launch).finally(() => (this.#launching = null));
    return this.#launching;
  }

  /** The user asked for another start: earlier crashes no longer count. */
  resetCrashes(): void {
    this.#crashes = 0;
  }

  /** Closes the server's stdin, and kills it if it has not exited after a while. */
  stop(): void {
    const child = this.#child;
    this.#child = null;
    this.#target = null;
    this.#stops += 1;
    if (child) this.#ending = end(child);
  }

  async #launch(launch: Launch): Promise<Target | Unavailable> {
    const stops = this.#stops;
    await this.#ending;
    const problem = await this.#check(launch.executable);
    if (stops !== this.#stops) return { why: "stopped" };
    if (problem !== null) return { why: "wrong-program", detail: `${launch.executable} ${problem}` };
    while (this.#crashes <= MAX_RESTARTS) {
      if (this.#crashes > 0) await delay(RESTART_AFTER_MS);
      let outcome = await this.#attempt(launch);
      if ("url" in outcome && stops === this.#stops) {
        // Most likely the server of this plugin before a reload, which is about to exit.
        await delay(OTHER_EXIT_MS);
        outcome = await this.#attempt(launch);
      }
      if (stops !== this.#stops) return { why: "stopped" };
      if ("url" in outcome) return this.#join(launch, outcome.url);
      if ("port" in outcome) {
        this.#since = Date.now();
        return (this.#target = targetOf(outcome, launch));
      }
      this.#crashes += 1;
      this.log.add(outcome.reason);
    }
    return { why: "crashed", detail: this.log.latest.slice(-SHOWN_LINES).join("\n") };
  }

  /** Runs the program's version command, without the vault's path. Null where the program is ours, else the problem. */
  async #check(executable: string): Promise<string | null> {
    const child = await this.#start(executable, ["--version", "--json"]);
    this.#child = child;
    const printed = await printedBy(child);
    if (this.#child === child) this.#child = null;
    const problem = typeof printed === "string" ? versionProblem(printed) : printed.reason;
    if (problem !== null) this.log.add(`${executable} ${problem}`);
    return problem;
  }

  async #attempt({ executable, folder }: Launch): Promise<Handshake | InUse | ProgramFailure> {
    this.log.add(`Starting ${executable}`);
    const args = ["serve", folder, "--port", "0", "--handshake"];
    const child = await this.#start(executable, args);
    this.#child = child;
    child.once("close", (code) => this.#closed(child, code));
    const addToLog = (line: string): void => this.log.add(line);
    readLines(child.stderr, addToLog);
    const outcome = await firstLine(child, addToLog);
    if (!("port" in outcome)) {
      if (this.#child === child) this.#child = null;
      void end(child);
    }
    return outcome;
  }

  /** A server that was started by hand: it uses the token that is stored on this computer. */
  async #join({ executable, folder, vaultName }: Launch, url: string): Promise<Target> {
    const child = await this.#start(executable, ["token", "show"]);
    const token = await new Promise<string>((resolve) => {
      const noToken = (): void => resolve(""); // has no effect once a line has resolved the promise
      readLines(child.stdout, resolve);
      child.once("error", noToken);
      child.once("close", noToken);
    });
    return { endpoint: { url, token }, vault: { idOrName: vaultName, folder }, isShared: true };
  }

  #closed(child: Child, code: number | null): void {
    if (this.#child !== child) return; // stopped by us
    this.#child = null;
    if (!this.#target) return; // it failed to start, which #attempt reports
    this.#target = null;
    this.#crashes = Date.now() - this.#since > STABLE_AFTER_MS ? 1 : this.#crashes + 1;
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

/** The whole stdout of a short-lived program, or why it could not be read. */
function printedBy(child: Child): Promise<string | ProgramFailure> {
  return new Promise((resolve) => {
    let printed = "";
    let isFinished = false; // what it still prints until it is dead does not count
    const timer = new Timer();
    const finish = (outcome: string | ProgramFailure): void => {
      if (isFinished) return;
      isFinished = true;
      timer.clear();
      resolve(outcome);
    };
    const giveUp = (reason: string): void => {
      finish({ reason });
      child.kill("SIGKILL"); // it may be another program, which could ignore a milder signal
    };
    timer.set(VERSION_MS, () => giveUp(t("gave no version within {seconds} seconds.", { seconds: VERSION_MS / 1000 })));
    child.stdin?.end();
    child.stderr?.on("data", () => undefined); // an unread pipe would fill up and block it
    child.stdout?.setEncoding("utf8");
    child.stdout?.on("data", (data) => {
      if (isFinished) return;
      printed += data;
      if (printed.length > MAX_VERSION_CHARS) giveUp(t("printed more than a version."));
    });
    child.once("error", ({ message }) => finish({ reason: t("cannot be run: {message}.", { message }) }));
    child.once("close", (code) => {
      finish(code === 0 ? printed : { reason: t("gave no version and ended with code {code}.", { code: code ?? t("unknown") }) });
    });
  });
}

function targetOf(handshake: Handshake, { folder, vaultName }: Launch): Target {
  const endpoint = { url: `http://127.0.0.1:${handshake.port}`, token: handshake.token };
  return { endpoint, vault: { idOrName: handshake.vaults[0]?.id ?? vaultName, folder } };
}

/** Parses the first line of stdout. Later lines go to `addToLog`, so that the pipe never fills up. */
function firstLine(
  child: Child,
  addToLog: (line: string) => void,
): Promise<Handshake | InUse | ProgramFailure> {
  return new Promise((resolve) => {
    const timer = new Timer();
    const fail = (reason: string): void => resolve({ reason });
    timer.set(HANDSHAKE_MS, () => fail(t("It printed nothing for {seconds} seconds.", { seconds: HANDSHAKE_MS / 1000 })));
    let onLine = (line: string): void => {
      resolve(parseFirstLine(line));
      onLine = addToLog;
    };
    readLines(child.stdout, (line) => onLine(line));
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => {
      timer.clear();
      fail(endOf(code));
    });
  });
}

function endOf(code: number | null): string {
  return t("It ended with code {code}.", { code: code ?? t("unknown") });
}

function parseFirstLine(line: string): Handshake | InUse | ProgramFailure {
  try {
    const message = JSON.parse(line) as unknown;
    const { error, url } = refusal(message);
    if (!error) return handshake(message);
    return error === "in_use" && url ? { url } : { reason: error };
  } catch {
    return { reason: t("It printed: {line}", { line: line.slice(0, 200) }) };
  }
}

function readLines(output: Output | null, onLine: (line: string) => void): void {
  let rest = "";
  output?.setEncoding("utf8");
  output?.on("data", (data) => {
    const lines = (rest + data).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) onLine(line.trimEnd());
  });
}

/** Closes stdin, kills the program after a while, and resolves when it has exited. */
function end(child: Child): Promise<unknown> {
  const timer = new Timer();
  timer.set(GRACE_MS, () => child.kill());
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stdin?.end();
  return ended.finally(() => timer.clear());
}
