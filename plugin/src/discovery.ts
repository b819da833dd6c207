/**
 * Finds a server that someone started on this computer for this vault, by the files that it leaves in
 * the user's data folder: `vaults.json` names the vault, `vaults/<id>/server.json` the address.
 */

import type { Machine } from "./machine";
import type { Endpoint } from "./client";
import { list, number, object, text } from "./shape";

const knownVaults = object({ vaults: list(object({ id: text, path: text })) });
const announcement = object({ url: text, token: text, pid: number });
const LOOPBACK = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** The running server of the vault in `folder`; null where there is none. */
export async function announcedServer(folder: string, machine: Machine): Promise<Endpoint | null> {
  const data = dataFolder(machine);
  try {
    const { vaults } = knownVaults(await json(machine, data, "vaults.json"));
    const ours = vaults.find(({ path }) => path === folder);
    if (!ours) return null;
    const { url, token, pid } = announcement(await json(machine, data, "vaults", ours.id, "server.json"));
    // A server that was killed leaves its file.
    return LOOPBACK.test(url) && machine.isRunning(pid) ? { url, token } : null;
  } catch {
    return null; // no such file, or one of another version
  }
}

async function json(machine: Machine, ...parts: string[]): Promise<unknown> {
  return JSON.parse((await machine.readText(machine.path.join(...parts))) ?? "null") as unknown;
}

/** The program's data folder, unless its settings name another. */
export function dataFolder({ environment, home, isMacOS, isWindows, path }: Machine): string {
  const { NOTEWELL_DATA_DIR, LOCALAPPDATA, XDG_DATA_HOME } = environment;
  if (NOTEWELL_DATA_DIR) return NOTEWELL_DATA_DIR;
  if (isWindows) return path.join(LOCALAPPDATA ?? path.join(home, "AppData", "Local"), "notewell");
  if (isMacOS) return path.join(home, "Library", "Application Support", "notewell");
  return path.join(XDG_DATA_HOME ?? path.join(home, ".local", "share"), "notewell");
}
