/**
 * Searches every vault that the server serves, where a person chose that. Notes of other vaults have paths
 * that begin with their vault, where no note of this one can be, and open by their addresses.
 */

import type { Client, SearchOptions } from "./client";
import type { Connection } from "./connection";
import type { Result, SearchReply } from "./contract";
import { OTHER_VAULTS } from "./format";
import type { Settings } from "./settings";

interface Parts {
  readonly connection: Connection;
  readonly settings: Settings;
}

/** Whether there are other vaults to search. */
export function hasOthers({ connection }: Pick<Parts, "connection">): boolean {
  return connection.session?.isOneOfSeveral ?? false;
}

/** Searches this vault, or all of them if that is chosen. */
export async function searchChosen(parts: Parts, client: Client, q: string, options: SearchOptions): Promise<SearchReply> {
  const { connection, settings } = parts;
  const own = connection.session?.vault.name;
  if (!settings.chosen.allVaults || !hasOthers(parts)) return client.search(q, options);
  const reply = await client.ofVault("all").search(q, options);
  // Of this vault's index alone is it known when it changes, which is when the search is repeated.
  const generation = connection.lastStatus?.generation ?? reply.generation;
  return { ...reply, generation, results: reply.results.map((result) => placed(result, own)) };
}

function placed(result: Result, own: string | undefined): Result {
  const { path, vault } = result;
  return vault && vault !== own ? { ...result, path: `${OTHER_VAULTS}${vault}/${path}` } : result;
}
