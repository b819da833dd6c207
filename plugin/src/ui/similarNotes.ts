/** Which of the notes that the server calls similar are shown, and what to say where none is. */

import { ServerError } from "../client";
import type { Session } from "../connection";
import { offers, type LedgerRow, type Result } from "../contract";
import type { Explanation } from "./explain";
import { scoreText } from "./format";

export interface Filter {
  readonly self: string | null;
  readonly minScore: number;
  /** Null where linked notes are shown too. */
  readonly isLinked: ((path: string) => boolean) | null;
}

export interface Filtered {
  readonly kept: readonly Result[];
  readonly below: number;
  readonly linked: number;
}

export const OPEN_A_NOTE = message(
  "Open a note",
  "Notes that are like it show here. You can also drop a note or some text on this panel.",
);

export function filtered(results: readonly Result[], filter: Filter): Filtered {
  const others = results.filter((result) => result.path !== filter.self);
  const near = others.filter((result) => result.score >= filter.minScore);
  const kept = near.filter((result) => !filter.isLinked?.(result.path));
  return { kept, below: others.length - near.length, linked: near.length - kept.length };
}

/** Why nothing is shown although the server answered. */
export function absence({ below, linked, kept }: Filtered, minScore: number): Explanation {
  if (kept.length > 0) return message("All hidden", "Every similar note is hidden here.");
  if (linked > 0) return message("All linked", "Every similar note is linked with this one already.");
  if (below > 0) {
    return {
      title: "Nothing close enough",
      text: `No note reaches the lowest similarity to show, ${scoreText(minScore)}.`,
      actions: [{ name: "settings", label: "Open settings" }],
    };
  }
  return message("No similar notes", "Nothing in this vault is like this note, or it has no text.");
}

/** What became of a note that the index does not know. */
export async function whatIsMissing(session: Session, path: string): Promise<Explanation> {
  if (!offers(session.features, "ledger")) return NOT_INDEXED;
  try {
    const { entries } = await session.client.ledger({ path });
    return entries[0] ? ofLedger(entries[0]) : NOT_INDEXED;
  } catch (error) {
    if (error instanceof ServerError) return NOT_INDEXED;
    throw error;
  }
}

export function ofLedger(row: LedgerRow): Explanation {
  const reason = row.reason ?? "";
  switch (row.state) {
    case "excluded":
      return message("This note is excluded", `${reason} (rule: ${row.rule ?? "unknown"})`.trim());
    case "failed":
      return {
        title: "This note could not be read",
        text: reason,
        actions: [{ name: "errors", label: "Show errors" }],
      };
    case "indexed":
      return message("Nothing to compare", "This note has no text.");
    default:
      return NOT_INDEXED;
  }
}

const NOT_INDEXED = message(
  "Not indexed yet",
  "This note will be shown with its neighbours as soon as the index has it.",
);

function message(title: string, text: string): Explanation {
  return { title, text, actions: [] };
}
