/** What a person hid from, or pinned to, the similar notes of a note. */

import type { Result } from "../contract";
import type { Marks, VaultSettings } from "../settings";

type AllMarks = VaultSettings["marks"];
export type Mark = keyof Marks;

const NONE: Marks = { hidden: [], pinned: [] };

export function marksOf(all: AllMarks, note: string): Marks {
  return all[note] ?? NONE;
}

/** Marks `other` for `note`, or takes the mark away; hiding unpins, pinning shows. */
export function withMark(
  all: AllMarks,
  note: string,
  other: string,
  mark: Mark,
  isSet: boolean,
): AllMarks {
  const before = marksOf(all, note);
  const without = (paths: readonly string[]): string[] => paths.filter((path) => path !== other);
  const marks: Marks = { hidden: without(before.hidden), pinned: without(before.pinned) };
  const next = isSet ? { ...marks, [mark]: [...marks[mark], other] } : marks;
  return tidy({ ...all, [note]: next });
}

export function withoutHidden(all: AllMarks, note: string): AllMarks {
  return tidy({ ...all, [note]: { ...marksOf(all, note), hidden: [] } });
}

/** The marks after a note moved, whether it bears them or is named in them. */
export function afterRename(all: AllMarks, from: string, to: string): AllMarks {
  const renamed = (path: string): string => (path === from ? to : path);
  return Object.fromEntries(
    Object.entries(all).map(([note, { hidden, pinned }]) => [
      renamed(note),
      { hidden: hidden.map(renamed), pinned: pinned.map(renamed) },
    ]),
  );
}

/** Pinned results first, hidden ones not at all. */
export function arranged(results: readonly Result[], marks: Marks): readonly Result[] {
  const isPinned = (result: Result): boolean => marks.pinned.includes(result.path);
  const visible = results.filter((result) => !marks.hidden.includes(result.path));
  return [...visible.filter(isPinned), ...visible.filter((result) => !isPinned(result))];
}

function tidy(all: AllMarks): AllMarks {
  return Object.fromEntries(
    Object.entries(all).filter(([, { hidden, pinned }]) => hidden.length + pinned.length > 0),
  );
}
