/** What the app knows of a note without reading it, as the index and the filters need it. */

import { fold } from "./words";
import { calendar } from "./dates";

export type PropertyValue = string | number | boolean | null | readonly PropertyValue[] | { readonly [key: string]: PropertyValue };

export interface Heading {
  readonly text: string;
  readonly level: number;
  /** From 0. */
  readonly line: number;
}

export interface Facts {
  readonly path: string;
  /** The file's name without its suffix. */
  readonly title: string;
  readonly aliases: readonly string[];
  readonly headings: readonly Heading[];
  /** Without `#`. */
  readonly tags: readonly string[];
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** Milliseconds. */
  readonly created: number;
  readonly modified: number;
}

// The first of these with a date counts; spaces and hyphens in names count as `_`.
const CREATED = ["created", "created_at", "date_created", "creation_date", "createdat", "date", "day"];
const MODIFIED = ["modified", "modified_at", "date_modified", "updated", "updated_at", "last_modified", "lastmod", "date_updated"];
const WRITTEN = /(?:^|\D)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:(?:T|,? )(\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)? ?(Z|[+-]\d{2}:?\d{2})?)?/i;
const IN_NAME = /(?:^|\D)(?:((?:19|20)\d{2})([-._]?)(\d{2})\2(\d{2})(?=(?:\d{4}(?:\d{2})?)?(?!\d))|(\d{2})\.(\d{2})\.((?:19|20)\d{2})(?!\d))/;

/** When a note was made, in POSIX seconds: as a daily note's name, a property, or its name says, else when it was modified. */
export function createdAt(note: Facts): number {
  const [, year, , month, day, firstDay, itsMonth, itsYear] = IN_NAME.exec(note.title) ?? [];
  const named = calendar(`${year ?? itsYear}-${month ?? itsMonth}-${day ?? firstDay}`)?.start;
  const isDaily = named !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(note.title);
  return (isDaily ? named : stated(note, CREATED)) ?? named ?? modifiedAt(note);
}

/** When a note was modified, in POSIX seconds: as a property says, else its file. */
export function modifiedAt(note: Facts): number {
  return stated(note, MODIFIED) ?? note.modified / 1000;
}

/** The first date in properties of these names. */
function stated({ properties }: Facts, names: readonly string[]): number | undefined {
  const named = new Map(Object.entries(properties).map(([name, value]) => [name.trim().toLowerCase().replace(/[ -]/g, "_"), value]));
  return names.map((name) => timeOf(named.get(name))).find((time) => time !== undefined);
}

function timeOf(value: PropertyValue | undefined): number | undefined {
  const first = value === undefined ? "" : (valuesOf(value)[0] ?? "");
  const found = WRITTEN.exec(first.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3"));
  if (!found) return undefined;
  const [, year = "", , month = "", day = "", time = "", zone] = found;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (!zone) return calendar(`${date} ${time}`)?.start;
  const seconds = Date.parse(`${date}T${time.padStart(5, "0")}${zone}`) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** The names of a note, folded. */
export function namesOf({ title, aliases }: Facts): string[] {
  return [title, ...aliases].map(fold);
}

/** All single values in a property, as text. */
export function valuesOf(value: PropertyValue): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return (value as readonly PropertyValue[]).flatMap(valuesOf);
  if (typeof value === "object") return Object.values(value as Readonly<Record<string, PropertyValue>>).flatMap(valuesOf);
  return [String(value)];
}
