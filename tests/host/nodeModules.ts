/** The Node modules that a plugin may require on a desktop, as far as this one uses them. */

import { bridge } from "./bridge";
import { environment } from "./environment";

type Listener = (value: unknown) => void;

/** Listeners by event; enough of an emitter for streams and processes. */
class Emitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(event: string, listener: Listener): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return this;
  }

  once(event: string, listener: Listener): this {
    return this.on(event, listener);
  }

  emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value);
  }

  setEncoding(): this {
    return this; // what comes over the bridge is text already
  }
}

class Child extends Emitter {
  readonly stdout = new Emitter();
  readonly stderr = new Emitter();
  readonly stdin: { end(): void };

  constructor(readonly number: number) {
    super();
    this.stdin = { end: () => void bridge.closeStdin(number) };
  }

  kill(): void {
    void bridge.kill(this.number);
  }
}

const children = new Map<number, Child>();

function spawn(program: string, args: readonly string[]): Child {
  const child = new Child(children.size + 1);
  children.set(child.number, child);
  void bridge.spawn(child.number, program, args);
  return child;
}

/** Called by the test process when a child says or does something. */
export function childEvent(number: number, event: string, value: unknown): void {
  const child = children.get(number);
  if (event === "stdout" || event === "stderr") child?.[event].emit("data", value);
  else if (event === "error") child?.emit("error", new Error(String(value)));
  else child?.emit(event, value);
}

const modules: Record<string, unknown> = {
  "node:child_process": { spawn },
  "node:os": { homedir: () => environment.home },
  "node:path": {
    isAbsolute: (path: string) => path.startsWith("/"),
    dirname: (path: string) => path.replace(/\/[^/]*$/, "") || "/",
    join: (...parts: string[]) => parts.join("/").replace(/\/+/g, "/"),
  },
  "node:process": { env: environment.variables, kill: () => true },
  "node:fs/promises": {
    stat: async (path: string) => {
      const { isFile, size } = await bridge.stat(path);
      return { isFile: () => isFile, size };
    },
    realpath: (path: string) => bridge.realPath(path),
    readdir: (path: string) => bridge.entries(path),
    readFile: (path: string) => bridge.readText(path),
  },
};

/** Phones have no Node: requiring it fails there, as in the app. */
export function nodeModule(name: string): unknown {
  const found = environment.kind === "desktop" ? modules[name] : undefined;
  if (!found) throw new Error(`Cannot find module '${name}'`);
  return found;
}
