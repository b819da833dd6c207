/** What a search dialog shows before a letter is typed: notes that belong to the paragraph with the cursor, and those opened lately. */

import { asServerError } from "../client";
import type { Result } from "../contract";
import { sentenceBefore } from "./linkSuggest";
import { activePath } from "./open";
import type { ViewContext } from "./viewContext";

const BELONGING = 5;
const LATELY = 10;

/** The notes opened lately, the latest first, and then those changed lately; without the one that is open. */
export function lately({ app, local }: ViewContext): Result[] {
  const { workspace, vault } = app;
  const changed = vault.getMarkdownFiles().sort((one, other) => other.stat.mtime - one.stat.mtime);
  const paths = new Set([...workspace.getLastOpenFiles(), ...changed.slice(0, LATELY).map(({ path }) => path)]);
  paths.delete(activePath(app) ?? "");
  return [...paths].slice(0, LATELY).flatMap((path) => local.at(path));
}

/** The notes that belong to the paragraph in which somebody writes; none where no note is open. */
export async function belonging({ app, connection, local }: ViewContext): Promise<readonly Result[]> {
  const { workspace } = app;
  const file = workspace.getActiveFile();
  if (!file) return [];
  const editor = workspace.activeEditor?.editor;
  const text = editor ? sentenceBefore(editor, editor.getCursor(), "", file.basename) : "";
  const { session } = connection;
  try {
    const asked = session ? session.client.belonging(file.path, text, BELONGING) : local.similar({ text }, BELONGING);
    return (await asked).results.filter(({ path }) => path !== file.path.normalize());
  } catch (error) {
    connection.report(asServerError(error)); // whoever searches is not told; the status bar is
    return [];
  }
}
