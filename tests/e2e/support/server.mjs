// A sidecar that somebody started by hand.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { COMMAND } from "./command.mjs";
import { READY_MS, until } from "./wait.mjs";

/**
 * Starts `notewell serve` and waits for its handshake: `{port, token, end}` and the rest.
 * `through`: a program, with its arguments, that starts it.
 */
export async function startServer(workspace, served, through = []) {
  const [program, ...args] = [...through, COMMAND, "serve", ...served, "--port", "0", "--handshake"];
  const child = spawn(program, args, { env: workspace.variables, stdio: ["pipe", "pipe", "ignore"] });
  const closed = once(child, "close");
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), closed]);
  if (typeof line !== "string") throw new Error(`“${program} ${args.join(" ")}” ended before it served.`);
  const end = () => (child.stdin.end(), closed);
  return { ...JSON.parse(line), end };
}

/**
 * One that runs without end at a known port, with a token that outlives it: `{port, token, end}`. `known`: the token,
 * where a server before it told.
 */
export async function startHomeServer(workspace, served, port, known) {
  const args = ["serve", ...served, "--port", String(port)];
  const child = spawn(COMMAND, args, { env: workspace.variables, stdio: "ignore" });
  const closed = once(child, "close");
  const end = (signal = "SIGTERM") => (child.kill(signal), closed);
  await until("the server greets", () => greets(port), READY_MS);
  const token = known ?? execFileSync(COMMAND, ["token", "show"], { env: workspace.variables, encoding: "utf8" }).trim();
  return { port, token, end };
}

function greets(port) {
  return new Promise((resolve) => {
    const asked = get({ port, path: "/api/health", agent: false }, (answer) => resolve(answer.resume().statusCode === 200));
    asked.on("error", () => resolve(false));
  });
}

/** A port that nobody listens at. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** What an app needs to reach it: its settings on this device, and the secret. */
export function connectedTo({ port, token }) {
  const device = { mode: "remote", address: `http://127.0.0.1:${port}`, tokenName: "home-server" };
  return { device, secrets: { "home-server": token } };
}
