/** The notes that the user hid from, or pinned to, the similar notes of a note. */

import type { App, EventRef } from "obsidian";
import type { Choices, Marks, Settings } from "../settings";

type AllMarks = Choices["marks"];
export type Mark = keyof Marks;

export function marksOf(all: AllMarks, note: string): Marks {
  return all[note] ?? { hidden: [], pinned: [] };
}

/** Sets or removes a mark of `other` for `note`; a note is never hidden and pinned at once. */
export function withMark(
  all: AllMarks,
  note: string,
  other: string,
  mark: Mark,
  isSet: boolean,
): AllMarks {
  const { hidden, pinned } = marksOf(all, note);
  const without = (paths: readonly string[]): string[] => paths.filter((path) => path !== other);
  const marks = { hidden: without(hidden), pinned: without(pinned) };
  if (isSet) marks[mark].push(other);
  return tidy({ ...all, [note]: marks });
}

export function withoutHidden(all: AllMarks, note: string): AllMarks {
  return tidy({ ...all, [note]: { ...marksOf(all, note), hidden: [] } });
}

/** The marks after a note was renamed: as the note that has marks, and as a note named in them. */
export function afterRename(all: AllMarks, from: string, to: string): AllMarks {
  const renamed = (path: string): string => (path === from ? to : path);
  return Object.fromEntries(
    Object.entries(all).map(([note, { hidden, pinned }]) => [
      renamed(note),
      { hidden: hidden.map(renamed), pinned: pinned.map(renamed) },
    ]),
  );
}

/** Updates the marks when notes are renamed. */
export function followRenames({ vault }: App, settings: Settings): EventRef {
  return vault.on("rename", (file, from) => {
    const marks = afterRename(settings.chosen.marks, from, file.path);
    if (Object.keys(marks).length > 0) void settings.set("marks", marks);
  });
}

function tidy(all: AllMarks): AllMarks {
  const entries = Object.entries(all);
  return Object.fromEntries(
    entries.filter(([, { hidden, pinned }]) => hidden.length + pinned.length > 0),
  );
}
