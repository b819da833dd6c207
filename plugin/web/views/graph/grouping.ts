/** Sorts the notes of a graph into groups that are coloured alike: by folder, tag, community, age or type. */

import type { NeighborhoodNote } from "../../../src/contract";
import { t } from "../../../src/texts";

export const GROUPINGS = ["none", "folder", "tag", "community", "age", "type"] as const;
export type GroupingName = (typeof GROUPINGS)[number];

export interface Group {
  readonly label: string;
  /** The custom property that holds its colour. */
  readonly colour: string;
  readonly count: number;
}
export interface Grouping {
  readonly groups: readonly Group[];
  /** The group of each note, by position. */
  readonly of: readonly number[];
}

/** As many groups as there are colours that can be told apart; the rest share one. */
const MOST_GROUPS = 8;
const DAY_MS = 86_400_000;
const ages = (): readonly (readonly [label: string, days: number])[] => [
  [t("This week"), 7],
  [t("This month"), 31],
  [t("This year"), 366],
  [t("Up to 3 years"), 3 * 366],
  [t("Older"), Number.POSITIVE_INFINITY],
];

/** Groups of `notes`, the largest first; ages in order. `now` is in milliseconds since 1970. */
export function grouped(notes: readonly NeighborhoodNote[], by: GroupingName, now: number): Grouping {
  if (by === "age") return byAge(notes, now);
  if (by === "none") return { groups: [], of: notes.map(() => -1) };
  const names = notes.map((note) => NAME_OF[by](note));
  const counts = new Map<string, number>();
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  const largest = [...counts].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1)).slice(0, MOST_GROUPS);
  const numbers = new Map(largest.map(([name], n) => [name, n]));
  const of = names.map((name) => (name === null ? largest.length : (numbers.get(name) ?? largest.length)));
  const groups = largest.map(([name, count], n): Group => ({ label: labelled(by, name, notes, names), colour: `--group-${n + 1}`, count }));
  const rest = of.filter((group) => group === largest.length).length;
  return { groups: rest ? [...groups, { label: none()[by], colour: "--group-rest", count: rest }] : groups, of };
}

const NAME_OF: Readonly<Record<Exclude<GroupingName, "none" | "age">, (note: NeighborhoodNote) => string | null>> = {
  folder: ({ path }) => (path.includes("/") ? (path.split("/", 1)[0] ?? null) : null),
  tag: ({ tags }) => tags[0]?.split("/", 1)[0] ?? null,
  community: ({ community }) => (community === null ? null : String(community)),
  type: ({ path }) => /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? null,
};

const none = (): Readonly<Record<Exclude<GroupingName, "none" | "age">, string>> => ({
  folder: t("Other folders"),
  tag: "Other tags, or none",
  community: t("Smaller communities, or none"),
  type: "Other files",
});

/** A community is called by its most linked note, because it has no name of its own. */
function labelled(by: GroupingName, name: string, notes: readonly NeighborhoodNote[], names: readonly (string | null)[]): string {
  if (by === "tag") return `#${name}`;
  if (by === "type") return name === "md" ? t("Notes") : `.${name}`;
  if (by !== "community") return name;
  let most: NeighborhoodNote | undefined;
  notes.forEach((note, n) => {
    if (names[n] === name && note.links > (most?.links ?? -1)) most = note;
  });
  return t("Around {title}", { title: most?.title ?? name });
}

function byAge(notes: readonly NeighborhoodNote[], now: number): Grouping {
  const of = notes.map(({ modified }) => {
    const days = modified === null ? Number.NaN : (now - Date.parse(modified)) / DAY_MS;
    const found = ages().findIndex(([, most]) => days <= most);
    return found < 0 ? ages().length : found;
  });
  const labels = [...ages().map(([label]) => label), t("Without a date")];
  const colours = [...ages().map((_, n) => `--age-${n + 1}`), "--group-rest"];
  const counts = labels.map((_, n) => of.filter((group) => group === n).length);
  return { groups: labels.map((label, n) => ({ label, colour: colours[n] ?? "--group-rest", count: counts[n] ?? 0 })), of };
}
