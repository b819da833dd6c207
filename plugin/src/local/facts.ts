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

const CREATED = /^(?:created|created[ _-]?at|date[ _-]?created|creation[ _-]?date|created[ _-]?on|date|day)$/i;
const DAY_IN_NAME = /(?:^|\D)((?:19|20)\d{2}-\d{2}-\d{2})(?!\d)/;

/** When a note was made, in POSIX seconds: as its name or a property says, else as its file does. */
export function createdAt({ title, properties, created }: Facts): number {
  const stated = Object.entries(properties).flatMap(([name, value]) => (CREATED.test(name) && typeof value === "string" ? value : []));
  const day = DAY_IN_NAME.exec(title)?.[1] ?? "";
  const isDaily = day === title;
  const found = (isDaily ? null : calendar(stated[0] ?? "")) ?? calendar(day);
  return found?.start ?? created / 1000;
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
