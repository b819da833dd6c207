/**
 * What a person chose, in two places: with the vault (`data.json`, which sync tools carry to every
 * device) and on this device alone. What names a program, an address or a consent is never synced:
 * a synced program path would let one device run code on another.
 */

import { flag, list, mapping, nullable, number, object, oneOf, text, type Check } from "./shape";

export type ScoreDisplay = "off" | "number" | "bar";
export type ServerMode = "unset" | "local" | "remote";

/** What was hidden from, and pinned to, the similar notes of one note. */
export interface Marks {
  readonly hidden: readonly string[];
  readonly pinned: readonly string[];
}

/** Travels with the vault. */
export interface VaultSettings {
  readonly resultLimit: number;
  readonly score: ScoreDisplay;
  readonly minScore: number;
  readonly openInNewTab: boolean;
  readonly followSection: boolean;
  readonly diagnostics: boolean;
  readonly savedSearches: readonly string[];
  readonly marks: Readonly<Record<string, Marks>>;
}

/** Stays on this device, and belongs to this vault there. */
export interface DeviceSettings {
  readonly mode: ServerMode;
  readonly program: string;
  readonly autostart: boolean;
  readonly address: string;
  readonly tokenName: string;
  readonly remoteVault: string;
  readonly startAgreed: boolean;
  readonly uploadAgreed: string | null; // the address whose server may be given the notes
  readonly history: readonly string[];
}

export const VAULT_DEFAULTS: VaultSettings = {
  resultLimit: 20,
  score: "number",
  minScore: 0,
  openInNewTab: false,
  followSection: false,
  diagnostics: false,
  savedSearches: [],
  marks: {},
};
export const DEVICE_DEFAULTS: DeviceSettings = {
  mode: "unset",
  program: "",
  autostart: true,
  address: "",
  tokenName: "",
  remoteVault: "",
  startAgreed: false,
  uploadAgreed: null,
  history: [],
};

type Checks<T> = { readonly [K in keyof T]: Check<T[K]> };

const within =
  (low: number, high: number): Check<number> =>
  (value) =>
    Math.min(high, Math.max(low, number(value)));

const vaultChecks: Checks<VaultSettings> = {
  resultLimit: within(1, 200),
  score: oneOf("off", "number", "bar"),
  minScore: within(0, 1),
  openInNewTab: flag,
  followSection: flag,
  diagnostics: flag,
  savedSearches: list(text),
  marks: mapping(object({ hidden: list(text), pinned: list(text) })),
};
const deviceChecks: Checks<DeviceSettings> = {
  mode: oneOf("unset", "local", "remote"),
  program: text,
  autostart: flag,
  address: text,
  tokenName: text,
  remoteVault: text,
  startAgreed: flag,
  uploadAgreed: nullable(text),
  history: list(text),
};

/** Where the two halves are kept. */
export interface SettingsPlaces {
  loadVault(): Promise<unknown>;
  saveVault(data: VaultSettings): Promise<void>;
  loadDevice(): unknown;
  saveDevice(data: DeviceSettings): void;
}

type AnyKey = keyof VaultSettings | keyof DeviceSettings;
type Listener = (changed: AnyKey | "all") => void;

const HISTORY_LENGTH = 20;

export class Settings {
  vault = VAULT_DEFAULTS;
  device = DEVICE_DEFAULTS;
  readonly #listeners = new Set<Listener>();
  readonly #places: SettingsPlaces;

  constructor(places: SettingsPlaces) {
    this.#places = places;
  }

  /** Reads both halves; a value that makes no sense falls back to its default. */
  async load(): Promise<void> {
    this.device = sane(this.#places.loadDevice(), DEVICE_DEFAULTS, deviceChecks);
    this.vault = sane(await this.#places.loadVault(), VAULT_DEFAULTS, vaultChecks);
    this.#tell("all");
  }

  async setVault<K extends keyof VaultSettings>(key: K, value: VaultSettings[K]): Promise<void> {
    this.vault = { ...this.vault, [key]: value };
    this.#tell(key);
    await this.#places.saveVault(this.vault);
  }

  setDevice<K extends keyof DeviceSettings>(key: K, value: DeviceSettings[K]): void {
    this.device = { ...this.device, [key]: value };
    this.#places.saveDevice(this.device);
    this.#tell(key);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Puts `query` on top of the searches that were made here. */
  remember(query: string): void {
    const others = this.device.history.filter((earlier) => earlier !== query);
    this.setDevice("history", [query, ...others].slice(0, HISTORY_LENGTH));
  }

  #tell(changed: AnyKey | "all"): void {
    for (const listener of [...this.#listeners]) listener(changed);
  }
}

function sane<T extends object>(stored: unknown, defaults: T, checks: Checks<T>): T {
  if (typeof stored !== "object" || stored === null) return defaults;
  const given = stored as Partial<Record<keyof T, unknown>>;
  const kept = { ...defaults };
  for (const key of Object.keys(defaults) as (keyof T)[]) {
    try {
      if (given[key] !== undefined) kept[key] = checks[key](given[key]);
    } catch {
      continue; // from another version, or edited by hand: the default stands
    }
  }
  return kept;
}
