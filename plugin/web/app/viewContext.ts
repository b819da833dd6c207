/** What every view is given: the selected vault, its client, the address and notices. */

import type { VaultInfo } from "../../src/replies";
import type { Notices } from "../parts/notices";
import type { WebClient } from "./client";
import { StatusFeed } from "./statusFeed";
import { formatAddress, parseAddress, type Address, type ViewName } from "../lib/address";

export interface View {
  readonly el: HTMLElement;
  readonly title: string;
  /** Shows the view for an address; called again whenever the address changes. */
  show(address: Address): void;
  /** Called when another view is shown. */
  leave?(): void;
  /** Handles a key pressed outside of fields; true where the view used it. */
  key?(event: KeyboardEvent): boolean;
}

/** A step of the browser's history, beside its address: made by typing and not yet settled; how far its list was read. */
interface Step {
  readonly isTyped?: boolean;
  readonly scroll?: number;
  readonly rows?: number;
}

type Query = Readonly<Record<string, string | null | undefined>>;

export class ViewContext {
  /** Whether this browser may change settings and control the index. */
  mayAdminister = true;
  /** Whether it may write to the vault. */
  mayWrite = true;

  /** The vaults that the server serves. */
  readonly vaults: readonly VaultInfo[];
  /** The state of the selected vault's index. */
  readonly status: StatusFeed;

  constructor(
    readonly client: WebClient,
    known: readonly VaultInfo[],
    readonly features: readonly string[],
    readonly notices: Notices,
  ) {
    this.vaults = known.filter(isServed);
    this.status = new StatusFeed(this);
  }

  /** Shows a short notice. */
  showNotice(text: string): void {
    this.notices.show(text);
  }

  get address(): Address {
    return parseAddress(location.hash);
  }

  /** The vault that the address names, never another one; the default one where it names none. */
  get vault(): VaultInfo | null {
    const idOrName = this.address.query["vault"];
    if (idOrName) return this.vaults.find(({ id, name }) => name === idOrName || id === idOrName) ?? null;
    return this.vaults.find((vault) => vault.default) ?? this.vaults[0] ?? null;
  }

  /**
   * Whether the search looks through every vault that is served; `vault` is then the one whose note is read.
   * Similar notes are those of one vault.
   */
  get isEverywhere(): boolean {
    const { view, query } = this.address;
    return view === "search" && query["in"] === "all" && !query["like"] && this.vaults.length > 1;
  }

  /** The client for the selected vault. */
  get vaultClient(): WebClient {
    return this.vault ? this.client.ofVault(this.vault.id) : this.client;
  }

  has(feature: string): boolean {
    return this.features.some((name) => name === feature || name.startsWith(`${feature}_`));
  }

  /** Whether the past of the vault that is searched can be searched. */
  get hasPast(): boolean {
    return (this.vault?.past ?? false) && !this.isEverywhere;
  }

  /** The address of a view, with the current vault; a search goes on in all vaults. */
  to(view: ViewName, query: Query, part = ""): string {
    const shared = { vault: this.address.query["vault"] ?? "", in: view === "search" && this.isEverywhere ? "all" : "" };
    return formatAddress({ view, part, query: { ...shared, ...filled(query) } });
  }

  /** Changes the query of the current address while somebody types: adds a step to the browser's history for the first key only. */
  typed(query: Query): void {
    const { hash } = location;
    const { isTyped = false } = this.step;
    this.change(query, isTyped);
    if (location.hash !== hash) this.keep({ isTyped: true });
  }

  /** The parameter of a search whose last word may be unfinished; none of a settled one. */
  get typing(): { readonly typing?: true } {
    return this.step.isTyped ? { typing: true } : {};
  }

  /** Settles the query that was typed: it is searched as it stands, and what is typed next is a step of its own. */
  settle(): void {
    if (!this.step.isTyped) return;
    this.keep({ isTyped: false });
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }

  /** What the browser's history holds of the present step. */
  get step(): Step {
    return (history.state as Step | null) ?? {};
  }

  /** Changes what the history holds of the present step. */
  keep(step: Step): void {
    history.replaceState({ ...this.step, ...step }, "");
  }

  /** Changes the query of the current address; null removes a parameter. `quiet` adds no step to the browser's history. */
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

  /** Names another part of the view in the address; adds no step to the browser's history. */
  name(part: string): void {
    history.replaceState(history.state, "", this.to(this.address.view, {}, part));
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }

  go(view: ViewName, query: Query, part = ""): void {
    location.hash = this.to(view, query, part);
  }
}

/** Whether the server serves a known vault; older servers do not report it and serve all. */
export function isServed({ served }: VaultInfo): boolean {
  return served ?? true;
}

function filled(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]),
  );
}
