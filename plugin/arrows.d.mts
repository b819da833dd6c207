/** The script `code` with the functions at its top as arrow functions; see arrows.mjs. */
export function withArrows(code: string): string;

/** The script `code` with a short name for `this`, where that is shorter. */
export function withShortThis(code: string): string;
