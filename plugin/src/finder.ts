/** Searches wherever an answer is to be had: by the server, else by the plugin's own word index. */

import { Platform } from "obsidian";
import { asServerError } from "./client";
import type { Connection } from "./connection";
import type { SearchReply } from "./contract";
import type { LocalIndex } from "./local/localIndex";
import type { Settings } from "./settings";
import { Timer } from "./support";

/** A note by its path, or a text. */
export type Like = { readonly path: string } | { readonly text: string };

export interface FinderParts {
  readonly connection: Connection;
  readonly local: LocalIndex;
}

const MOST = 1_000; // that a server gives
const CHANGED_AFTER_MS = 2_000; // an index that is being built changes all the time

export class Finder {
  readonly #parts: FinderParts;

  constructor(parts: FinderParts) {
    this.#parts = parts;
  }

  /** `isAll`: weak matches too, and notes that are seldom wanted. */
  search(query: string, limit: number, isAll = false): Promise<SearchReply> {
    const { connection, local } = this.#parts;
    const words = (): Promise<SearchReply> => local.search(query, { limit, isTyping: false, isWidened: true });
    const { session } = connection;
    return session ? this.#orLocal(session.client.search(query, { limit, mode: "hybrid", ...(isAll && { weak: true, everything: true }) }), words) : words();
  }

  /** Notes like a note or a text; `unlinked`: none that is linked with the note already. */
  async similar(like: Like, limit: number, unlinked = false, weak = false): Promise<SearchReply> {
    const { connection, local } = this.#parts;
    const words = (): Promise<SearchReply> => local.similar(like, limit, unlinked);
    const { session } = connection;
    if (!session) return words();
    const { client } = session;
    const asked = "path" in like ? client.similar(like.path, { limit: Math.min(limit + 1, MOST), unlinked, weak }) : client.similarText(like.text, limit, weak);
    const reply = await this.#orLocal(asked, words);
    const own = "path" in like ? like.path.normalize() : null;
    return { ...reply, results: reply.results.filter(({ path }) => path !== own).slice(0, limit) };
  }

  /** Calls `changed` with the index's generation when answers may differ from those before; -1 where words answer. */
  subscribe(changed: (generation: number) => void): () => void {
    const { connection, local } = this.#parts;
    const timer = new Timer();
    let last = connection.lastStatus?.generation ?? -1;
    const tell = (isCertain: boolean): void => {
      timer.setOnce(CHANGED_AFTER_MS, () => {
        const now = connection.lastStatus?.generation ?? -1;
        if (now === last && !isCertain) return;
        last = now;
        changed(now);
      });
    };
    const ends = [connection.subscribe(() => tell(false)), local.reader.subscribe(() => connection.session ?? tell(true))];
    return () => {
      timer.clear();
      for (const end of ends) end();
    };
  }

  /** A server that went away is answered for by words; one that refuses is not. */
  async #orLocal(asked: Promise<SearchReply>, words: () => Promise<SearchReply>): Promise<SearchReply> {
    try {
      return await asked;
    } catch (error) {
      const { kind } = asServerError(error);
      if (kind === "refused" || kind === "unauthorized") throw error;
      return words();
    }
  }
}

/** Has the plugin's own index do as the settings say: read texts, and load the phone index where no server answers. */
export function followSettings(local: LocalIndex, settings: Settings, connection: Connection): () => void {
  // A computer has the memory, so it takes a file that is there.
  const use = (): void => local.phone.use(settings.chosen.loadPhone || !Platform.isMobile, settings.chosen.model, !Platform.isMobile);
  let hasSession = false;
  const ends = [
    settings.watch("localText", (isWanted) => local.reader.readText(isWanted)),
    settings.watch("loadPhone", use),
    connection.subscribe(() => {
      const model = connection.lastStatus?.model ?? "";
      if (connection.session && model && model !== settings.chosen.model) void settings.set("model", model).then(use);
      if (connection.session && !hasSession) local.phone.release();
      hasSession = connection.session !== null;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
