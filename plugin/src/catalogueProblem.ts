/** Why `found` is no catalogue; null if it is one. For files that people write. */
export function catalogueProblem(found: unknown): string | null {
  if (typeof found !== "object" || found === null || Array.isArray(found)) return "it is no JSON object";
  for (const [key, entry] of Object.entries<unknown>({ ...found })) {
    const texts: unknown[] = typeof entry === "object" && entry !== null ? Object.values(entry) : [entry];
    if (texts.length === 0 || texts.some((text) => typeof text !== "string")) return `“${key}” has no text`;
  }
  return null;
}
