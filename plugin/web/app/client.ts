/** The plugin's client, extended by the routes that only the web pages use. */

import { Client, type Query, type RouteParameters } from "../../src/client";
import type * as contract from "../../src/contract";
import { anything } from "../../src/shape";
import { saved } from "../../src/askReplies";
import * as memory from "./memoryReplies";
import * as replies from "./replies";
import * as setup from "./setupReplies";
import * as tend from "./tendReplies";

const ORDINARY_MS = 10_000;

export class WebClient extends Client {
  override ofVault(vault: string): WebClient {
    return new WebClient(this.transport, this.log, this.endpoint, vault);
  }

  health(): Promise<contract.HealthReply> {
    return this.get("health", replies.health, {});
  }

  find(q: string, parameters: Omit<Query<"search">, "q">): Promise<contract.SearchReply> {
    return this.get("search", replies.search, { q, door: "web", ...parameters });
  }

  /** Searches every vault that the server serves. */
  findEverywhere(q: string, parameters: Omit<Query<"search">, "q">): Promise<contract.SearchReply> {
    return this.ofVault("all").find(q, parameters);
  }

  similarNotes(path: string, limit: number, weak = false): Promise<contract.SearchReply> {
    return this.get("similar", replies.search, { path, limit, ...(weak && { weak }) });
  }

  fullNote(path: string): Promise<contract.NoteReply> {
    return this.get("note", replies.note, { path });
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

  archaeology(q: string, granularity: string): Promise<contract.ArchaeologyReply> {
    return this.get("archaeology", replies.archaeology, { q, granularity, limit: 500 });
  }

  async complete(prefix: string, limit: number): Promise<readonly contract.Completion[]> {
    return (await this.get("complete", replies.complete, { prefix, limit })).completions;
  }

  queries(limit: number): Promise<contract.LogReply> {
    return this.get("log", replies.log, { limit });
  }

  clearLog(): Promise<unknown> {
    return this.post("log/clear", anything, { keep_verdicts: true });
  }

  /** Reports which result was opened, for the search statistics. */
  opened(queryId: string | undefined, q: string, path: string, rank: number): Promise<unknown> {
    return this.post("opened", anything, { q, path, rank, ...(queryId ? { query_id: queryId } : {}) });
  }

  judge(q: string, path: string, verdict: contract.VerdictRequest["verdict"]): Promise<unknown> {
    return this.post("verdict", anything, { q, path, verdict });
  }

  knownVaults(): Promise<contract.VaultsReply> {
    return this.get("vaults", setup.vaultsWithRights, {});
  }

  addVault(folder: string): Promise<contract.VaultsReply> {
    return this.post("vaults", setup.vaultsWithRights, { folder });
  }

  removeVault(id: string): Promise<contract.VaultsReply> {
    return this.call("DELETE", "vaults", setup.vaultsWithRights, ORDINARY_MS, "", JSON.stringify({ id }));
  }

  askSetup(): Promise<contract.AskSetupReply> {
    return this.get("ask/setup", setup.askSetup, {});
  }

  changeAskSetup(wanted: Omit<contract.ChangeAskSetupRequest, "vault">): Promise<contract.AskSetupReply> {
    return this.post("ask/setup", setup.askSetup, wanted);
  }

  stats(): Promise<contract.StatsReply> {
    return this.get("stats", replies.stats, {});
  }

  models(): Promise<contract.CatalogueReply> {
    return this.get("models", setup.models, {});
  }

  config(): Promise<contract.ConfigReply> {
    return this.get("config", replies.config, {});
  }

  /** Changes settings by their keys; null removes a setting from the file. */
  configure(changes: contract.ChangeConfigRequest["changes"]): Promise<contract.ConfigReply> {
    const parameters: RouteParameters<"PATCH", "config"> = { changes };
    const body = JSON.stringify({ vault: this.vault, ...parameters });
    return this.call("PATCH", "config", replies.config, ORDINARY_MS, "", body);
  }

  /** Allows sending notes to the host of the configured service, or forbids it. */
  allowHost(host: string, allowed: boolean): Promise<contract.AllowedHostReply> {
    const parameters: RouteParameters<"POST", "models/allow"> = { host, allowed };
    return this.call("POST", "models/allow", replies.allowedHost, ORDINARY_MS, "", JSON.stringify({ vault: this.vault, ...parameters }));
  }

  saveAnswer(conversation: string, path: string): Promise<contract.AskSavedReply> {
    return this.post("ask/save", saved, { conversation, path });
  }

  memories(parameters: Query<"memory/list">): Promise<contract.MemoryListReply> {
    return this.get("memory/list", memory.memories, parameters);
  }

  recall(query: string, parameters: Omit<Query<"memory/recall">, "query">): Promise<contract.RecallReply> {
    return this.get("memory/recall", memory.recall, { query, ...parameters });
  }

  memory(id: string): Promise<contract.MemoryInspectReply> {
    return this.get("memory/inspect", memory.inspect, { id });
  }

  memoryHealth(parameters: Query<"memory/health">): Promise<contract.MemoryHealthReply> {
    return this.get("memory/health", memory.health, parameters);
  }

  /** Reports whether a memory that was used helped, which changes its confidence. */
  memoryOutcome(id: string, helped: boolean, comment: string): Promise<unknown> {
    return this.post("memory/outcome", memory.changed, { id, helped, comment });
  }

  /** Deletes a memory; a golden rule only with `force`. */
  async forgetMemory(id: string, force: boolean): Promise<number | null> {
    return (await this.post("memory/forget", memory.forgotten, { id, force })).undo;
  }

  /** Undoes a write to the vault: the one with this number, else the newest. */
  undo(number: number | undefined): Promise<unknown> {
    return this.post("writes/undo", anything, { number });
  }

  /** Makes a one-time link that lets a device in; `address` is where this page reaches the server. */
  /** Ends the one-time links that nobody used. */
  cancelPairing(): Promise<contract.PairCancelReply> {
    return this.post("pair/cancel", replies.pairCancel, {});
  }

  pair(scope: contract.PairRequest["scope"], address: string): Promise<contract.PairReply> {
    return this.post("pair", replies.pair, { scope, address });
  }

  /** The newest runs, and those that are due next. */
  runs(limit: number): Promise<contract.RunsReply> {
    return this.get("runs", tend.runs, { limit });
  }

  /** Stops a run at its next item; what it has done stays. */
  cancelRun(id: string): Promise<contract.RunView> {
    return this.post("runs/{id}/cancel", tend.run, { id });
  }

  gleanings(parameters: Query<"gleanings">): Promise<contract.GleaningsReply> {
    return this.get("gleanings", tend.gleanings, parameters);
  }

  gleaningStats(): Promise<contract.GleaningStatsReply> {
    return this.get("gleanings/stats", tend.gleaningStats, {});
  }

  async markGleaning(id: string, status: contract.GleaningStatus): Promise<contract.GleaningView> {
    return (await this.post("gleanings/{id}/status", tend.gleaning, { id, status })).gleaning;
  }

  /** Makes notes of the saved links that have none; with `dryRun` it only tells. */
  extractGleanings(dryRun: boolean): Promise<contract.ExtractReply> {
    return this.post("gleanings/extract", tend.extracted, { dry_run: dryRun });
  }

  /** This browser's session: what it is allowed to do. */
  session(): Promise<contract.SessionReply> {
    return this.get("session", replies.session, {});
  }
}
