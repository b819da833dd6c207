/** The conditions of a query, found in its text so that they can be shown and taken away one by one. */

export interface Condition {
  /** As it is written in the query. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const CONDITION =
  /(^|[\s(])(-?(?:(?:tag|path|file|type|status|created|modified):(?:"(?:[^"\\]|\\.)*"|[^\s()"]+)|\[(?!\[)[^\]\n]+\]|"(?:[^"\\]|\\.)+"))/giu;

export function conditions(query: string): readonly Condition[] {
  return [...query.matchAll(CONDITION)].map(({ 1: before = "", 2: text = "", index }) => {
    const start = index + before.length;
    return { text, start, end: start + text.length };
  });
}

/** The query without one of its conditions. */
export function without(query: string, { start, end }: Condition): string {
  const left = query.slice(0, start).trimEnd();
  const right = query.slice(end).trimStart();
  // An OR that joined it to something has nothing to join now.
  const joined = [left.replace(/\s+OR$/, ""), right.replace(/^OR\s+/, "")];
  return joined.filter(Boolean).join(" ");
}

/** The query with one more condition; a value with spaces is quoted. */
export function narrowed(query: string, name: string, value: string): string {
  const written = /[\s()"]/.test(value) ? `"${value.replaceAll('"', '\\"')}"` : value;
  const condition = `${name}:${written}`;
  const isThere = conditions(query).some(({ text }) => text === condition);
  return isThere ? query : `${query.trim()} ${condition}`.trim();
}
