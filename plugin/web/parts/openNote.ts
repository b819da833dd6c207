/** What the address says of the note that is open beside a list: closing it, and explaining why it was found. */

import type { ViewContext } from "../app/viewContext";

/** Opens or closes the explanation of the note that is read, or else of the `first` result; false where there is none. */
export function toggleWhy(context: ViewContext, first: string | undefined): boolean {
  const { note, line, why, q } = context.address.query;
  const path = note ?? first;
  if (!q || !path) return false;
  context.change(why ? { why: null } : { why: "yes", note: path, line });
  return true;
}

/** Closes the topmost thing alone: the explanation, or else the note, of which `closed` is told. False where both are closed. */
export function closeTop(context: ViewContext, closed: (path: string) => void): boolean {
  const { note, why } = context.address.query;
  if (why) context.change({ why: null });
  else if (note) {
    context.change({ note: null, line: null });
    closed(note);
  }
  return !!(why ?? note);
}
