/**
 * What a person chose. Kept in two places: with the vault (`data.json`, which sync tools carry to
 * every device) and on this device alone. What names a program, an address or a consent is never
 * synced: a synced program path would let one device run code on another.
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

const within =
  (low: number, high: number): Check<number> =>
  (value) =>
    Math.min(high, Math.max(low, number(value)));

const texts = list(text);
/** What was hidden from, and pinned to, the similar notes of one note. */
const marks = object({ hidden: texts, pinned: texts });
export type Marks = Shape<typeof marks>;

const scoreDisplay = oneOf("off", "number", "bar");
export type ScoreDisplay = Shape<typeof scoreDisplay>;

const serverMode = oneOf("unset", "local", "remote");
export type ServerMode = Shape<typeof serverMode>;

/** Each setting with its value before anybody chose, and what it may be. */
type Table = Readonly<Record<string, readonly [initial: unknown, check: Check<unknown>]>>;
type Values<T extends Table> = { readonly [K in keyof T]: Shape<T[K][1]> };

/** Travels with the vault. */
const OF_VAULT = {
  resultLimit: [20, within(1, 200)],
  score: ["number", scoreDisplay],
  minScore: [0, within(0, 1)],
  openInNewTab: [false, flag],
  followSection: [false, flag],
  diagnostics: [false, flag],
  savedSearches: [[], texts],
  marks: [{}, mapping(marks)],
} as const satisfies Table;

/** Stays on this device, and belongs to this vault there. */
const OF_DEVICE = {
  mode: ["unset", serverMode],
  program: ["", text],
  autostart: [true, flag],
  address: ["", text],
  tokenName: ["", text],
  remoteVault: ["", text],
  startAgreed: [false, flag],
  uploadAgreed: ["", text], // the address whose server may be given the notes
  guardDecided: ["", text], // since when the notes were missing that a person decided about
  history: [[], texts],
} as const satisfies Table;

export type VaultSettings = Values<typeof OF_VAULT>;
export type DeviceSettings = Values<typeof OF_DEVICE>;
export type Choices = VaultSettings & DeviceSettings;
export type Key = keyof Choices;

/** Where the two halves are kept. */
export interface SettingsPlaces {
  loadVault(): Promise<unknown>;
  saveVault(data: VaultSettings): Promise<void>;
  loadDevice(): unknown;
  saveDevice(data: DeviceSettings): void;
}

const HISTORY_LENGTH = 20;

export class Settings extends Broadcast<Key | "all"> {
  chosen: Choices = { ...validated(OF_VAULT, null), ...validated(OF_DEVICE, null) };
  readonly #places: SettingsPlaces;

  constructor(places: SettingsPlaces) {
    super();
    this.#places = places;
  }

  /** Reads both halves; a value that makes no sense falls back to its default. */
  async load(): Promise<void> {
    const ofDevice = validated(OF_DEVICE, this.#places.loadDevice());
    this.chosen = { ...validated(OF_VAULT, await this.#places.loadVault()), ...ofDevice };
    this.notify("all");
  }

  async set<K extends Key>(key: K, value: Choices[K]): Promise<void> {
    this.chosen = { ...this.chosen, [key]: value };
    if (key in OF_DEVICE) this.#places.saveDevice(validated(OF_DEVICE, this.chosen));
    this.notify(key);
    if (key in OF_VAULT) await this.#places.saveVault(validated(OF_VAULT, this.chosen));
  }

  /** Puts `query` on top of the searches that were made here. */
  remember(query: string): void {
    const asked = query.trim();
    const others = this.chosen.history.filter((earlier) => earlier !== asked);
    if (asked) void this.set("history", [asked, ...others].slice(0, HISTORY_LENGTH));
  }
}

/** The values of a table's settings, as far as `stored` has them and they make sense. */
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
