/** The search of an address: what is asked, whether it is another one, and which result was opened. */

import { asServerError } from "../../src/client";
import type { Result, SearchReply } from "../../src/contract";
import { rowKey } from "../parts/resultRow";
import type { ViewContext } from "./viewContext";

/** Parameters of the address that the server is asked with, and all that make another list. */
const PASSED = ["mode", "alpha", "weak", "everything", "expand", "rerank", "as_of", "ever"] as const;
const ASKED = ["q", "like", "exact", "sort", ...PASSED] as const;

/** Which vault is searched: its id, or all. */
export function searchedVault(context: ViewContext): string | undefined {
  return context.isEverywhere ? "all" : context.vault?.id;
}

/** What tells one search from another. */
export function questionOf(context: ViewContext): string {
  const { query } = context.address;
  return JSON.stringify([searchedVault(context), context.typing, ...ASKED.map((name) => query[name])]);
}

export function askFor(context: ViewContext, limit: number): Promise<SearchReply> {
  const { query } = context.address;
  const { q = "", like = "" } = query;
  const { vaultClient: client } = context;
  if (like) return client.similarNotes(like, limit, query["weak"] === "true");
  const asked = Object.fromEntries(PASSED.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const given = { limit, ...context.typing, ...asked, ...(query["exact"] && { ignore: "spelling" }) };
  return context.isEverywhere ? client.findEverywhere(q, given) : client.find(q, given);
}

/** Tells the server which result was opened; only for statistics, so a failure is ignored. */
export function tellOpened(context: ViewContext, reply: SearchReply | null, result: Result): void {
  if (!reply?.query || !context.has("opened")) return;
  const rank = reply.results.findIndex((one) => rowKey(one) === rowKey(result)) + 1; // its row may be of an earlier reply
  const client = result.vault ? context.client.ofVault(result.vault) : context.vaultClient;
  client.opened(reply.query_id, reply.query, result.path, rank).catch(asServerError);
}
