/**
 * The server's routes as typed calls. Every call has a time limit, every answer is checked against
 * the contract once, and every failure is a `ServerError` that says which kind of failure it is.
 *
 * The client knows no app: it is given a transport, so that pages and tests can bring their own.
 */

import * as contract from "./contract";
import { ShapeError, type Check } from "./shape";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
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
    readonly code = "",
  ) {
    super(message);
    this.name = "ServerError";
  }
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

/** The last requests, for the diagnostics view. */
export class RequestLog {
  readonly #kept: RequestEntry[] = [];

  readonly #limit: number;

  constructor(limit = 50) {
    this.#limit = limit;
  }

  add(entry: RequestEntry): void {
    this.#kept.push(entry);
    if (this.#kept.length > this.#limit) this.#kept.shift();
  }

  entries(): readonly RequestEntry[] {
    return this.#kept;
  }
}

export interface SearchOptions {
  readonly limit: number;
  readonly mode?: contract.SearchMode;
}
export interface SimilarOptions {
  readonly limit: number;
  readonly unlinked?: boolean;
}
export type QueueAction = "pause" | "resume" | "retry" | "cancel";

interface Call {
  readonly method: "GET" | "POST";
  readonly query?: Record<string, string | number | boolean | undefined>;
  readonly body?: object;
  readonly limitMs?: number;
}

const QUICK_MS = 5_000;
const ORDINARY_MS = 10_000;
const LONG_MS = 60_000; // a manifest of many notes, or a batch of their contents

export class Client {
  readonly #transport: Transport;
  readonly #log: RequestLog;
  readonly #vault: string | undefined;

  constructor(
    transport: Transport,
    log: RequestLog,
    readonly endpoint: Endpoint,
    vault?: string,
  ) {
    this.#transport = transport;
    this.#log = log;
    this.#vault = vault;
  }

  /** The same server, asked about one vault. */
  ofVault(vault: string): Client {
    return new Client(this.#transport, this.#log, this.endpoint, vault);
  }

  /** What `/api/health` says, whichever version of the contract the server speaks. */
  greeting(): Promise<contract.Greeting> {
    return this.#call("/api/health", contract.greetingShape, { method: "GET", limitMs: QUICK_MS });
  }

  async vaults(): Promise<readonly contract.VaultInfo[]> {
    const reply = await this.#call("/api/vaults", contract.vaultsShape, {
      method: "GET",
      limitMs: QUICK_MS,
    });
    return reply.vaults;
  }

  status(): Promise<contract.Status> {
    return this.#call("/api/status", contract.statusShape, {
      method: "GET",
      query: { vault: this.#vault },
      limitMs: QUICK_MS,
    });
  }

  search(q: string, options: SearchOptions): Promise<contract.SearchReply> {
    const query = { q, vault: this.#vault, ...options };
    return this.#call("/api/search", contract.searchShape, { method: "GET", query });
  }

  similar(path: string, options: SimilarOptions): Promise<contract.SearchReply> {
    const query = { path, vault: this.#vault, ...options };
    return this.#call("/api/similar", contract.searchShape, { method: "GET", query });
  }

  similarText(text: string, limit: number): Promise<contract.SearchReply> {
    return this.#call("/api/similar", contract.searchShape, this.#post({ text, limit }));
  }

  note(path: string): Promise<contract.NoteReply> {
    const query = { path, vault: this.#vault };
    return this.#call("/api/note", contract.noteShape, { method: "GET", query });
  }

  ledger(which: {
    state?: contract.LedgerState;
    path?: string;
  }): Promise<contract.LedgerReply> {
    const query = { vault: this.#vault, ...which };
    return this.#call("/api/ledger", contract.ledgerShape, { method: "GET", query });
  }

  reindex(what: { full?: boolean; paths?: readonly string[] }): Promise<contract.Accepted> {
    return this.#call("/api/reindex", contract.acceptedShape, this.#post(what));
  }

  changes(changes: readonly contract.Change[]): Promise<contract.Accepted> {
    const call = { ...this.#post({ changes }), limitMs: LONG_MS };
    return this.#call("/api/changes", contract.acceptedShape, call);
  }

  sync(files: readonly contract.FileStamp[]): Promise<contract.SyncReply> {
    const call = { ...this.#post({ files }), limitMs: LONG_MS };
    return this.#call("/api/sync", contract.syncShape, call);
  }

  async queue(action: QueueAction): Promise<void> {
    await this.#call(`/api/queue/${action}`, contract.anyReply, this.#post({}));
  }

  async guard(remove: boolean): Promise<void> {
    await this.#call("/api/guard", contract.anyReply, this.#post({ remove }));
  }

  #post(body: object): Call {
    return { method: "POST", body: this.#vault ? { vault: this.#vault, ...body } : body };
  }

  async #call<T>(route: string, check: Check<T>, call: Call): Promise<T> {
    const at = Date.now();
    const started = performance.now();
    let outcome = "";
    try {
      const answer = await this.#send(route, call);
      outcome = String(answer.status);
      return read(answer, check);
    } catch (error) {
      if (error instanceof ServerError && !outcome) outcome = error.kind;
      if (error instanceof ServerError && error.kind === "garbage") outcome += " garbage";
      throw error;
    } finally {
      const ms = Math.round(performance.now() - started);
      this.#log.add({ at, route: `${call.method} ${route}`, outcome, ms });
    }
  }

  #send(route: string, call: Call): Promise<HttpAnswer> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.endpoint.token) headers["Authorization"] = `Bearer ${this.endpoint.token}`;
    if (call.body) headers["Content-Type"] = "application/json";
    const request: HttpRequest = {
      method: call.method,
      url: this.endpoint.url + route + queryString(call.query ?? {}),
      headers,
      ...(call.body ? { body: JSON.stringify(call.body) } : {}),
    };
    return withinTime(this.#transport(request), call.limitMs ?? ORDINARY_MS);
  }
}

function queryString(values: NonNullable<Call["query"]>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) given.set(name, String(value));
  }
  const written = given.toString();
  return written ? `?${written}` : "";
}

/** The transport has neither a time limit nor a way to abort, so a late answer is dropped. */
function withinTime(answer: Promise<HttpAnswer>, limitMs: number): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const timer = window.setTimeout(() => {
      reject(new ServerError("timeout", `No answer within ${limitMs / 1000} seconds.`));
    }, limitMs);
    answer.then(resolve, (cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      reject(new ServerError("unreachable", why));
    }).finally(() => window.clearTimeout(timer));
  });
}

function read<T>(answer: HttpAnswer, check: Check<T>): T {
  const value = parse(answer);
  if (answer.status < 200 || answer.status > 299) throw refusal(answer.status, value);
  try {
    return check(value);
  } catch (error) {
    if (error instanceof ShapeError) throw new ServerError("garbage", error.message, answer.status);
    throw error;
  }
}

function parse(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.text) as unknown;
  } catch {
    // A refusal may come from something in between, such as a proxy: its status still counts.
    if (answer.status === 401) return null;
    throw new ServerError("garbage", "The answer is not JSON.", answer.status);
  }
}

function refusal(status: number, value: unknown): ServerError {
  let detail = `The server answered with status ${status}.`;
  let code = "";
  try {
    ({ detail, code } = contract.problemShape(value));
  } catch {
    if (status !== 401) return new ServerError("garbage", detail, status);
  }
  return new ServerError(status === 401 ? "unauthorized" : "refused", detail, status, code);
}
