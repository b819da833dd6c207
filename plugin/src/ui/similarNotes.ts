/** Which of the notes that the server calls similar are shown, and what to say where none is. */

import { asServerError } from "../client";
import type { Session } from "../connection";
import { offers, type LedgerRow, type Result } from "../contract";
import { message, SETTINGS, type Explanation } from "./explain";
import { scoreText } from "./format";

export interface Filter {
  readonly self: string;
  readonly minScore: number;
  /** Null where linked notes are shown too. */
  readonly isLinked: ((path: string) => boolean) | null;
}

export interface Filtered {
  readonly kept: readonly Result[];
  readonly below: number;
  readonly linked: number;
}

export const OPEN_A_NOTE = message("Open a note", "Or drop a note or some text here.");

export function filtered(results: readonly Result[], filter: Filter): Filtered {
  const others = results.filter((result) => result.path !== filter.self.normalize());
  const near = others.filter((result) => result.score >= filter.minScore);
  const kept = near.filter((result) => !filter.isLinked?.(result.path));
  return { kept, below: others.length - near.length, linked: near.length - kept.length };
}

/** Why nothing is shown although the server answered. */
export function absence({ below, linked, kept }: Filtered, minScore: number): Explanation {
  if (kept.length > 0) return message("All hidden", "Every similar note is hidden here.");
  if (linked > 0) return message("All linked", "Every similar note is linked already.");
  if (below > 0) {
    const text = `No note reaches the lowest similarity, ${scoreText(minScore)}.`;
    return message("Nothing close enough", text, [SETTINGS]);
  }
  return message("No similar notes", "Nothing is like this note, or it has no text.");
}

/** What became of a note that the index does not know. */
export async function whatIsMissing(session: Session, path: string): Promise<Explanation> {
  if (!offers(session.features, "ledger")) return NOT_INDEXED;
  try {
    const { entries } = await session.client.ledger({ path });
    return entries[0] ? ofLedger(entries[0]) : NOT_INDEXED;
  } catch (error) {
    return message("Not in the index", asServerError(error).message);
  }
}

export function ofLedger(row: LedgerRow): Explanation {
  const reason = row.reason ?? "";
  switch (row.state) {
    case "excluded":
      return message("This note is excluded", `${reason} (rule: ${row.rule ?? "unknown"})`.trim());
    case "failed":
      return message("This note could not be read", reason, [["errors", "Show errors"]]);
    case "indexed":
      return message("Nothing to compare", "This note has no text.");
    case "keyword_only":
      return message("Found by keywords only", "The search by meaning follows.");
    default:
      return NOT_INDEXED;
  }
}

const NOT_INDEXED = message("Not indexed yet", "Its neighbours show when the index has it.");
