// A sidecar that somebody started by hand.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { COMMAND } from "./app.mjs";

/** Starts `recollect serve` and waits for its handshake: `{port, token, end}` and the rest. */
export async function startServer(desk, ...args) {
  const all = ["serve", ...args, "--port", "0", "--handshake"];
  const child = spawn(COMMAND, all, { env: desk.variables, stdio: ["pipe", "pipe", "ignore"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const end = async () => {
    const closed = once(child, "close");
    child.stdin.end();
    await closed;
  };
  return { ...JSON.parse(line), end };
}

/** What an app needs to reach it: its settings on this device, and the secret. */
export function connectedTo({ port, token }) {
  const device = { mode: "remote", address: `http://127.0.0.1:${port}`, tokenName: "home-server" };
  return { device, secrets: { "home-server": token } };
}
