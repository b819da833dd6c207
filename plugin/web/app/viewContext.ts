/** What every view is given: the vault that is looked at, the client that asks about it, the address. */

import type { VaultInfo } from "../../src/replies";
import type { Notices } from "../parts/notices";
import type { WebClient } from "./client";
import { formatAddress, parseAddress, type Address, type ViewName } from "../lib/address";

export interface View {
  readonly el: HTMLElement;
  readonly title: string;
  /** The address names this view; called again whenever it changes. */
  show(address: Address): void;
  /** Another view is shown now. */
  leave?(): void;
  /** A key that no field took; true where the view used it. */
  key?(event: KeyboardEvent): boolean;
}

type Query = Readonly<Record<string, string | null | undefined>>;

export class ViewContext {
  /** Parameters of `GET /api/search` that this server knows. */
  searchParameters: ReadonlySet<string> = new Set();
  /** Whether this browser may change settings and steer the index. */
  mayAdminister = true;
  /** Whether it may write to the vault. */
  mayWrite = true;

  /** The vaults that may be asked about. */
  readonly vaults: readonly VaultInfo[];

  constructor(
    readonly client: WebClient,
    known: readonly VaultInfo[],
    readonly features: readonly string[],
    readonly notices: Notices,
  ) {
    this.vaults = known.filter(isServed);
  }

  /** Says that something was done, for a moment. */
  say(text: string): void {
    this.notices.say(text);
  }

  get address(): Address {
    return parseAddress(location.hash);
  }

  /** The vault that the address names, else the default one. */
  get vault(): VaultInfo | null {
    const wanted = this.address.query["vault"];
    const named = this.vaults.find(({ id, name }) => name === wanted || id === wanted);
    return named ?? this.vaults.find((vault) => vault.default) ?? this.vaults[0] ?? null;
  }

  /** The client, asked about the vault that is looked at. */
  get vaultClient(): WebClient {
    return this.vault ? this.client.ofVault(this.vault.id) : this.client;
  }

  has(feature: string): boolean {
    return this.features.some((name) => name === feature || name.startsWith(`${feature}_`));
  }

  /** An address like the present one with some of its query changed; null takes a part out. */
  to(view: ViewName, query: Query, part = ""): string {
    const kept = { vault: this.address.query["vault"] ?? "" };
    return formatAddress({ view, part, query: { ...kept, ...filled(query) } });
  }

  /** Changes the query of the present address. A step back leads to what was before, unless `quiet`. */
  change(query: Query, quiet = false): void {
    const { view, part, query: before } = this.address;
    const after = { ...before };
    for (const [name, value] of Object.entries(query)) after[name] = value ?? "";
    const hash = formatAddress({ view, part, query: after });
    if (hash === location.hash) return;
    if (!quiet) {
      location.hash = hash;
      return;
    }
    history.replaceState(history.state, "", hash);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }

  go(view: ViewName, query: Query, part = ""): void {
    location.hash = this.to(view, query, part);
  }
}

/** Whether a server answers for a vault that it knows; one that does not say serves all of them. */
export function isServed({ served }: VaultInfo): boolean {
  return served ?? true;
}

function filled(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]),
  );
}
