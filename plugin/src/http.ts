/**
 * Requests as typed calls: every one has a time limit, every reply is checked against the contract
 * once, and every failure is a `ServerError` that says which kind of failure it is.
 */

import type { Routes } from "./contract";
import * as replies from "./replies";
import { ShapeError, type Check } from "./shape";
import { Timer } from "./support";
import { t } from "./texts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
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
    /** The server's word for the failure, as `note_changed`; empty where it gave none. */
    readonly code = "",
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

export type Method = HttpRequest["method"];
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
/** Routes that take no vault although the client has one. */
const OF_SERVER: readonly string[] = ["ask/{id}", "ask/stop", "ask/local"];

const ORDINARY_MS = 10_000;
export const LONG_MS = 60_000; // a manifest of many notes, or a batch of their contents

/** Sends requests about one vault. Its transport is passed in: the app, pages and tests each have their own. */
export class HttpClient {
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

  /** The same server and vault, by a class with other routes. */
  as<C extends HttpClient>(kind: new (...parameters: ConstructorParameters<typeof HttpClient>) => C): C {
    return new kind(this.transport, this.log, this.endpoint, this.vault);
  }

  protected get<P extends PathsOf<"GET">, T>(
    path: P,
    check: ReplyCheck<"GET", P, T>,
    query: Query<P>,
    limitMs = ORDINARY_MS,
  ): Promise<T> {
    const { route, rest } = inPath(path, { vault: this.#vaultFor(path), ...query });
    const parameters = new URLSearchParams();
    for (const [name, value] of rest) if (value !== undefined) parameters.set(name, String(value));
    return this.call("GET", route, check, limitMs, `?${parameters}`);
  }

  protected post<P extends PathsOf<"POST">, T>(
    path: P,
    check: ReplyCheck<"POST", P, T>,
    body: RouteParameters<"POST", P>,
    limitMs = LONG_MS,
  ): Promise<T> {
    const { route, rest } = inPath(path, { vault: this.#vaultFor(path), ...body });
    return this.call("POST", route, check, limitMs, "", JSON.stringify(Object.fromEntries(rest)));
  }

  #vaultFor(path: string): string | undefined {
    return OF_SERVER.includes(path) ? undefined : this.vault;
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

/** A route with the parameters that its path names, and the other ones. */
function inPath(path: string, parameters: object): { readonly route: string; readonly rest: ReturnType<typeof Object.entries> } {
  let route = path;
  const rest = Object.entries(parameters).filter(([name, value]) => {
    const place = `{${name}}`;
    if (!route.includes(place)) return true;
    route = route.replace(place, encodeURIComponent(value as string | number));
    return false;
  });
  return { route, rest };
}

/** The transport has neither a time limit nor a way to abort, so a late response is dropped. */
function withinTime(sent: Promise<HttpResponse>, limitMs: number): Promise<HttpResponse> {
  const timer = new Timer();
  const timeout = new Promise<never>((_, reject) => {
    const error = new ServerError("timeout", t("No answer within {seconds} seconds.", { seconds: limitMs / 1000 }));
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
    const { detail, code } = replies.problem(value);
    throw new ServerError(refusal, detail, status, code);
  } catch (error) {
    if (!(error instanceof ShapeError || error instanceof SyntaxError)) throw error;
    // The response may come from a proxy on the way; its status still counts.
    const kind = status === 401 ? refusal : "garbage";
    const why = error instanceof ShapeError ? t("The reply is not valid: {message}.", { message: error.message }) : t("The reply is not JSON.");
    throw new ServerError(kind, why, status);
  }
}
