/** What the page and the worker that reads code tell each other. */

export interface CodeJob {
  readonly text: string;
  /** As it stands behind the fence, in small letters. */
  readonly language: string;
}

/** The kinds that have a colour. */
export const CODE_KINDS = ["keyword", "string", "number", "comment", "name", "type", "added", "removed"] as const;
export type CodeKind = (typeof CODE_KINDS)[number];

/** Parts of the text one after the other, each with its length in UTF-16 units; empty where the language is unknown. */
export type CodeRuns = readonly { readonly length: number; readonly kind: CodeKind | null }[];
