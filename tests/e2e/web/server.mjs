// A server as somebody starts it, over several vaults.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const ROOT = resolve(import.meta.dirname, "../../..");
const COMMAND = resolve(ROOT, process.env.NOTEWELL_TEST_COMMAND ?? ".venv/bin/notewell");

/** Starts `notewell serve` in an own home: `{port, token, end}`. */
export async function serve(home, ...vaults) {
  const places = { HOME: home, NOTEWELL_DATA_DIR: join(home, "data"), NOTEWELL_STATE_DIR: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  const args = ["serve", ...vaults, "--port", "0", "--handshake"];
  const child = spawn(COMMAND, args, { env: { ...process.env, ...places }, stdio: ["pipe", "pipe", "ignore"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const end = async () => {
    if (child.exitCode !== null) return;
    const closed = once(child, "close");
    child.stdin.end();
    await closed;
  };
  return { ...JSON.parse(line), end };
}
