/** The script `code` with the functions at its top as arrow functions; see arrows.mjs. */
export function withArrows(code: string): string;
