/** What a search dialog shows before a letter is typed: notes that belong to the paragraph with the cursor, and those opened lately. */

import { asServerError } from "../client";
import type { Result } from "../contract";
import { sentenceBefore } from "./linkSuggest";
import type { ViewContext } from "./viewContext";

const BELONGING = 5;

/** The notes opened lately, the latest first, without the one that is open. */
export function lately({ app, local }: ViewContext): Result[] {
  const own = app.workspace.getActiveFile()?.path;
  return app.workspace.getLastOpenFiles().flatMap((path) => (path === own ? [] : local.at(path)));
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
