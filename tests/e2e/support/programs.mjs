// Programs that the plugin starts: real ones, with their pipes.

import { spawn } from "node:child_process";

export class Programs {
  /** Every start of a program that is to stay or to answer: `{program, args, child}`. */
  started = [];
  /** The arguments of every run that only asked a program for its version. */
  checked = [];
  /** What they wrote beside their answers. */
  said = [];
  #children = new Map();
  #variables;
  #tell;

  /** `tell(number, event, value)` brings a child's news to the page. */
  constructor(variables, tell) {
    this.#variables = variables;
    this.#tell = tell;
  }

  spawn(number, program, args) {
    const child = spawn(program, args, { env: this.#variables, stdio: "pipe" });
    this.#children.set(number, child);
    if (args[0] === "--version") this.checked.push({ program, args });
    else this.started.push({ program, args, child });
    child.stdout.setEncoding("utf8").on("data", (text) => this.#tell(number, "stdout", text));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.said.push(text);
      this.#tell(number, "stderr", text);
    });
    child.stdin.on("error", () => undefined); // the program ended before it was read
    child.on("error", (error) => this.#tell(number, "error", error.message));
    child.on("close", (code) => this.#tell(number, "close", code));
  }

  closeStdin(number) {
    this.#children.get(number).stdin.end();
  }

  kill(number) {
    this.#children.get(number).kill();
  }

  /** How many of them still run. */
  get running() {
    return this.started.filter(({ child }) => child.exitCode === null && child.signalCode === null).length;
  }

  async end() {
    await Promise.all(
      [...this.#children.values()].map((child) => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return undefined;
        const closed = new Promise((resolve) => child.once("close", resolve));
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
        return closed.finally(() => clearTimeout(timer));
      }),
    );
  }
}
