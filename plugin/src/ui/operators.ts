/** Where in a query a word of the vault can be completed, and how it is written there. */

interface Span {
  /** What is replaced: from `start` to `end`. `typed` is what of the word is there already. */
  readonly start: number;
  readonly end: number;
  readonly typed: string;
}

export type Completion = Span &
  (
    | { readonly kind: "tag" | "path" | "property" }
    | { readonly kind: "value"; readonly property: string }
  );

const FILTER = /(?:^|[\s(])-?(tag|path):((?:#?"?)([^"\s]*)|"([^"]*))$/;
const PROPERTY = /(?:^|[^[])\[([^\][:"]*)$/;
const VALUE = /\[([^\][:"]+):"?([^\]["]*)$/;

/** What can be completed before the caret: `tag:ab`, `path:"My fo`, `[sta`, `[status:op`; or null. */
export function completionAt(query: string, caret: number): Completion | null {
  const before = query.slice(0, caret);
  const span = (typed: string, replaced = typed): Span => ({
    start: caret - replaced.length,
    end: caret,
    typed,
  });
  const filter = FILTER.exec(before);
  if (filter) {
    const kind = filter[1] === "tag" ? "tag" : "path";
    return { kind, ...span(filter[4] ?? filter[3] ?? "", filter[2]) };
  }
  const property = PROPERTY.exec(before);
  if (property) return { kind: "property", ...span(property[1] ?? "") };
  const value = VALUE.exec(before);
  if (value?.[1]) return { kind: "value", property: value[1].trim(), ...span(value[2] ?? "") };
  return null;
}

/** Writes `word` where `at` says, closed as the query language wants it. */
export function replaceAt(
  query: string,
  at: Completion,
  word: string,
): { readonly query: string; readonly caret: number } {
  const head = query.slice(0, at.start);
  const tail = query.slice(at.end);
  if (at.kind === "tag" || at.kind === "path") {
    const written = `${/\s/.test(word) ? `"${word}"` : word} `;
    return { query: head + written + tail.trimStart(), caret: (head + written).length };
  }
  const rest = tail.startsWith("]") ? tail : `]${tail}`;
  // After a name the caret stays inside the brackets, where a value may follow.
  const caret = head.length + word.length + (at.kind === "value" ? 1 : 0);
  return { query: head + word + rest, caret };
}
