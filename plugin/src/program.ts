/** Finds the installed `notewell` program. The plugin never installs or updates it. */

import { metadataProblem } from "./identity";
import type { Machine } from "./machine";

/** Programs that can be started, and programs of the same name that are another project's. */
export interface Programs {
  readonly usable: readonly string[];
  /** For each program that is not ours: its path and why. */
  readonly rejected: readonly string[];
}

const SOURCE_PARENTS = ["src", "code", "dev", "git", "projects", "Projects", "repos", "Documents", "Downloads", "Desktop"];
const SOURCE_NAMES = ["notewell", "notewell-main"];

/** Looks at the path in the settings, else where installers put programs. Runs nothing. */
export async function findPrograms(chosen: string, machine: Machine): Promise<Programs> {
  const places = chosen ? [chosen].filter((at) => machine.path.isAbsolute(at)) : usualPlaces(machine);
  const usable: string[] = [];
  const rejected: string[] = [];
  for (const at of places) {
    if (!(await machine.isFile(at))) continue;
    const problem = await metadataProblem(at, machine);
    if (problem === null) usable.push(at);
    else rejected.push(`${at} ${problem}`);
  }
  return { usable, rejected };
}

/** Where `make run` makes the program, if the source code is in a usual place. */
function sourceFolders({ home, isWindows, path }: Machine): string[] {
  const parents = [home, ...SOURCE_PARENTS.map((name) => path.join(home, name))];
  const bin = path.join(".venv", isWindows ? "Scripts" : "bin");
  return parents.flatMap((parent) => SOURCE_NAMES.map((name) => path.join(parent, name, bin)));
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
    ...sourceFolders(machine),
  ];
  // A relative folder would be resolved against the app's working directory.
  const usable = folders.filter((at): at is string => !!at && path.isAbsolute(at));
  return [...new Set(usable)].map((folder) => path.join(folder, name));
}
