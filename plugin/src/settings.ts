/**
 * The settings, stored in two places: with the vault (`data.json`, which sync tools copy to every
 * device) and on this device only. Program paths, addresses and consents are never synced: a synced
 * program path would let one device run code on another.
 */

import { Broadcast } from "./support";
import {
  flag,
  list,
  mapping,
  number,
  object,
  oneOf,
  text,
  type Check,
  type Shape,
} from "./shape";

const numberBetween =
  (low: number, high: number): Check<number> =>
  (value) =>
    Math.min(high, Math.max(low, number(value)));

const texts = list(text);
/** The notes that the user hid from, and pinned to, the similar notes of one note. */
const marks = object({ hidden: texts, pinned: texts });
export type Marks = Shape<typeof marks>;

const scoreDisplay = oneOf("off", "match", "number", "bar");
export type ScoreDisplay = Shape<typeof scoreDisplay>;

const leastMatch = oneOf("strong", "related", "weak");
const density = oneOf("compact", "full");

const serverMode = oneOf("unset", "local", "remote");
export type ServerMode = Shape<typeof serverMode>;

/** Each setting with its default value and the check of stored values. */
type Table = Readonly<Record<string, readonly [initial: unknown, check: Check<unknown>]>>;
type Values<T extends Table> = { readonly [K in keyof T]: Shape<T[K][1]> };

/** Stored with the vault, and synced with it. */
const VAULT_TABLE = {
  resultLimit: [20, numberBetween(1, 200)],
  score: ["match", scoreDisplay],
  leastMatch: ["related", leastMatch],
  density: ["compact", density],
  openInNewTab: [false, flag],
  followSection: [false, flag],
  footer: [false, flag],
  completeLinks: [false, flag],
  markMentions: [false, flag],
  whileWriting: [false, flag],
  savedSearches: [[], texts],
  marks: [{}, mapping(marks)],
} as const satisfies Table;

/** Stored on this device only, for each vault. */
const DEVICE_TABLE = {
  mode: ["unset", serverMode],
  program: ["", text],
  autostart: [true, flag],
  localText: [true, flag], // whether the plugin reads the text of notes for its own word index
  loadPhone: [false, flag], // whether the phone index is read where there is no server
  allVaults: [false, flag], // whether searches look through every vault of the server
  model: ["", text], // that of the server's vectors, when it last answered
  address: ["", text],
  tokenName: ["", text],
  remoteVault: ["", text],
  offersHelper: [true, flag], // until the card of the first run is dismissed
  startAgreed: [false, flag],
  uploadAgreed: ["", text], // the address of the server that may receive the contents of notes
  writeAgreed: ["", text], // the address of the server whose notes may be written to the vault
  guardDecided: ["", text], // `guard.since` of the missing notes that the user has decided about
  history: [[], texts],
  suggested: [[], texts], // notes suggested while writing: a note and another, of which none is shown twice
} as const satisfies Table;

export type VaultSettings = Values<typeof VAULT_TABLE>;
export type DeviceSettings = Values<typeof DEVICE_TABLE>;
export type Choices = VaultSettings & DeviceSettings;
export type Key = keyof Choices;

/** Reads and writes the two parts of the settings. */
export interface SettingsStorage {
  loadVault(): Promise<unknown>;
  saveVault(data: VaultSettings): Promise<void>;
  loadDevice(): unknown;
  saveDevice(data: DeviceSettings): void;
}

const HISTORY_LENGTH = 20;

export class Settings extends Broadcast<Key | "all"> {
  chosen: Choices = { ...validated(VAULT_TABLE, null), ...validated(DEVICE_TABLE, null) };
  readonly #storage: SettingsStorage;

  constructor(storage: SettingsStorage) {
    super();
    this.#storage = storage;
  }

  /** Reads both parts; an invalid value is replaced by its default. */
  async load(): Promise<void> {
    const ofDevice = validated(DEVICE_TABLE, this.#storage.loadDevice());
    this.chosen = { ...validated(VAULT_TABLE, await this.#storage.loadVault()), ...ofDevice };
    this.notify("all");
  }

  async set<K extends Key>(key: K, value: Choices[K]): Promise<void> {
    this.chosen = { ...this.chosen, [key]: value };
    if (key in DEVICE_TABLE) this.#storage.saveDevice(validated(DEVICE_TABLE, this.chosen));
    this.notify(key);
    if (key in VAULT_TABLE) await this.#storage.saveVault(validated(VAULT_TABLE, this.chosen));
  }

  /** Calls `use` with a setting's value, now and whenever it changes. Returns an unsubscribe function. */
  watch<K extends Key>(key: K, use: (value: Choices[K]) => unknown): () => void {
    void use(this.chosen[key]);
    return this.subscribe((changed) => {
      if (changed === key || changed === "all") void use(this.chosen[key]);
    });
  }

  /** Takes back what the user agreed to, so that each is asked again before it is next done. */
  async withdrawConsent(): Promise<void> {
    await this.set("startAgreed", false);
    await this.set("uploadAgreed", "");
    await this.set("writeAgreed", "");
  }

  /** Puts `query` first in the search history. */
  remember(query: string): void {
    const trimmed = query.trim();
    const others = this.chosen.history.filter((earlier) => earlier !== trimmed);
    if (trimmed) void this.set("history", [trimmed, ...others].slice(0, HISTORY_LENGTH));
  }
}

/** The table's settings from `stored`, with the default where a value is missing or invalid. */
function validated<T extends Table>(table: T, stored: unknown): Values<T> {
  const given = (stored ?? {}) as Record<string, unknown>;
  const values = Object.entries(table).map(([key, [initial, check]]) => {
    try {
      return [key, check(given[key])];
    } catch {
      return [key, initial]; // not stored, from another version, or edited by hand
    }
  });
  return Object.fromEntries(values) as Values<T>;
}
