/**
 * Where the plugin stands with its server: one state at a time, found by asking, never assumed.
 *
 *   offline ──▶ starting ──▶ indexing ◀──▶ ready
 *      ▲  └────▶ needs-token, mismatch          (a person has something to do)
 *      └──── any state, when the server stops answering
 *
 * Attempts are numbered: what a given-up attempt brings back late is dropped. Failures are asked
 * about again after 1, 2, 5, 10 and then every 30 seconds, and at once when a person acts.
 */

import { Broadcast, Timer } from "./support";
import { asServerError, ServerError, type Client, type Endpoint, type FailureKind } from "./client";
import type { StatusReply } from "./contract";
import type { Greeting, VaultInfo } from "./replies";
import { API, featureList, NEEDED_FEATURES } from "./replies";
import { ShapeError } from "./shape";

/** Why there is no server to talk to; each has its own text and action in the views. */
export type OfflineReason =
  | "not-set-up" // nobody said yet where the server is
  | "needs-consent" // it could be started here, once a person agrees
  | "not-installed" // there is no program to start
  | "wrong-program" // what is called notewell here is not ours, or does not fit
  | "stopped" // a person stopped it
  | "crashed" // it was started, and did not stay
  | "in-use" // somebody else serves this vault, and not to us
  | "unreachable"
  | "not-notewell" // something else answers at that address
  | "no-vault" // it does not serve this vault
  | "refused"; // it answers, and says no

export interface Absence {
  readonly why: OfflineReason;
  readonly detail?: string | undefined;
}

/** Where to ask, and which of the server's vaults is ours: by id, by name, or by folder. */
export interface Target {
  readonly endpoint: Endpoint;
  readonly vault: { readonly idOrName: string; readonly folder?: string };
  /** Somebody else runs this server, for whom its token may be. */
  readonly isShared?: boolean;
}

/** Finds the server, starting it where that is its job; `starting` is called if that takes time. */
export type Source = (starting: () => void) => Promise<Target | Absence>;

export type ConnectionState =
  | ({ readonly name: "offline" } & Absence)
  | { readonly name: "starting" }
  | { readonly name: "needs-token" }
  | { readonly name: "mismatch"; readonly older: "server" | "plugin"; readonly version: string }
  | { readonly name: "indexing"; readonly status: StatusReply }
  | { readonly name: "ready"; readonly status: StatusReply };

/** A server that answered for our vault. A new one is made at every reconnect. */
export interface Session {
  readonly client: Client;
  readonly vault: VaultInfo;
  readonly version: string;
  readonly features: readonly string[];
}

export interface ConnectionParts {
  readonly source: Source;
  readonly open: (endpoint: Endpoint) => Client;
  readonly random: () => number;
}

const BACK_OFF_S = [1, 2, 5, 10];
const LONGEST_PAUSE_S = 30;
const READY_POLL_S = 10;
const BUSY_POLL_S = 1;
const WAITING_FOR_A_PERSON: readonly string[] = [
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

  /** The server to ask; null unless its index can answer. */
  get session(): Session | null {
    return this.lastStatus && this.#found;
  }

  /** The last known status, while connected. */
  get lastStatus(): StatusReply | null {
    return "status" in this.#current ? this.#current.status : null;
  }

  /** Whether the server has a part that a server may lack. */
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

  /** Asks now. One attempt runs at a time; a call during it waits for the same answer. */
  check(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#running ??= this.#poll().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Something about the server's address changed: forget it and begin anew. */
  reset(): Promise<void> {
    this.#forget();
    this.#failures = 0;
    return this.check();
  }

  /** A view's request failed: if that says something about the connection, find out. */
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
    const mine = ++this.#attempt;
    this.#timer.clear();
    const isLate = (): boolean => mine !== this.#attempt;
    const state = await this.#fetchState(isLate);
    if (isLate() || this.#ended) return;
    this.#enter(state);
    const seconds = this.#pollDelay();
    if (seconds !== null) this.#timer.set(seconds * 1000, () => this.check());
  }

  async #fetchState(isLate: () => boolean): Promise<ConnectionState> {
    try {
      this.#found ??= await this.#connect(isLate);
      const status = await this.#found.client.status();
      this.#failures = 0;
      if (status.state === "starting") return { name: "starting" };
      return { name: status.state === "indexing" ? "indexing" : "ready", status };
    } catch (error) {
      if (isLate()) return this.#current; // what failed is no longer of interest
      this.#failures += 1;
      const isBusy = error instanceof ServerError && error.kind === "timeout";
      if (isBusy && this.#found && this.#failures === 1) return this.#current; // once: no outage
      this.#found = null;
      return stateOf(error);
    }
  }

  /** Everything up to the first status: find the server, compare contracts, find our vault. */
  async #connect(isLate: () => boolean): Promise<Session> {
    const target = await this.#parts.source(() => {
      if (!isLate()) this.#enter({ name: "starting" });
    });
    if (!("vault" in target)) throw new KnownState(offline(target.why, target.detail));
    const client = this.#parts.open(target.endpoint);
    const met = checkCompatibility(await client.greeting());
    const vaults = await client.vaults().catch((error: unknown) => {
      if (!target.isShared || asServerError(error).kind !== "unauthorized") throw error;
      throw new KnownState(offline("in-use"));
    });
    const vault = findVault(vaults, target.vault);
    return { ...met, client: client.ofVault(vault.id), vault };
  }

  #enter(state: ConnectionState): void {
    this.#current = state;
    this.notify(state);
  }

  /** Seconds until the next look; null where only a person's action changes anything. */
  #pollDelay(): number | null {
    const current = this.#current;
    if (current.name === "offline" && WAITING_FOR_A_PERSON.includes(current.why)) return null;
    if (this.#failures > 0) {
      const step = BACK_OFF_S[this.#failures - 1] ?? LONGEST_PAUSE_S;
      return step * (0.8 + 0.4 * this.#parts.random()); // several windows should not ask in step
    }
    return current.name === "ready" ? READY_POLL_S : BUSY_POLL_S;
  }
}

function offline(why: OfflineReason, detail?: string): ConnectionState {
  return { name: "offline", why, detail };
}

/** Ends an attempt with a state that is known already. */
class KnownState extends Error {
  constructor(readonly state: ConnectionState) {
    super(state.name);
  }
}

function checkCompatibility(greeting: Greeting): Pick<Session, "features" | "version"> {
  const { api, version } = greeting;
  const features = api === API ? featureList(greeting).features : [];
  if (NEEDED_FEATURES.every((name) => features.includes(name))) return { features, version };
  throw new KnownState({ name: "mismatch", older: api > API ? "plugin" : "server", version });
}

/** Another vault than ours is never taken, not even an only one: changes would go astray. */
function findVault(vaults: readonly VaultInfo[], { idOrName: word, folder }: Target["vault"]): VaultInfo {
  const served = vaults.filter((vault) => vault.served ?? vault.open);
  const ours =
    served.find(({ id }) => id === word) ??
    served.find(({ path }) => path === folder) ??
    served.find(({ name }) => name === word);
  if (ours) return ours;
  const names = served.map(({ name }) => name).join(", ") || "none";
  const detail = `It does not serve a vault named “${word}”. It serves: ${names}.`;
  throw new KnownState(offline("no-vault", detail));
}

const OFFLINE: Readonly<Record<Exclude<FailureKind, "unauthorized">, OfflineReason>> = {
  unreachable: "unreachable",
  timeout: "unreachable",
  refused: "refused",
  garbage: "not-notewell",
};

function stateOf(error: unknown): ConnectionState {
  if (error instanceof KnownState) return error.state;
  if (error instanceof ShapeError) return offline("not-notewell", error.message);
  const { kind, message } = asServerError(error);
  return kind === "unauthorized" ? { name: "needs-token" } : offline(OFFLINE[kind], message);
}
