/** The server's routes, one method each. Does not depend on Obsidian: the transport is passed in. */

import * as asks from "./askReplies";
import type {
  AroundReply,
  AskConversationReply,
  AskConversationView,
  AskEventsReply,
  AskModelsReply,
  AskRequest,
  Change,
  ConfirmedWrite,
  EvidenceReply,
  LedgerReply,
  LedgerRequest,
  RedeemReply,
  ReindexRequest,
  SearchReply,
  SearchRequest,
  ServerWritesReply,
  SimilarRequest,
  StatusReply,
  SuggestReply,
  SyncReply,
  SyncRequest,
} from "./contract";
import { HttpClient, LONG_MS } from "./http";
import { redeemed } from "./pairing";
import * as replies from "./replies";
import { anything } from "./shape";

export {
  asServerError,
  ServerError,
  type Endpoint,
  type FailureKind,
  type HttpRequest,
  type HttpResponse,
  type Query,
  type RequestEntry,
  type RouteParameters,
  type Transport,
} from "./http";

export type SearchOptions = Pick<SearchRequest, "everything" | "limit" | "mode" | "typing" | "weak">;
export type SimilarOptions = Pick<SimilarRequest, "limit" | "unlinked" | "weak">;
export type QueueAction = "pause" | "resume" | "retry" | "cancel";

/** A file as `POST /api/sync` takes it: path, size in bytes, mtime in milliseconds. */
export type FileStamp = SyncRequest["files"][number];

const QUICK_MS = 5_000;
export const MODELS_MS = 45_000; // the server retries while a provider starts up
const ANSWER_WAIT_S = 20;

export class Client extends HttpClient {
  /** A client of the same server whose requests are about `vault`. */
  ofVault(vault: string): Client {
    return new Client(this.transport, this.log, this.endpoint, vault);
  }

  /** The server's version and API number, readable whatever version of the contract it has. */
  greeting(): Promise<replies.Greeting> {
    return this.get("health", replies.greeting, {}, QUICK_MS);
  }

  async vaults(): Promise<readonly replies.VaultInfo[]> {
    return (await this.get("vaults", replies.vaults, {}, QUICK_MS)).vaults;
  }

  status(): Promise<StatusReply> {
    return this.get("status", replies.status, {}, QUICK_MS);
  }

  search(q: string, options: SearchOptions): Promise<SearchReply> {
    return this.get("search", replies.search, { q, ...options });
  }

  similar(path: string, options: SimilarOptions): Promise<SearchReply> {
    return this.get("similar", replies.search, { path, ...options });
  }

  similarText(text: string, limit: number, weak = false): Promise<SearchReply> {
    return this.post("similar", replies.search, { text, limit, ...(weak && { weak }) });
  }

  /** The notes that belong to a paragraph of a note, which is given as it stands in the editor. */
  belonging(path: string, text: string, limit: number): Promise<AroundReply> {
    return this.get("note/around", replies.belonging, { path, text, limit });
  }

  /** Whether another model reads the languages of the notes better; the server looks through all of them. */
  suggestedModel(): Promise<SuggestReply> {
    return this.get("models/suggest", replies.suggestion, {}, LONG_MS);
  }

  ledger(which: LedgerRequest): Promise<LedgerReply> {
    return this.get("ledger", replies.ledger, which);
  }

  reindex(what: ReindexRequest): Promise<unknown> {
    return this.post("reindex", replies.accepted, what);
  }

  changes(changes: readonly Change[]): Promise<unknown> {
    return this.post("changes", replies.accepted, { changes });
  }

  sync(files: readonly FileStamp[]): Promise<SyncReply> {
    return this.post("sync", replies.sync, { files });
  }

  /** Notes that the server wrote to its copy of the vault, after the write with that number. */
  serverWrites(after: number): Promise<ServerWritesReply> {
    return this.get("changes", replies.serverWrites, { after }, LONG_MS);
  }

  confirmWrites(confirmed: readonly ConfirmedWrite[]): Promise<unknown> {
    return this.post("changes/confirm", replies.accepted, { confirmed });
  }

  /** Exchanges the code of a pairing link for a token of this device's own. */
  redeem(code: string, name: string): Promise<RedeemReply> {
    return this.post("pair/redeem", redeemed, { code, name });
  }

  queue(action: QueueAction): Promise<unknown> {
    return this.post(`queue/${action}`, anything, {});
  }

  guard(remove: boolean): Promise<unknown> {
    return this.post("guard", anything, { remove });
  }

  /** The models of the configured provider; fails with status 400 where none is configured. */
  askModels(): Promise<AskModelsReply> {
    return this.get("ask/models", asks.models, {}, MODELS_MS);
  }

  /** Sentences that answer a question, or that none does: many are read, behind others where the server is busy. */
  evidence(q: string): Promise<EvidenceReply> {
    return this.get("evidence", asks.evidence, { q }, LONG_MS);
  }

  /** How many answers to questions that wait nobody has seen. */
  async newAnswers(): Promise<number> {
    return (await this.get("questions", asks.newAnswers, {})).new;
  }

  /** Keeps a question until a note answers it. */
  keepQuestion(question: string): Promise<unknown> {
    return this.post("questions", anything, { text: question });
  }

  /** The turns of a stored conversation; fails with status 404 where it is no longer stored. */
  conversation(conversation: string): Promise<AskConversationReply> {
    return this.get("ask/conversation", asks.conversation, { conversation });
  }

  /** The stored conversations, most recent first. */
  async conversations(): Promise<readonly AskConversationView[]> {
    return (await this.get("ask/conversations", asks.conversations, {})).conversations;
  }

  forgetConversation(conversation: string): Promise<unknown> {
    return this.post("ask/forget", anything, { conversation });
  }

  /** Begins an answer, for clients that cannot read a stream. Returns its id. */
  async beginAnswer(question: Omit<AskRequest, "vault" | "stream">): Promise<string> {
    const json = JSON.stringify({ vault: this.vault, ...question, stream: "poll" });
    return (await this.call("POST", "ask", asks.events, LONG_MS, "", json)).id;
  }

  /** The events of an answer after that number; the server waits for one. */
  answerEvents(id: string, after: number): Promise<AskEventsReply> {
    return this.get("ask/{id}", asks.events, { id, after, wait: ANSWER_WAIT_S }, 2 * ANSWER_WAIT_S * 1_000);
  }

  /** Answers an event `permission`: whether the model may read the page. */
  permitAddress(id: string, allow: boolean): Promise<unknown> {
    return this.post("ask/permit", anything, { id, allow });
  }

  stopAnswer(id: string): Promise<unknown> {
    return this.post("ask/stop", anything, { id });
  }
}
