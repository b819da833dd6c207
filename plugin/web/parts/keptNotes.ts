/** Notes that this browser keeps for times without a server, found by their titles. */

import type { NoteReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { h } from "../lib/dom";
import { ANSWERS } from "../lib/keptAnswers";
import { emptyBox } from "./errors";
import { noteLinks } from "./rail";
import { t } from "../../src/texts";

const MOST = 20;

type Kept = Pick<NoteReply, "path" | "title">;

/** What is shown for a search that no server answers: the kept notes whose titles have all of its words. */
export async function keptNotes(context: ViewContext): Promise<HTMLElement> {
  const { q = "" } = context.address.query;
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const all = await readKept(context.vault?.id ?? "");
  const found = all.filter(({ title, path }) => words.every((word) => `${title} ${path}`.toLocaleLowerCase().includes(word)));
  if (found.length === 0) return emptyBox(t("Nothing kept matches"), t("Of {n} notes kept in this browser, none has these words in its title. The search goes on when the server is back.", { n: all.length }));
  return h("section", { class: "near kept" }, h("h1", {}, t("Kept in this browser")), noteLinks(context, found.slice(0, MOST)));
}

async function readKept(vault: string): Promise<Kept[]> {
  try {
    const cache = await caches.open(ANSWERS);
    const kept = (await cache.keys()).filter(({ url }) => isNoteOf(new URL(url), vault));
    const replies = await Promise.all(kept.map(async (request) => (await cache.match(request))?.json() as Promise<Kept> | undefined));
    return [...new Map(replies.flatMap((one) => (one ? [[one.path, one] as const] : []))).values()];
  } catch {
    return []; // storage is blocked or damaged
  }
}

function isNoteOf({ pathname, searchParams }: URL, vault: string): boolean {
  return pathname === "/api/note" && (searchParams.get("vault") ?? vault) === vault;
}
