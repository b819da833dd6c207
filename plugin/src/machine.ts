/** The computer that the desktop app runs on: its folders, environment, and read access to files. */

import { Platform } from "obsidian";

/** What finding the program needs from the computer; replaced in tests. */
export interface Machine {
  readonly isWindows: boolean;
  readonly isMacOS: boolean;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Path functions of this operating system. */
  readonly path: {
    readonly delimiter: string;
    isAbsolute(path: string): boolean;
    dirname(path: string): string;
    join(...parts: string[]): string;
  };
  readonly isFile: (path: string) => Promise<boolean>;
  /** The path with symbolic links followed; `path` itself where that fails. */
  readonly realPath: (path: string) => Promise<string>;
  /** Names of a folder's entries; none where it cannot be read. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Whether a process of that id runs. */
  readonly isRunning: (pid: number) => boolean;
  /** A small file's text; null where it is large or cannot be read. */
  readonly readText: (path: string) => Promise<string | null>;
}

const MAX_TEXT_BYTES = 1_000_000;

/** This computer; null where the app has no access to it, as on phones. */
export async function thisMachine(): Promise<Machine | null> {
  if (!Platform.isDesktop) return null;
  if (!Platform.isDesktopApp) return null;
  const { homedir } = await import("node:os");
  const path = await import("node:path");
  const { readdir, readFile, realpath, stat } = await import("node:fs/promises");
  const { env, ...process } = await import("node:process");
  return {
    isWindows: Platform.isWin,
    isMacOS: Platform.isMacOS,
    home: homedir(),
    environment: env,
    path,
    isFile: (at) =>
      stat(at).then(
        (found) => found.isFile(),
        () => false, // missing or not readable
      ),
    isRunning: (pid) => {
      try {
        return process.kill(pid, 0); // signal 0 only asks
      } catch {
        return false;
      }
    },
    realPath: (at) => realpath(at).catch(() => at),
    list: (folder) => readdir(folder).catch(() => []),
    readText: async (at) => {
      try {
        return (await stat(at)).size > MAX_TEXT_BYTES ? null : await readFile(at, "utf8");
      } catch {
        return null; // missing or not readable
      }
    },
  };
}
