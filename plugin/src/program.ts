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
/** The folder that the helper is packed as; where the archive's own name becomes a folder, it begins so too. */
const HELPER = "notewell-helper";
/** Of these macOS asks a person before an app may list them, but not before it looks for a named file. */
const HELPER_PARENTS = ["", "Downloads", "Desktop", "Documents", "Applications", ".local/share", ".local/opt"];

/** Looks at the path in the settings, else where installers put programs. Runs nothing. */
export async function findPrograms(chosen: string, machine: Machine): Promise<Programs> {
  const places = chosen ? [chosen].filter((at) => machine.path.isAbsolute(at)) : [...usualPlaces(machine), ...(await helperPlaces(machine))];
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

/** Where a person may have unpacked the helper, which needs no Python. */
async function helperPlaces(machine: Machine): Promise<string[]> {
  const { environment, home, isMacOS, isWindows, path } = machine;
  const parents = [
    ...HELPER_PARENTS.map((name) => path.join(home, ...name.split("/"))),
    ...(isWindows ? [path.join(environment["LOCALAPPDATA"] ?? home, "Programs")] : ["/opt", "/Applications"]),
  ];
  const found: string[] = [];
  for (const parent of parents) {
    const names = isMacOS ? [HELPER] : (await machine.list(parent)).filter((name) => name.startsWith(HELPER));
    for (const name of names) {
      const folder = path.join(parent, name);
      // Windows unpacks into a folder that is named like the archive.
      found.push(...[folder, path.join(folder, HELPER)].map((at) => path.join(at, programName(isWindows))));
    }
  }
  return found;
}

function programName(isWindows: boolean): string {
  return isWindows ? "notewell.exe" : "notewell";
}

/**
 * Where installers put programs, the likeliest first. Apps that are started from a desktop often
 * get a shorter PATH than a terminal, so the installers' own folders come before it.
 */
export function usualPlaces(machine: Machine): string[] {
  const { environment, home, isWindows, path } = machine;
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
  return [...new Set(usable)].map((folder) => path.join(folder, programName(isWindows)));
}
