/**
 * What other plugins and scripts may use: `app.plugins.plugins.notewell.api`.
 *
 * One schema, with a version. Fields and functions may be added within a version; one that is to go stays for
 * two releases after the changelog has said so, and then the version rises.
 */

import type { Match, Result, SearchReply } from "./contract";
import type { Finder, Like } from "./finder";
import { isLocal } from "./local/reply";

export const API_VERSION = 1;

export interface FoundNote {
  readonly path: string;
  readonly title: string;
  /** 0 to 1, in the order of the list. */
  readonly score: number;
  /** Null where it is not known, as for an answer by words. */
  readonly match: Match | null;
  readonly heading: string | null;
  /** From 1. */
  readonly line: number;
  readonly page: number | null;
  readonly snippet: string;
  /** Offsets into the snippet, in UTF-16 code units. */
  readonly highlights: readonly (readonly [start: number, end: number])[];
  readonly tags: readonly string[];
  /** ISO 8601; null where it is not known. */
  readonly modified: string | null;
}

export interface FoundNotes {
  readonly version: typeof API_VERSION;
  /** Who answered: the helper, by meaning and words, or the plugin alone, by words. */
  readonly by: "meaning" | "words";
  readonly total: number;
  readonly results: readonly FoundNote[];
}

export interface NotewellApi {
  readonly version: typeof API_VERSION;
  /** Notes that answer a query, in the language of the search field. Rejects with an `Error` where the server refuses. */
  search(query: string, options?: { readonly limit?: number }): Promise<FoundNotes>;
  /** Notes like the note at a path, or like `{text}`. `unlinked`: none that is linked already. */
  similar(like: string | { readonly text: string }, options?: { readonly limit?: number; readonly unlinked?: boolean }): Promise<FoundNotes>;
  /** Calls `listener` when answers may have changed. Returns a function that ends this. */
  on(event: "generation", listener: (generation: number) => void): () => void;
}

const DEFAULT_LIMIT = 10;
const MOST = 200;

export function notewellApi(finder: Finder, register: (end: () => void) => void): NotewellApi {
  return Object.freeze({
    version: API_VERSION,
    search: async (query: string, { limit }: { readonly limit?: number } = {}) => found(await finder.search(textOf(query), limitOf(limit))),
    similar: async (like: string | { readonly text: string }, { limit, unlinked }: { readonly limit?: number; readonly unlinked?: boolean } = {}) =>
      found(await finder.similar(likeOf(like), limitOf(limit), unlinked === true)),
    on: (event: "generation", listener: (generation: number) => void) => {
      if (event !== "generation") throw new TypeError(`Notewell has no event “${String(event)}”; there is "generation".`);
      const end = finder.subscribe(listener);
      register(end);
      return end;
    },
  });
}

/** Scripts are not checked by a compiler. */
function textOf(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("Notewell needs a text.");
  return value;
}

function likeOf(like: string | { readonly text: string }): Like {
  return typeof like === "string" ? { path: like } : { text: textOf(like.text) };
}

function limitOf(limit: number | undefined): number {
  return Math.min(MOST, Math.max(1, Math.trunc(Number(limit ?? DEFAULT_LIMIT)) || DEFAULT_LIMIT));
}

function found(reply: SearchReply): FoundNotes {
  return { version: API_VERSION, by: isLocal(reply) ? "words" : "meaning", total: reply.total, results: reply.results.map(noteOf) };
}

function noteOf({ path, title, score, match, heading, line, page, snippet, highlights, tags, modified }: Result): FoundNote {
  return { path, title, score, match: match ?? null, heading, line, page: page ?? null, snippet, highlights, tags, modified };
}
