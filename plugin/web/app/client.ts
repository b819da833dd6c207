/** The plugin's client with the routes that only the pages use. */

import { Client, type Query } from "../../src/client";
import { healthShape, type Health } from "../../src/contract";
import { anything } from "../../src/shape";
import * as asks from "./askContract";
import * as contract from "./contract";
import * as memory from "./memoryContract";

const CHANGE_MS = 10_000;
const MODELS_MS = 45_000; // a provider that sleeps is asked several times

export interface SearchAsked {
  readonly limit: number;
  readonly mode?: string;
  readonly fusion?: string;
  readonly alpha?: number;
  readonly explain?: boolean;
  readonly [more: string]: string | number | boolean | undefined;
}

export class WebClient extends Client {
  override ofVault(vault: string): WebClient {
    return new WebClient(this.transport, this.log, this.endpoint, vault);
  }

  health(): Promise<Health> {
    return this.get("health", healthShape, {});
  }

  find(q: string, asked: SearchAsked): Promise<contract.SearchReply> {
    return this.get("search", contract.fullSearchShape, { q, door: "web", ...asked });
  }

  alike(path: string, limit: number): Promise<contract.SearchReply> {
    return this.get("similar", contract.fullSearchShape, { path, limit });
  }

  fullNote(path: string): Promise<contract.Note> {
    return this.get("note", contract.fullNoteShape, { path });
  }

  neighbors(path: string, hops: number, limit: number): Promise<contract.Neighbors> {
    return this.get("graph/neighbors", contract.neighborsShape, { path, hops, daily: false, limit });
  }

  async hubs(limit: number): Promise<readonly contract.Hub[]> {
    return (await this.get("graph/hubs", contract.hubsShape, { limit, daily: false })).hubs;
  }

  neighborhood(asked: Query): Promise<contract.Neighborhood> {
    return this.get("graph/neighborhood", contract.neighborhoodShape, asked);
  }

  archaeology(q: string, granularity: string): Promise<contract.Archaeology> {
    return this.get("archaeology", contract.archaeologyShape, { q, granularity, limit: 500 });
  }

  async complete(prefix: string, limit: number): Promise<readonly contract.Completion[]> {
    return (await this.get("complete", contract.completeShape, { prefix, limit })).completions;
  }

  queries(limit: number): Promise<contract.Log> {
    return this.get("log", contract.logShape, { limit });
  }

  clearLog(): Promise<unknown> {
    return this.post("log/clear", anything, { keep_verdicts: true });
  }

  /** Tells the server which result was read; it matters to nobody here whether that was kept. */
  opened(queryId: string | undefined, q: string, path: string, rank: number): Promise<unknown> {
    return this.post("opened", anything, { q, path, rank, ...(queryId ? { query_id: queryId } : {}) });
  }

  judge(q: string, path: string, verdict: string): Promise<unknown> {
    return this.post("verdict", anything, { q, path, verdict });
  }

  stats(): Promise<contract.Stats> {
    return this.get("stats", contract.statsShape, {});
  }

  models(): Promise<contract.Models> {
    return this.get("models", contract.modelsShape, {});
  }

  config(): Promise<contract.Config> {
    return this.get("config", contract.configShape, {});
  }

  /** Changes settings by their keys; null takes one out of the file again. */
  configure(changes: Readonly<Record<string, unknown>>): Promise<contract.Config> {
    const body = JSON.stringify({ vault: this.vault, changes });
    return this.call("PATCH", "config", contract.configShape, CHANGE_MS, "", body);
  }

  /** The models of the configured provider; refused with status 400 where none is configured. */
  askModels(): Promise<asks.AskModels> {
    return this.get("ask/models", asks.askModelsShape, {}, MODELS_MS);
  }

  /** A conversation as far as it went; refused with status 404 where it is not kept any more. */
  conversation(conversation: string): Promise<asks.Conversation> {
    return this.get("ask/conversation", asks.conversationShape, { conversation });
  }

  /** The conversations that are kept, the one asked last first. */
  async conversations(): Promise<readonly asks.KeptConversation[]> {
    return (await this.get("ask/conversations", asks.conversationsShape, {})).conversations;
  }

  forgetConversation(conversation: string): Promise<unknown> {
    return this.post("ask/forget", anything, { conversation });
  }

  saveAnswer(conversation: string, path: string): Promise<asks.Saved> {
    return this.post("ask/save", asks.savedShape, { conversation, path });
  }

  memories(asked: Query): Promise<memory.MemoryList> {
    return this.get("memory/list", memory.memoryListShape, asked);
  }

  recall(query: string, asked: Query): Promise<memory.Recall> {
    return this.get("memory/recall", memory.recallShape, { query, ...asked });
  }

  memory(id: string): Promise<memory.Inspected> {
    return this.get("memory/inspect", memory.inspectShape, { id });
  }

  memoryHealth(asked: Query): Promise<memory.MemoryHealth> {
    return this.get("memory/health", memory.memoryHealthShape, asked);
  }

  /** Says whether a memory that was used helped; its confidence follows. */
  memoryOutcome(id: string, helped: boolean, comment: string): Promise<unknown> {
    return this.post("memory/outcome", memory.changedShape, { id, helped, comment });
  }

  /** Deletes a memory; a golden rule only with `force`. */
  async forgetMemory(id: string, force: boolean): Promise<number | null> {
    return (await this.post("memory/forget", memory.forgottenShape, { id, force })).undo;
  }

  /** Takes a write to the vault back: that of the number, else the newest. */
  undo(number: number | undefined): Promise<unknown> {
    return this.post("writes/undo", anything, { number });
  }

  /** Who this browser is to the server, and what it may do. */
  session(): Promise<contract.Session> {
    return this.get("session", contract.sessionShape, {});
  }

  openApi(): Promise<{ readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }> {
    return this.get("openapi.json", contract.openApiShape, {});
  }
}
