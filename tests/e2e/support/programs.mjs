// Programs that the plugin starts: real ones, with their pipes.

import { spawn } from "node:child_process";

export class Programs {
  /** Every start: `{program, args, child}`. */
  started = [];
  /** What they wrote beside their answers. */
  said = [];
  #variables;
  #tell;

  /** `tell(number, event, value)` brings a child's news to the page. */
  constructor(variables, tell) {
    this.#variables = variables;
    this.#tell = tell;
  }

  spawn(number, program, args) {
    const child = spawn(program, args, { env: this.#variables, stdio: "pipe" });
    this.started[number - 1] = { program, args, child };
    child.stdout.setEncoding("utf8").on("data", (text) => this.#tell(number, "stdout", text));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.said.push(text);
      this.#tell(number, "stderr", text);
    });
    child.on("error", (error) => this.#tell(number, "error", error.message));
    child.on("close", (code) => this.#tell(number, "close", code));
  }

  closeStdin(number) {
    this.started[number - 1].child.stdin.end();
  }

  kill(number) {
    this.started[number - 1].child.kill();
  }

  /** How many of them still run. */
  get running() {
    return this.started.filter(({ child }) => child.exitCode === null && child.signalCode === null).length;
  }

  async end() {
    await Promise.all(
      this.started.map(({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return undefined;
        const closed = new Promise((resolve) => child.once("close", resolve));
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
        return closed.finally(() => clearTimeout(timer));
      }),
    );
  }
}
