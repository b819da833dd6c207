/**
 * The connection to the server: a state machine whose state always comes from a request.
 *
 *   offline ──▶ starting ──▶ indexing ◀──▶ ready
 *      ▲  └────▶ needs-token, mismatch          (the user has to act)
 *      └──── any state, when the server stops answering
 *
 * Attempts are numbered, and late results of an abandoned attempt are dropped. After a failure the
 * next attempt follows after 1, 2, 5, 10 and then every 30 seconds, and at once when the user acts.
 */

import { Broadcast, Timer } from "./support";
import { asServerError, ServerError, type Client, type Endpoint, type FailureKind } from "./client";
import type { StatusReply } from "./contract";
import type { Greeting, VaultInfo } from "./replies";
import { API, featureList, NEEDED_FEATURES } from "./replies";
import { ShapeError } from "./shape";
import { t } from "./texts";

/** Why there is no usable server; the views have a text and actions for each reason. */
export type OfflineReason =
  | "not-set-up" // no server has been chosen yet
  | "needs-consent" // it can be started here once the user agrees
  | "not-installed" // there is no program to start
  | "wrong-program" // a program named notewell is another project's, or of another version
  | "stopped" // the user stopped it
  | "crashed" // it was started and ended
  | "in-use" // another server has this vault open and rejects our token
  | "unreachable"
  | "not-notewell" // something else answers at that address
  | "no-vault" // it does not serve this vault
  | "refused"; // it answered with an error

export interface Unavailable {
  readonly why: OfflineReason;
  readonly detail?: string | undefined;
}

/** The address of a server, and which of its vaults is ours: by id, by name, or by folder. */
export interface Target {
  readonly endpoint: Endpoint;
  readonly vault: { readonly idOrName: string; readonly folder?: string };
  /** Another process started this server, so our token may not be valid there. */
  readonly isShared?: boolean;
}

/** Finds the server, or starts it where that is configured; `starting` is called before a start. */
export type ServerFinder = (starting: () => void) => Promise<Target | Unavailable>;

export type ConnectionState =
  | ({ readonly name: "offline" } & Unavailable)
  | { readonly name: "starting" }
  | { readonly name: "needs-token" }
  | { readonly name: "mismatch"; readonly older: "server" | "plugin"; readonly version: string }
  | { readonly name: "indexing"; readonly status: StatusReply }
  | { readonly name: "ready"; readonly status: StatusReply };

/** A server that answered for our vault. A new one is made at every reconnect. */
export interface Session {
  readonly client: Client;
  readonly vault: VaultInfo;
  /** Whether the server serves other vaults too. */
  readonly isOneOfSeveral: boolean;
  readonly version: string;
  readonly features: readonly string[];
}

export interface ConnectionParts {
  readonly source: ServerFinder;
  readonly open: (endpoint: Endpoint) => Client;
  readonly random: () => number;
}

const BACK_OFF_S = [1, 2, 5, 10];
const MAX_BACK_OFF_S = 30;
const READY_POLL_S = 10;
const INDEXING_POLL_S = 1;
const WAITING_FOR_THE_USER: readonly string[] = [
  "not-set-up",
  "needs-consent",
  "not-installed",
  "wrong-program",
  "stopped",
  "crashed",
  "in-use",
];

export class Connection extends Broadcast<ConnectionState> {
  #current: ConnectionState = offline("not-set-up");
  #found: Session | null = null;
  #attempt = 0;
  #running: Promise<void> | null = null;
  #failures = 0;
  readonly #timer = new Timer();
  #ended = true;

  readonly #parts: ConnectionParts;

  constructor(parts: ConnectionParts) {
    super();
    this.#parts = parts;
  }

  get state(): ConnectionState {
    return this.#current;
  }

  /** The current session; null unless the index can answer requests. */
  get session(): Session | null {
    return this.lastStatus && this.#found;
  }

  /** The last known status, while connected. */
  get lastStatus(): StatusReply | null {
    return "status" in this.#current ? this.#current.status : null;
  }

  /** Whether the server has an optional feature. */
  has(feature: string): boolean {
    return this.session?.features.includes(feature) ?? false;
  }

  begin(): void {
    this.#ended = false;
    void this.check();
  }

  end(): void {
    this.#ended = true;
    this.#forget();
  }

  /** Checks the server now. One attempt runs at a time; a call during it waits for the same result. */
  check(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#running ??= this.#poll().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Ends the session and connects again, after the server's address changed. */
  reset(): Promise<void> {
    this.#forget();
    this.#failures = 0;
    return this.check();
  }

  /** Called when a request failed: checks the connection, unless the server itself reported an error. */
  report(error: unknown): void {
    if (asServerError(error).kind !== "refused") void this.check();
  }

  #forget(): void {
    this.#attempt += 1;
    this.#running = null;
    this.#found = null;
    this.#timer.clear();
  }

  async #poll(): Promise<void> {
    const attempt = ++this.#attempt;
    this.#timer.clear();
    const isStale = (): boolean => attempt !== this.#attempt;
    const state = await this.#fetchState(isStale);
    if (isStale() || this.#ended) return;
    this.#enter(state);
    const seconds = this.#pollDelay();
    if (seconds !== null) this.#timer.set(seconds * 1000, () => this.check());
  }

  async #fetchState(isStale: () => boolean): Promise<ConnectionState> {
    try {
      this.#found ??= await this.#connect(isStale);
      const status = await this.#found.client.status();
      this.#failures = 0;
      if (status.state === "starting") return { name: "starting" };
      return { name: status.state === "indexing" ? "indexing" : "ready", status };
    } catch (error) {
      if (isStale()) return this.#current; // an abandoned attempt: its failure does not matter
      this.#failures += 1;
      const isBusy = error instanceof ServerError && error.kind === "timeout";
      if (isBusy && this.#found && this.#failures === 1) return this.#current; // a single time-out is not an outage
      this.#found = null;
      return stateOf(error);
    }
  }

  /** Finds the server, compares API versions and finds our vault. */
  async #connect(isStale: () => boolean): Promise<Session> {
    const target = await this.#parts.source(() => {
      if (!isStale()) this.#enter({ name: "starting" });
    });
    if (!("vault" in target)) throw new KnownStateError(offline(target.why, target.detail));
    const client = this.#parts.open(target.endpoint);
    const compatible = checkCompatibility(await client.greeting());
    const vaults = await client.vaults().catch((error: unknown) => {
      if (!target.isShared || asServerError(error).kind !== "unauthorized") throw error;
      throw new KnownStateError(offline("in-use"));
    });
    const vault = findVault(vaults, target.vault);
    return { ...compatible, client: client.ofVault(vault.id), vault, isOneOfSeveral: served(vaults).length > 1 };
  }

  #enter(state: ConnectionState): void {
    this.#current = state;
    this.notify(state);
  }

  /** Seconds until the next check; null where only the user can change the state. */
  #pollDelay(): number | null {
    const current = this.#current;
    if (current.name === "offline" && WAITING_FOR_THE_USER.includes(current.why)) return null;
    if (this.#failures > 0) {
      const step = BACK_OFF_S[this.#failures - 1] ?? MAX_BACK_OFF_S;
      return step * (0.8 + 0.4 * this.#parts.random()); // jitter, so that several windows do not poll at the same time
    }
    return current.name === "ready" ? READY_POLL_S : INDEXING_POLL_S;
  }
}

function offline(why: OfflineReason, detail?: string): ConnectionState {
  return { name: "offline", why, detail };
}

/** Thrown to end an attempt with a given state. */
class KnownStateError extends Error {
  constructor(readonly state: ConnectionState) {
    super(state.name);
  }
}

function checkCompatibility(greeting: Greeting): Pick<Session, "features" | "version"> {
  const { api, version } = greeting;
  const features = api === API ? featureList(greeting).features : [];
  if (NEEDED_FEATURES.every((name) => features.includes(name))) return { features, version };
  throw new KnownStateError({ name: "mismatch", older: api > API ? "plugin" : "server", version });
}

function served(vaults: readonly VaultInfo[]): readonly VaultInfo[] {
  return vaults.filter((vault) => vault.served ?? vault.open);
}

/** Never falls back to another vault, not even the only one: our changes would be written to it. */
function findVault(vaults: readonly VaultInfo[], { idOrName: word, folder }: Target["vault"]): VaultInfo {
  const known = served(vaults);
  const ours =
    known.find(({ id }) => id === word) ??
    known.find(({ path }) => path === folder) ??
    known.find(({ name }) => name === word);
  if (ours) return ours;
  const names = known.map(({ name }) => name).join(", ") || t("none");
  const detail = t("It does not serve a vault named “{word}”. It serves: {names}.", { word, names });
  throw new KnownStateError(offline("no-vault", detail));
}

const OFFLINE: Readonly<Record<Exclude<FailureKind, "unauthorized">, OfflineReason>> = {
  unreachable: "unreachable",
  timeout: "unreachable",
  refused: "refused",
  garbage: "not-notewell",
};

function stateOf(error: unknown): ConnectionState {
  if (error instanceof KnownStateError) return error.state;
  if (error instanceof ShapeError) return offline("not-notewell", error.message);
  const { kind, message } = asServerError(error);
  return kind === "unauthorized" ? { name: "needs-token" } : offline(OFFLINE[kind], message);
}
