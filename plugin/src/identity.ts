/**
 * Distinguishes our search program from other programs named `notewell` before one is given a vault's
 * path: first by its package's metadata, without running it, then by its output for
 * `notewell --version --json`.
 */

import type { Machine } from "./machine";
import { API } from "./replies";
import { number, object, text } from "./shape";
import { t } from "./texts";

/** The `name` that the search program prints for `--version --json`. */
export const PROJECT = "Notewell for Obsidian";
/** A part of our package's summary, which is `description` in pyproject.toml. */
export const SUMMARY_PART = "for Obsidian vaults";

const METADATA_FOLDER = /^notewell-[^-]+\.dist-info$/i;
const PYTHON_FOLDER = /^python\d+(\.\d+)?t?$/;
const MAX_QUOTED_CHARS = 100;

const versionReply = object({ name: text, version: text, api: number });

/** What is wrong with the output of `--version --json`; null where it is our program's. */
export function versionProblem(printed: string): string | null {
  try {
    const { name, version, api } = versionReply(JSON.parse(printed));
    if (name !== PROJECT) return t("calls itself {name}, not {project}.", { name: quote(name), project: PROJECT });
    if (api === API) return null;
    return t("is version {version} with API {api}, but this plugin needs API {needed}.", { version, api, needed: API });
  } catch {
    return t("does not say that it is {project}.", { project: PROJECT });
  }
}

/**
 * What is wrong according to the metadata of the package that installed `program`; null where it is
 * ours, or where there is no metadata, as for programs that Python's tools did not install.
 */
export async function metadataProblem(program: string, machine: Machine): Promise<string | null> {
  let problem: string | null = null;
  for (const folder of await packageFolders(program, machine)) {
    for (const name of await machine.list(folder)) {
      if (!METADATA_FOLDER.test(name)) continue;
      const metadata = await machine.readText(machine.path.join(folder, name, "METADATA"));
      if (metadata === null) continue;
      const { Name = "", Summary = "" } = headers(metadata);
      // With several packages, as for two versions of Python, one of ours is enough: its output is checked later.
      if (Name.toLowerCase() === "notewell" && Summary.includes(SUMMARY_PART)) return null;
      problem = t("belongs to another project, {project}.", { project: quote(`${Name}: ${Summary}`) });
    }
  }
  return problem;
}

/** Where a package that installed `program` has its metadata, by the layouts of Python's installers. */
async function packageFolders(program: string, machine: Machine): Promise<string[]> {
  const { path } = machine;
  const bin = path.dirname(await machine.realPath(program)); // uv and pipx install symbolic links
  const root = path.dirname(bin);
  const libraries = await machine.list(path.join(root, "lib"));
  return [
    ...libraries
      .filter((name) => PYTHON_FOLDER.test(name))
      .flatMap((name) => [
        path.join(root, "lib", name, "site-packages"),
        path.join(root, "lib", name, "dist-packages"), // Debian
      ]),
    path.join(root, "Lib", "site-packages"), // environments on Windows
    path.join(bin, "_internal"), // the helper
    path.join(root, "site-packages"), // `pip install --user` on Windows
    ...(machine.isWindows ? toolFolders(bin, machine) : []),
  ];
}

/** On Windows, uv and pipx copy programs out of their environments, which are elsewhere. */
function toolFolders(bin: string, { environment, home, path }: Machine): string[] {
  const shared = [path.join(home, ".local", "bin"), environment["UV_TOOL_BIN_DIR"], environment["PIPX_BIN_DIR"]];
  if (!shared.includes(bin)) return [];
  const { APPDATA, UV_TOOL_DIR, PIPX_HOME } = environment;
  const uv = UV_TOOL_DIR ?? (APPDATA && path.join(APPDATA, "uv", "tools"));
  const pipx = path.join(PIPX_HOME ?? path.join(home, "pipx"), "venvs");
  return [uv, pipx].flatMap((tools) =>
    tools ? [path.join(tools, "notewell", "Lib", "site-packages")] : [],
  );
}

/** The headers of a METADATA file, which end at the first empty line. */
function headers(metadata: string): Readonly<Record<string, string>> {
  const [head = ""] = metadata.split(/\r?\n\r?\n/, 1);
  const pairs = [...head.matchAll(/^([\w-]+): (.*)$/gm)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, value.trim()]));
}

function quote(words: string): string {
  return `“${words.slice(0, MAX_QUOTED_CHARS)}”`;
}
