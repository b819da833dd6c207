/** Finds the installed `notewell`. Nothing is installed or updated from here, only found. */

import { Platform } from "obsidian";

/** What is asked of the machine; desktop only. */
export interface Machine {
  readonly isWindows: boolean;
  readonly isMacOS: boolean;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How this system writes paths. */
  readonly path: {
    readonly delimiter: string;
    isAbsolute(path: string): boolean;
    join(...parts: string[]): string;
  };
  readonly isFile: (path: string) => Promise<boolean>;
}

/** The machine under the desktop app; null where there is none, as on phones. */
export async function thisMachine(): Promise<Machine | null> {
  if (!Platform.isDesktop) return null;
  if (!Platform.isDesktopApp) return null;
  const { homedir } = await import("node:os");
  const path = await import("node:path");
  const { stat } = await import("node:fs/promises");
  const { env } = await import("node:process");
  return {
    isWindows: Platform.isWin,
    isMacOS: Platform.isMacOS,
    home: homedir(),
    environment: env,
    path,
    isFile: (at) =>
      stat(at).then(
        (found) => found.isFile(),
        () => false, // not there, or not ours to see
      ),
  };
}

/** The program to start: the one in the settings, else the first that is found; null: none. */
export async function findProgram(chosen: string, machine: Machine): Promise<string | null> {
  const places = chosen ? [chosen].filter((at) => machine.path.isAbsolute(at)) : usualPlaces(machine);
  for (const at of places) {
    if (await machine.isFile(at)) return at;
  }
  return null;
}

/**
 * Where installers put programs, the likeliest first. Apps that are started from a desktop often
 * get a shorter PATH than a terminal, so the installers' own folders come before it.
 */
export function usualPlaces(machine: Machine): string[] {
  const { environment, home, isWindows, path } = machine;
  const name = isWindows ? "notewell.exe" : "notewell";
  const folders = [
    path.join(home, ".local", "bin"),
    environment["UV_TOOL_BIN_DIR"],
    environment["XDG_BIN_HOME"],
    environment["PIPX_BIN_DIR"],
    ...(machine.isMacOS ? ["/opt/homebrew/bin", "/usr/local/bin"] : []),
    ...(environment["PATH"] ?? environment["Path"] ?? "").split(path.delimiter),
  ];
  // A relative folder would be looked for in the vault, or wherever the app was started.
  const usable = folders.filter((at): at is string => !!at && path.isAbsolute(at));
  return [...new Set(usable)].map((folder) => path.join(folder, name));
}
