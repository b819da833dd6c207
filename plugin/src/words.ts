/** Words for the codes that a server, and the connection to it, have: states of notes and of the index. */

import { t } from "./texts";

/** A state of a note, of the index or of the connection; one that is not known as the server writes it. */
export function stateWord(code: string): string {
  const words: Readonly<Record<string, string>> = {
    degraded: t("degraded"),
    excluded: t("excluded"),
    failed: t("failed"),
    indexed: t("indexed"),
    indexing: t("indexing"),
    keyword_only: t("keyword only"),
    mismatch: t("wrong version"),
    "needs-token": t("needs token"),
    offline: t("offline"),
    partial: t("partial"),
    pending: t("pending"),
    ready: t("ready"),
    starting: t("starting"),
    unavailable: t("unavailable"),
  };
  return words[code] ?? code.replaceAll(/[_-]/g, " ");
}
