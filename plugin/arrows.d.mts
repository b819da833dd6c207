/** The script `code` with the functions at its top as arrow functions; see arrows.mjs. */
export function withArrows(code: string): string;

/** The script `code` with a short name for `this`, where that is shorter. */
export function withShortThis(code: string): string;

/** The script `code` without the mark of private names, where they cannot be taken for others. */
export function withoutMarks(code: string): string;

/** The script `code` with the declarations at its top joined. */
export function joined(code: string): string;
