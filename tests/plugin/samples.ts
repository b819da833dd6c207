/** Answers as a server gives them, to build tests from. */

import type { HttpResponse, HttpRequest, Transport } from "../../plugin/src/client";
import type { Change, IndexProgress, Result, SearchReply, StatusReply } from "../../plugin/src/contract";
import type { VaultInfo } from "../../plugin/src/replies";

export function aProgress(changed: Partial<IndexProgress> = {}): IndexProgress {
  const whole = { notes_read: 3, notes: 3, passages_embedded: 9, passages: 9 };
  return { phase: "idle", ...whole, eta_s: null, passages_approximate: 0, ...changed };
}

export function aStatus(changed: Partial<StatusReply> = {}): StatusReply {
  return {
    vault: "garden",
    server_writes: 0,
    notes: 3,
    chunks: 9,
    vectors: 9,
    model: "all-MiniLM-L6-v2",
    generation: 7,
    state: "ready",
    semantic: "ready",
    semantic_reason: null,
    queue: { pending: 0, current: null, done: 3, failed: 0, paused: false, eta_s: null },
    ledger: { indexed: 3, pending: 0, failed: 0, excluded: 0, keyword_only: 0 },
    guard: null,
    problem: null,
    work: { read: 3, embedded: 9, reused: 0, removed: 0 },
    next_model: null,
    next_run: null,
    embedder: null,
    progress: aProgress(),
    ...changed,
  };
}

export function aVault(changed: Partial<VaultInfo> = {}): VaultInfo {
  return {
    id: "v1",
    name: "garden",
    path: "/home/ada/garden",
    default: true,
    open: true,
    source: "folder",
    served: undefined, // as older servers
    past: undefined,
    ...changed,
  };
}

export function aResult(path: string, changed: Partial<Result> = {}): Result {
  return {
    path,
    title: path.replace(/^.*\//, "").replace(/\.md$/, ""),
    description: null,
    heading: "Hives > Spring",
    block: null,
    parent: null,
    page: null,
    node: null,
    seconds: null,
    id: `${path}#2`,
    hash: "0123456789abcdef0123456789abcdef",
    lines: [5, 9],
    mtime: "2026-01-01T00:00:00+00:00",
    embedded_in: [],
    copy: null,
    copies: [],
    current: null,
    as_of: null,
    vault: null,
    line: 5,
    snippet: "A hive in spring needs room.",
    highlights: [[2, 6]],
    score: 0.83,
    scores: {
      keyword: 1,
      semantic: 0.7,
      fused: 0.83,
      tag: null,
      recency: null,
      graph: null,
      rerank: null,
      words: null,
      meaning: null,
      coverage: null,
      names: null,
      links: null,
      centrality: null,
      activation: null,
    },
    raw: { bm25: 3.1, cosine: 0.6, mean_cosine: 0.4 },
    passages: [],
    tags: ["bees"],
    properties: {},
    created: null,
    modified: "2026-01-01T00:00:00+00:00",
    uri: "obsidian://open?vault=garden&file=Bees",
    reasons: [],
    linked: null,
    duplicates: [],
    children: null,
    match: "strong",
    ...changed,
  };
}

export function aReply(results: readonly Result[], changed: Partial<SearchReply> = {}): SearchReply {
  return {
    query: "bees",
    vault: "garden",
    mode: "hybrid",
    fusion: { method: "auto", params: {} },
    expanded: [],
    corrected: null,
    filtered: {},
    generation: 7,
    took_ms: 1.5,
    total: results.length,
    confidence: 0.9,
    results,
    warnings: [],
    approximate: false,
    ...changed,
  };
}

export const HEALTH = {
  status: "ok",
  version: "0.1.0",
  api: 1,
  features: [
    "vaults",
    "status",
    "search",
    "similar",
    "similar_text",
    "note",
    "ledger",
    "reindex",
    "changes",
    "sync",
    "guard",
    "queue_pause",
  ],
  auth: "token",
};

export const TOKEN = "secret-token";

/** A small server in memory: routes may be replaced, refusals and silence are part of it. */
export class FakeServer {
  readonly seen: HttpRequest[] = [];
  readonly changes: Change[][] = [];
  routes: Record<string, (request: HttpRequest) => unknown> = {
    "/api/health": () => HEALTH,
    "/api/vaults": () => ({ vaults: [aVault()] }),
    "/api/status": () => aStatus(),
    "/api/search": () => aReply([aResult("Bees.md")]),
    "/api/similar": () => aReply([aResult("Bees.md")]),
    "/api/sync": () => ({ need: [], gone: [], guard: false }),
    "/api/changes": (request) => {
      const { changes } = JSON.parse(request.body ?? "{}") as { changes: Change[] };
      this.changes.push(changes);
      return { accepted: changes.length, generation: 8 };
    },
  };
  down = false;
  silent = false;

  readonly transport: Transport = async (request) => {
    this.seen.push(request);
    if (this.down) throw new Error("net::ERR_CONNECTION_REFUSED");
    if (this.silent) return new Promise<HttpResponse>(() => undefined);
    const { pathname } = new URL(request.url);
    const needsToken = pathname !== "/api/health";
    if (needsToken && request.headers["Authorization"] !== `Bearer ${TOKEN}`) {
      return problem(401, "unauthorized", "This route needs the server's token.");
    }
    const route = this.routes[pathname];
    if (!route) return problem(404, "not_found", "No such route.");
    const answer = await route(request);
    if (isAnswer(answer)) return answer;
    return { status: request.method === "POST" ? 202 : 200, text: JSON.stringify(answer) };
  };

  asked(route: string): HttpRequest[] {
    return this.seen.filter((request) => new URL(request.url).pathname === route);
  }
}

export function problem(status: number, code: string, detail: string): HttpResponse {
  const body = { type: "about:blank", title: "Refused", status, detail, code };
  return { status, text: JSON.stringify(body) };
}

function isAnswer(value: unknown): value is HttpResponse {
  return typeof value === "object" && value !== null && "text" in value && "status" in value;
}
