/** The plugin's client, extended by the routes that only the web pages use. */

import { Client, MODELS_MS, type Query } from "../../src/client";
import type * as contract from "../../src/contract";
import { anything } from "../../src/shape";
import { LONG_MS } from "../../src/http";
import { models, saved } from "../../src/askReplies";
import * as replies from "./replies";

export class WebClient extends Client {
  override ofVault(vault: string): WebClient {
    return new WebClient(this.transport, this.log, this.endpoint, vault);
  }

  health(): Promise<contract.HealthReply> {
    return this.get("health", replies.health, {});
  }

  find(q: string, parameters: Omit<Query<"search">, "q">): Promise<contract.SearchReply> {
    const isPast = parameters.as_of || parameters.ever; // whose index may have to be made first
    return this.get("search", replies.search, { q, door: "web", ...parameters }, isPast ? LONG_MS : undefined);
  }

  /** Searches every vault that the server serves. */
  findEverywhere(q: string, parameters: Omit<Query<"search">, "q">): Promise<contract.SearchReply> {
    return this.ofVault("all").find(q, parameters);
  }

  similarNotes(path: string, limit: number, weak = false): Promise<contract.SearchReply> {
    return this.get("similar", replies.search, { path, limit, ...(weak && { weak }) });
  }

  /** The notes that belong to the paragraph of a note on a line. */
  around(path: string, line: number, limit: number): Promise<contract.AroundReply> {
    return this.get("note/around", replies.around, { path, line, limit });
  }

  /** The notes that a note links and that say what it does not of a question. */
  companions(q: string, path: string): Promise<contract.CompanionsReply> {
    return this.get("companions", replies.companions, { q, path });
  }

  /** The notes that are bookmarked in Obsidian. */
  bookmarks(): Promise<contract.BookmarksReply> {
    return this.get("bookmarks", replies.bookmarks, {});
  }

  fullNote(path: string): Promise<contract.NoteReply> {
    return this.get("note", replies.note, { path });
  }

  base(parameters: Query<"base">): Promise<contract.BaseReply> {
    return this.get("base", replies.base, parameters);
  }

  neighbors(path: string, hops: number, limit: number): Promise<contract.NeighborsReply> {
    return this.get("graph/neighbors", replies.neighbors, { path, hops, daily: false, limit });
  }

  async hubs(limit: number): Promise<readonly contract.Hub[]> {
    return (await this.get("graph/hubs", replies.hubs, { limit, daily: false })).hubs;
  }

  neighborhood(parameters: Query<"graph/neighborhood">): Promise<contract.NeighborhoodReply> {
    return this.get("graph/neighborhood", replies.neighborhood, parameters);
  }

  path(source: string, target: string): Promise<contract.PathReply> {
    return this.get("graph/path", replies.path, { source, target });
  }

  /** The results of a search by their dates; all of them, as the list has them. */
  archaeology(q: string, granularity: string, weak = false): Promise<contract.ArchaeologyReply> {
    return this.get("archaeology", replies.archaeology, { q, granularity, limit: 500, min_score: 0, weak });
  }

  /** Why a search does not find a note. */
  diagnose(q: string, path: string): Promise<contract.Diagnosis> {
    return this.get("diagnose", replies.diagnosis, { q, path });
  }

  /** The changes of a note whose lines match. */
  history(q: string, path: string, limit: number): Promise<contract.HistoryReply> {
    return this.get("history", replies.history, { q, path, limit }, LONG_MS);
  }

  async complete(prefix: string, limit: number): Promise<readonly contract.Completion[]> {
    return (await this.get("complete", replies.complete, { prefix, limit })).completions;
  }

  /** How many suggestions of the gardener's newest plan are open. */
  async openSuggestions(): Promise<number> {
    const [newest] = (await this.get("garden/plans", replies.planCounts, { limit: 1 })).plans;
    return newest?.counts["open"] ?? 0;
  }

  /** Reports which result was opened, for the search statistics. */
  opened(queryId: string | undefined, q: string, path: string, rank: number): Promise<unknown> {
    return this.post("opened", anything, { q, path, rank, ...(queryId ? { query_id: queryId } : {}) });
  }

  judge(q: string, path: string, verdict: contract.VerdictRequest["verdict"]): Promise<unknown> {
    return this.post("verdict", anything, { q, path, verdict });
  }

  phoneIndex(): Promise<contract.PhoneIndexReply> {
    return this.get("phone-index", replies.phoneIndex, {}, LONG_MS);
  }

  /** Has the file for phones written into the vault and kept up to date, or deleted. */
  switchPhoneIndex(on: boolean): Promise<contract.PhoneIndexReply> {
    return this.call("POST", "phone-index", replies.phoneIndex, LONG_MS, "", JSON.stringify({ vault: this.vault, on }));
  }

  /** Programs on the server's computer that serve language models. */
  async localModels(): Promise<readonly contract.LocalModels[]> {
    return (await this.get("ask/local", replies.localModels, {}, MODELS_MS)).found;
  }

  /** Answers questions with a program on the server's computer from now on. */
  useLocalModel(server: contract.LocalServer, model: string): Promise<contract.AskModelsReply> {
    return this.post("ask/use", models, { server, model });
  }

  saveAnswer(conversation: string, path: string): Promise<contract.AskSavedReply> {
    return this.post("ask/save", saved, { conversation, path });
  }

  /** Undoes a write to the vault: the one with this number, else the newest. */
  undo(number: number | undefined): Promise<unknown> {
    return this.post("writes/undo", anything, { number });
  }

  /** This browser's session: what it is allowed to do. */
  session(): Promise<contract.SessionReply> {
    return this.get("session", replies.session, {});
  }
}
