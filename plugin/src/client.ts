/**
 * The server's routes as typed calls. Every call has a time limit, every reply is checked against
 * the contract once, and every failure is a `ServerError` that says which kind of failure it is.
 *
 * The client does not depend on Obsidian: its transport is passed in, so pages and tests use their own.
 */

import type {
  Change,
  ConfirmedWrite,
  LedgerReply,
  LedgerRequest,
  RedeemReply,
  ReindexRequest,
  Routes,
  SearchReply,
  SearchRequest,
  ServerWritesReply,
  SimilarRequest,
  StatusReply,
  SuggestReply,
  SyncReply,
  SyncRequest,
} from "./contract";
import { redeemed } from "./pairing";
import * as replies from "./replies";
import { anything, ShapeError, type Check } from "./shape";
import { Timer } from "./support";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}
export interface HttpResponse {
  readonly status: number;
  readonly text: string;
}
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export type FailureKind =
  | "unreachable" // no connection
  | "timeout" // no reply in time
  | "unauthorized" // the token is missing or wrong
  | "refused" // the server replied with a problem document
  | "garbage"; // the reply does not match the contract

export class ServerError extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

/** Narrows `error` to a failure to show to the user; anything else is a bug and is thrown again. */
export function asServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  throw error;
}

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** A log entry of one request. It holds no query, no path of a note and no token. */
export interface RequestEntry {
  readonly at: number;
  readonly route: string;
  readonly outcome: string;
  readonly ms: number;
}

export type SearchOptions = Pick<SearchRequest, "limit" | "mode" | "typing" | "weak">;
export type SimilarOptions = Pick<SimilarRequest, "limit" | "unlinked">;
export type QueueAction = "pause" | "resume" | "retry" | "cancel";

type Method = HttpRequest["method"];
type PathsOf<M extends Method, Route = keyof Routes> = Route extends `${M} /api/${infer Path}` ? Path : never;
type Route<M extends Method, Path extends PathsOf<M>> = Routes[`${M} /api/${Path}` & keyof Routes];
/** The parameters of a route, without the vault, which the client adds. */
export type RouteParameters<M extends Method, Path extends PathsOf<M>> = Omit<Route<M, Path>["parameters"], "vault">;
/** Parameters that travel in an address: there all values are text, and the server reads them. */
export type Query<Path extends PathsOf<"GET">> = {
  readonly [K in keyof RouteParameters<"GET", Path>]: RouteParameters<"GET", Path>[K] | string;
};
/** A check of the route's reply, or of a part of it. */
type ReplyCheck<M extends Method, Path extends PathsOf<M>, T> = Check<T> &
  (Route<M, Path>["reply"] extends T ? unknown : never);
/** A file as `POST /api/sync` takes it: path, size in bytes, mtime in milliseconds. */
export type FileStamp = SyncRequest["files"][number];

const QUICK_MS = 5_000;
const ORDINARY_MS = 10_000;
const LONG_MS = 60_000; // a manifest of many notes, or a batch of their contents

export class Client {
  readonly endpoint: Endpoint;
  protected readonly transport: Transport;
  protected readonly log: (entry: RequestEntry) => void;
  protected readonly vault: string | undefined;

  /** `log` is called after every request; `vault` is the id of the vault that requests are about. */
  constructor(
    transport: Transport,
    log: (entry: RequestEntry) => void,
    endpoint: Endpoint,
    vault?: string,
  ) {
    this.transport = transport;
    this.log = log;
    this.endpoint = endpoint;
    this.vault = vault;
  }

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

  similarText(text: string, limit: number): Promise<SearchReply> {
    return this.post("similar", replies.search, { text, limit });
  }

  noteChunks(path: string): Promise<replies.NoteChunks> {
    return this.get("note", replies.noteChunks, { path });
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

  protected get<P extends PathsOf<"GET">, T>(
    path: P,
    check: ReplyCheck<"GET", P, T>,
    query: Query<P>,
    limitMs = ORDINARY_MS,
  ): Promise<T> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ vault: this.vault, ...query })) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    return this.call("GET", path, check, limitMs, `?${parameters}`);
  }

  protected post<P extends PathsOf<"POST">, T>(
    path: P,
    check: ReplyCheck<"POST", P, T>,
    body: RouteParameters<"POST", P>,
  ): Promise<T> {
    const json = JSON.stringify({ vault: this.vault, ...body });
    return this.call("POST", path, check, LONG_MS, "", json);
  }

  protected async call<T>(
    method: Method,
    route: string,
    check: Check<T>,
    limitMs: number,
    query: string,
    body?: string,
  ): Promise<T> {
    const { url, token } = this.endpoint;
    const at = Date.now();
    let outcome = "";
    const request: HttpRequest = {
      method,
      url: `${url}/api/${route}${query}`,
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body && { "Content-Type": "application/json" }),
      },
      body,
    };
    try {
      const response = await withinTime(this.transport(request), limitMs);
      const value = valueOf(response, check);
      outcome = String(response.status);
      return value;
    } catch (error) {
      const { kind, status } = asServerError(error);
      outcome = kind === "refused" ? String(status) : kind;
      throw error;
    } finally {
      this.log({ at, route: `${method} /api/${route}`, outcome, ms: Date.now() - at });
    }
  }
}

/** The transport has neither a time limit nor a way to abort, so a late response is dropped. */
function withinTime(sent: Promise<HttpResponse>, limitMs: number): Promise<HttpResponse> {
  const timer = new Timer();
  const timeout = new Promise<never>((_, reject) => {
    const error = new ServerError("timeout", `No answer within ${limitMs / 1000} seconds.`);
    timer.set(limitMs, () => reject(error));
  });
  const response = sent.catch((cause: unknown) => {
    throw new ServerError("unreachable", cause instanceof Error ? cause.message : String(cause));
  });
  return Promise.race([response, timeout]).finally(() => timer.clear());
}

function valueOf<T>({ status, text }: HttpResponse, check: Check<T>): T {
  const refusal = status === 401 ? "unauthorized" : "refused";
  try {
    const value = JSON.parse(text) as unknown;
    if (status >= 200 && status < 300) return check(value);
    throw new ServerError(refusal, replies.problem(value).detail, status);
  } catch (error) {
    if (!(error instanceof ShapeError || error instanceof SyntaxError)) throw error;
    // The response may come from a proxy on the way; its status still counts.
    const kind = status === 401 ? refusal : "garbage";
    const why = error instanceof ShapeError ? `The reply is not valid: ${error.message}.` : "The reply is not JSON.";
    throw new ServerError(kind, why, status);
  }
}
