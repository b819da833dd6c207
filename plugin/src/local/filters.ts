/** Whether a note meets the conditions of a query, by the same rules as the sidecar's filters. */

import type { Reason } from "../contract";
import { calendar, type Period } from "./dates";
import { createdAt, modifiedAt, valuesOf, type Facts, type PropertyValue } from "./facts";
import { bodyOf, plain, type TextTest } from "./passages";
import type { Comparison, Condition, ValueTest } from "./query";
import { neededWords, phraseTest, writtenTest } from "./scopes";
import { words } from "./words";

/** What the conditions on text need to know. */
export interface TextSource {
  /** The notes that have a word in what is indexed of them. */
  notesWith(word: string): ReadonlySet<string>;
  /** Whether a note's text is indexed; if not, only reading tells what it has. */
  isRead(path: string): boolean;
  read(path: string): Promise<string>;
}

/** A test of notes. The index is asked once for each word, and text is read only where it has to be. */
export function noteTest(condition: Condition | null, source: TextSource): (note: Facts) => Promise<boolean> {
  const asked = new Map<string, ReadonlySet<string>>();
  const has = (word: string, path: string): boolean => {
    const known = asked.get(word) ?? source.notesWith(word);
    asked.set(word, known);
    return known.has(path);
  };
  const isInText = async (note: Facts, { text, isExact }: Extract<Condition, { kind: "text" }>): Promise<boolean> => {
    const wanted = words(text.toLowerCase());
    if (source.isRead(note.path)) {
      if (!wanted.every((word) => has(word, note.path))) return false;
      if (wanted.length === 1 && !isExact) return true;
    }
    const holds = phraseTest(text);
    return ownTexts(note).some(holds) || holds(plain(bodyOf(await source.read(note.path))));
  };
  const written = new Map<Condition, TextTest>();
  const isWritten = async (note: Facts, node: Condition): Promise<boolean> => {
    if (source.isRead(note.path) && !neededWords(node).every((word) => has(word, note.path))) return false;
    const holds = written.get(node) ?? writtenTest(node);
    written.set(node, holds);
    return (node.kind === "matches" && holds(note.path)) || holds(await source.read(note.path));
  };
  const test = async (note: Facts, node: Condition): Promise<boolean> => {
    if (node.kind === "text") return isInText(note, node);
    if (node.kind === "matches" || node.kind === "within") return isWritten(note, node);
    if (node.kind === "not") return !(await test(note, node.part));
    if (node.kind !== "all" && node.kind !== "either") return meets(note, node);
    const isAll = node.kind === "all";
    for (const part of byCost(node.parts)) if ((await test(note, part)) !== isAll) return !isAll;
    return isAll;
  };
  return (note) => (condition ? test(note, condition) : Promise.resolve(true));
}

/** Conditions that need no text first. */
function byCost(parts: readonly Condition[]): readonly Condition[] {
  return [...parts].sort((one, other) => Number(readsText(one)) - Number(readsText(other)));
}

export function readsText(node: Condition | null): boolean {
  if (node?.kind === "not") return readsText(node.part);
  if (node?.kind === "all" || node?.kind === "either") return node.parts.some(readsText);
  return node?.kind === "text" || node?.kind === "matches" || node?.kind === "within";
}

/** The texts of a note outside its body, each by itself: no phrase goes on from one into another. */
function ownTexts({ title, aliases, tags, path, properties }: Facts): string[] {
  return [title, ...aliases, ...tags, path, ...Object.values(properties).flatMap(valuesOf)];
}

/** Where phrases stand that nothing shown of a note has: `author: Jane Doe`. */
export function hiddenPlaces({ aliases, tags, properties }: Facts, shown: readonly string[], phrases: readonly TextTest[]): Reason[] {
  const values: [string, PropertyValue][] = [["alias", aliases], ["tag", tags], ...Object.entries(properties)];
  const named = values.flatMap(([name, value]) => valuesOf(value).map((text) => ({ name, text })));
  const missing = phrases.filter((holds) => !shown.some(holds));
  const places = missing.flatMap((holds) => named.find(({ text }) => holds(text)) ?? []);
  return [...new Set(places.map(({ name, text }) => `${name}: ${plain(text)}`))].map((text) => ({ kind: "phrase", text }));
}

type Simple = Exclude<Condition, { kind: "text" | "matches" | "within" | "not" | "all" | "either" }>;

function meets(note: Facts, node: Simple): boolean {
  switch (node.kind) {
    case "path":
      return (node.field === "path" ? note.path : note.path.replace(/^.*\//, "")).toLowerCase().includes(node.text);
    case "tag":
      return note.tags.some((tag) => `${tag.toLowerCase()}/`.startsWith(`${node.tag}/`));
    case "property":
      return hasProperty(note, node.name, node.tests);
    case "date": {
      const time = node.field === "created" ? createdAt(note) : modifiedAt(note);
      return (node.start === null || time >= node.start) && (node.end === null || time < node.end);
    }
  }
}

function hasProperty({ properties, tags, aliases }: Facts, name: string, tests: readonly ValueTest[]): boolean {
  const all: [string, PropertyValue][] = Object.entries(properties);
  if (tags.length > 0) all.push(["tags", tags]);
  if (aliases.length > 0) all.push(["aliases", aliases]);
  const found = all.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value);
  if (found.length === 0 || tests.length === 0) return found.length > 0;
  return found.some((value) => tests.some((test) => meetsTest(value, test)));
}

function meetsTest(value: PropertyValue, { comparison, operand }: ValueTest): boolean {
  if (operand === null) return value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (typeof value === "boolean") return comparison === "=" && String(value) === operand.toLowerCase();
  return valuesOf(value).some((each) => compare(each, comparison, operand));
}

/** Compares as numbers if both are, as dates if both are, else as text ignoring case. */
function compare(value: string, comparison: Comparison, operand: string): boolean {
  const [left, right] = [asNumber(value), asNumber(operand)];
  if (left !== null && right !== null) return isOrdered(left, comparison, right);
  const [day, wanted] = [calendar(value), calendar(operand)];
  if (day && wanted) return isWithin(day.start, comparison, wanted);
  const text = value.toLowerCase();
  return comparison === "=" ? spellings(text).includes(operand.toLowerCase()) : isOrdered(text, comparison, operand.toLowerCase());
}

function isOrdered<T extends number | string>(left: T, comparison: Comparison, right: T): boolean {
  if (left === right) return !["<", ">"].includes(comparison);
  return (left > right ? [">", ">="] : ["<", "<="]).includes(comparison);
}

function isWithin(moment: number, comparison: Comparison, { start, end }: Period): boolean {
  if (comparison === ">") return moment >= end;
  if (comparison === ">=") return moment >= start;
  if (comparison === "<") return moment < start;
  return moment < end && (comparison === "<=" || moment >= start);
}

function asNumber(text: string): number | null {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(number) ? null : number;
}

/** The value, and for a link also its target, name and display text. */
function spellings(text: string): string[] {
  const inner = /^\[\[(.*)\]\]$/.exec(text.trim())?.[1];
  if (inner === undefined) return [text.trim()];
  const parts = inner.split("|");
  return [text.trim(), ...parts, (parts[0] ?? "").replace(/^.*\//, "")];
}
