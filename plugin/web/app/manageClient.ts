/** The requests of the view Manage, which are loaded with it: the first page does without them. */

import type { Query, RouteParameters } from "../../src/client";
import type * as contract from "../../src/contract";
import { HttpClient } from "../../src/http";
import { anything } from "../../src/shape";
import * as memory from "./memoryReplies";
import * as setup from "./setupReplies";
import * as tend from "./tendReplies";
import type { ViewContext } from "./viewContext";

const ORDINARY_MS = 10_000;

export class ManageClient extends HttpClient {
  queries(limit: number): Promise<contract.LogReply> {
    return this.get("log", setup.log, { limit });
  }

  clearLog(): Promise<unknown> {
    return this.post("log/clear", anything, { keep_verdicts: true });
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
    return this.get("stats", setup.stats, {});
  }

  models(): Promise<contract.CatalogueReply> {
    return this.get("models", setup.models, {});
  }

  config(): Promise<contract.ConfigReply> {
    return this.get("config", setup.config, {});
  }

  /** Changes settings by their keys; null removes a setting from the file. `confirmed`: a person at the server agreed. */
  configure(changes: contract.ChangeConfigRequest["changes"], confirmed = false): Promise<contract.ConfigReply> {
    const parameters: RouteParameters<"PATCH", "config"> = confirmed ? { changes, confirmed } : { changes };
    const body = JSON.stringify({ vault: this.vault, ...parameters });
    return this.call("PATCH", "config", setup.config, ORDINARY_MS, "", body);
  }

  /** Allows sending notes to the host of the configured service, or forbids it. */
  allowHost(host: string, allowed: boolean): Promise<contract.AllowedHostReply> {
    const parameters: RouteParameters<"POST", "models/allow"> = { host, allowed };
    return this.call("POST", "models/allow", setup.allowedHost, ORDINARY_MS, "", JSON.stringify({ vault: this.vault, ...parameters }));
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

  /** Ends the one-time links that nobody used. */
  cancelPairing(): Promise<contract.PairCancelReply> {
    return this.post("pair/cancel", setup.pairCancel, {});
  }

  /** Makes a one-time link that lets a device in; `address` is where this page reaches the server. */
  pair(scope: contract.PairRequest["scope"], address: string): Promise<contract.PairReply> {
    return this.post("pair", setup.pair, { scope, address });
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

  /** The devices that have access of their own. */
  devices(): Promise<contract.DevicesReply> {
    return this.get("devices", setup.devices, {});
  }

  /** Ends the access of a device, at once. */
  revokeDevice(id: string): Promise<contract.DevicesReply> {
    return this.call("DELETE", "devices", setup.devices, ORDINARY_MS, "", JSON.stringify({ id }));
  }

  /** Sign-ins, changes and refused requests, the newest first. */
  audit(limit: number): Promise<contract.AuditReply> {
    return this.get("audit", setup.audit, { limit });
  }
}

/** Manages the selected vault. */
export const managing = (context: ViewContext): ManageClient => context.vaultClient.as(ManageClient);

/** Manages the server, whichever vault is selected. */
export const administering = (context: ViewContext): ManageClient => context.client.as(ManageClient);
