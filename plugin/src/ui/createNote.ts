/** Creates a note from what was searched for. */

import { normalizePath, Notice, type TFile } from "obsidian";
import { activePath } from "./open";
import type { ViewContext } from "./viewContext";
import { t } from "../texts";

/** Creates a note named after the query, or returns the existing one of that name. */
export async function createNote({ app }: ViewContext, query: string): Promise<TFile | null> {
  const name = query.replace(/[\\/:*?"<>|#^[\]\s]+/g, " ").replace(/^[. ]+|[. ]+$/g, "").slice(0, 120);
  if (!name) {
    new Notice(t("A note cannot be named like this."));
    return null;
  }
  const from = activePath(app) ?? "";
  const folder = app.fileManager.getNewFileParent(from, `${name}.md`);
  const path = normalizePath(`${folder.path}/${name}.md`);
  return app.vault.getFileByPath(path) ?? app.vault.create(path, "");
}
