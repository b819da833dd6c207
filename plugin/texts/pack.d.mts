/** What a build takes of the German catalogue, by hashes of the English texts; see pack.mjs. */
export function germanTexts(folders: readonly string[], isUsed?: (file: string) => boolean): Record<string, string | Record<string, string>>;

/** A style sheet with texts of a language in a comment. */
export function withTexts(css: string, language: string, texts: Readonly<Record<string, unknown>>): string;
