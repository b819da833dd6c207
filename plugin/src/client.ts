/**
 * The server's routes as typed calls. Every call has a time limit, every answer is checked against
 * the contract once, and every failure is a `ServerError` that says which kind of failure it is.
 *
 * The client knows no app: it is given a transport, so that pages and tests can bring their own.
 */

import type {
  Change,
  LedgerReply,
  LedgerRequest,
  ReindexRequest,
  Routes,
  SearchReply,
  SearchRequest,
  SimilarRequest,
  StatusReply,
  SyncReply,
  SyncRequest,
} from "./contract";
import * as replies from "./replies";
import { anything, ShapeError, type Check } from "./shape";
import { Timer } from "./support";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

export type FailureKind =
  | "unreachable" // nobody listens there
  | "timeout" // somebody may, but does not answer in time
  | "unauthorized" // the token is missing or wrong
  | "refused" // a problem document: the server says what is wrong
  | "garbage"; // an answer that is not the contract's

export class ServerError extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

/** A failure of the server's, to be told to a person; anything else is a fault and thrown on. */
export function asServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  throw error;
}

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

/** A request that was made: no query, no path of a note, no token. */
export interface RequestEntry {
  readonly at: number;
  readonly route: string;
  readonly outcome: string;
  readonly ms: number;
}

export type SearchOptions = Pick<SearchRequest, "limit" | "mode" | "typing">;
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

  /** `log` is told of every request; `vault` is the one of the server's that is asked about. */
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

  /** The same server, asked about one vault. */
  ofVault(vault: string): Client {
    return new Client(this.transport, this.log, this.endpoint, vault);
  }

  /** What the server says of itself, whichever version of the contract it speaks. */
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
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries({ vault: this.vault, ...query })) {
      if (value !== undefined) given.set(name, String(value));
    }
    return this.call("GET", path, check, limitMs, `?${given}`);
  }

  protected post<P extends PathsOf<"POST">, T>(
    path: P,
    check: ReplyCheck<"POST", P, T>,
    body: RouteParameters<"POST", P>,
  ): Promise<T> {
    const written = JSON.stringify({ vault: this.vault, ...body });
    return this.call("POST", path, check, LONG_MS, "", written);
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
      const answer = await withinTime(this.transport(request), limitMs);
      const value = valueOf(answer, check);
      outcome = String(answer.status);
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

/** The transport has neither a time limit nor a way to abort, so a late answer is dropped. */
function withinTime(answer: Promise<HttpAnswer>, limitMs: number): Promise<HttpAnswer> {
  const timer = new Timer();
  const tooLate = new Promise<never>((_, reject) => {
    const error = new ServerError("timeout", `No answer within ${limitMs / 1000} seconds.`);
    timer.set(limitMs, () => reject(error));
  });
  const answered = answer.catch((cause: unknown) => {
    throw new ServerError("unreachable", cause instanceof Error ? cause.message : String(cause));
  });
  return Promise.race([answered, tooLate]).finally(() => timer.clear());
}

function valueOf<T>({ status, text }: HttpAnswer, check: Check<T>): T {
  const refusal = status === 401 ? "unauthorized" : "refused";
  try {
    const value = JSON.parse(text) as unknown;
    if (status >= 200 && status < 300) return check(value);
    throw new ServerError(refusal, replies.problem(value).detail, status);
  } catch (error) {
    if (!(error instanceof ShapeError || error instanceof SyntaxError)) throw error;
    // A refusal may come from something in between, such as a proxy; its status still counts.
    const kind = status === 401 ? refusal : "garbage";
    const why = error instanceof ShapeError ? `The answer is odd: ${error.message}.` : "The answer is not JSON.";
    throw new ServerError(kind, why, status);
  }
}
