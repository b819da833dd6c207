/** Finds the operator value before the caret of a query, and inserts a completion there. */

export interface Completion {
  readonly kind: "tag" | "path" | "property" | "value";
  /** The range to replace; `typed` is the part of the word that is already there. */
  readonly start: number;
  readonly end: number;
  readonly typed: string;
  /** The property whose value is completed. */
  readonly property?: string;
}

const FILTER = /(?:^|[\s(])-?(tag|path):((?:#?"?)([^"\s]*)|"([^"]*))$/;
const PROPERTY = /(?:^|[^[])\[([^\][:"]*)$/;
const VALUE = /\[([^\][:"]+):"?([^\]["]*)$/;

/** What can be completed before the caret: `tag:ab`, `path:"My fo`, `[sta`, `[status:op`; or null. */
export function completionAt(query: string, end: number): Completion | null {
  const before = query.slice(0, end);
  const [, filter, written = "", word, quoted] = FILTER.exec(before) ?? [];
  if (filter === "tag" || filter === "path") {
    return { kind: filter, start: end - written.length, end, typed: quoted ?? word ?? "" };
  }
  const [, name] = PROPERTY.exec(before) ?? [];
  if (name !== undefined) return { kind: "property", start: end - name.length, end, typed: name };
  const [, property, typed = ""] = VALUE.exec(before) ?? [];
  if (property === undefined) return null;
  return { kind: "value", start: end - typed.length, end, typed, property: property.trim() };
}

/** Replaces the range by `word`, quoted or bracketed as the query syntax requires. */
export function replaceAt(
  query: string,
  { kind, start, end }: Completion,
  word: string,
): { readonly query: string; readonly caret: number } {
  const head = query.slice(0, start);
  const tail = query.slice(end);
  if (kind === "tag" || kind === "path") {
    const written = `${head}${/\s/.test(word) ? `"${word}"` : word} `;
    return { query: written + tail.trimStart(), caret: written.length };
  }
  const written = head + word;
  // After a name the caret stays inside the brackets, where a value may follow.
  const caret = written.length + (kind === "value" ? 1 : 0);
  return { query: `${written}${tail.startsWith("]") ? "" : "]"}${tail}`, caret };
}
