/** The gardener in plain words: its checks, what is chosen of a plan, and what was done. */

import type { GardenModelReply, GardenReply, PlanReply, SuggestionView } from "../../../../src/contract";
import { count } from "../../../../src/format";
import { number, t, tn } from "../../../../src/texts";

/** The name of a check, as a heading. */
export function checkName(check: string): string {
  const names: Readonly<Record<string, string>> = {
    broken_links: t("Broken links"),
    unlinked_mentions: t("Names without a link"),
    near_duplicates: t("Notes that say nearly the same"),
    conflict_copy: t("Conflict copies"),
    disagreements: t("Notes that disagree, or that another replaces"),
    similar_topics: t("Topics that may be one"),
    missing_topics: t("Notes without topics"),
    missing_tags: t("Tags that similar notes have"),
    tag_variants: t("One tag in several spellings"),
    orphans: t("Notes without any link"),
    untitled: t("Notes without a title"),
    missing_properties: t("Missing properties"),
    update_topics: t("Topics by the language model"),
    missing_descriptions: t("Descriptions by the language model"),
    merge_topics: t("Topics that mean the same"),
    archive_topic: t("Topics without a use"),
  };
  const name = names[check] ?? check.replaceAll("_", " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What a check suggests, in a sentence; `finds` is the server's word for one that is not known here. */
export function checkHelp(check: string, finds: string): string {
  const helps: Readonly<Record<string, string>> = {
    broken_links: t("The note that a link to nowhere meant: it was moved, renamed or misspelled."),
    unlinked_mentions: t("A link around the name of a note that another one says without it."),
    disagreements: t("A property that names the other note. Both lines are shown; no text is changed."),
    near_duplicates: t("A property that marks one of two notes with nearly the same text. Texts are never merged."),
    conflict_copy: t("Versions of a note that a synchroniser left beside it, with what each says alone. Nothing is written: you settle them."),
    similar_topics: t("One topic in place of two that are alike in name or meaning."),
    missing_topics: t("Topics of your own list for notes that have none."),
    missing_tags: t("Tags that several similar notes have, and no new ones."),
    tag_variants: t("One spelling for a tag that is written in several."),
    orphans: t("Notes from which a note that nothing leads to could be linked."),
    untitled: t("A title for notes named Untitled or by a date, from their heading."),
    missing_properties: t("Properties that nearly all other notes of the same folder have."),
  };
  return helps[check] ?? `${finds.charAt(0).toUpperCase()}${finds.slice(1)}.`;
}

/** What a plan with the language model would send, and where. */
export function modelText({ model, host, local, notes, waiting, tokens, dollars, prices_of }: GardenModelReply): string {
  const place = local ? t("on the server’s computer") : t("at {host}, outside the server’s computer", { host });
  const work = t("{model} would read {notes} of {waiting}, about {tokens}, {place}.", {
    model,
    place,
    notes: number(notes),
    waiting: count(waiting, "note"),
    tokens: count(tokens, "token"),
  });
  if (local) return work;
  const price = dollars === null ? t("unknown") : `$${number(dollars, 2)}`;
  return `${work} ${t("Price: {price} at most (prices of {month}).", { price, month: prices_of })}`;
}

/** What can still be applied or rejected. A refused one can be tried again, once its note is as it was. */
export function isOpen({ state }: Pick<SuggestionView, "state">): boolean {
  return state === "open" || state === "refused";
}

export interface Group {
  readonly check: string;
  readonly suggestions: readonly SuggestionView[];
}

/** The suggestions by check, in the order of the plan. */
export function groupsOf({ suggestions }: Pick<PlanReply, "suggestions">): readonly Group[] {
  const checks = [...new Set(suggestions.map(({ check }) => check))];
  return checks.map((check) => ({ check, suggestions: suggestions.filter((one) => one.check === check) }));
}

/** "3 open, 2 applied". */
export function countsText(counts: PlanReply["counts"]): string {
  const { open = 0, applied = 0, rejected = 0, refused = 0 } = counts;
  const parts = [
    open ? t("{n} open", { n: open }) : "",
    applied ? t("{n} applied", { n: applied }) : "",
    rejected ? t("{n} rejected", { n: rejected }) : "",
    refused ? t("{n} refused", { n: refused }) : "",
  ];
  return parts.filter(Boolean).join(", ") || t("nothing to do");
}

export function stateName(state: SuggestionView["state"]): string {
  return { open: t("open"), applied: t("applied"), rejected: t("rejected"), refused: t("refused") }[state];
}

/** Whether accepting it would write something; others only show something, and can be rejected. */
export function hasEdit({ edit }: Pick<SuggestionView, "edit">): boolean {
  return edit.length > 0;
}

/** "2 suggestions are applied, 1 was refused because its note changed or cannot be written." */
export function appliedText({ applied, refused }: GardenReply): string {
  const made = tn(applied.length, "{n} suggestion is applied.", "{n} suggestions are applied.");
  return refused.length ? `${made} ${tn(refused.length, "{n} was refused, see below.", "{n} were refused, see below.")}` : made;
}

export function takenBackText({ applied, refused }: GardenReply): string {
  const made = tn(applied.length, "{n} suggestion is taken back.", "{n} suggestions are taken back.");
  const [first] = refused;
  return first ? `${made} ${tn(refused.length, "{n} could not be: {why}", "{n} could not be: {why}", { why: first.why })}` : made;
}

export function sure(confidence: number): string {
  return t("{percent} % sure", { percent: number(Math.round(confidence * 100)) });
}

/** "100 suggestions; 12 more come in the next plan". */
export function sizeText({ suggestions, more }: PlanReply): string {
  const shown = count(suggestions.length, "suggestion");
  return more ? t("{shown}; {n} more come with a later plan", { shown, n: more }) : shown;
}

/** The date and time of a plan, as "22 Nov 2026, 10:30". */
export function planName(created: string, locale: string | undefined): string {
  return new Date(created).toLocaleString(locale, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

export type DiffLine = readonly [kind: "file" | "place" | "old" | "new" | "same", text: string];

const PLACE = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The lines of a unified diff without its marks: the name of each note, where a part of it begins, and its lines. */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const shown: DiffLine[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const place = PLACE.exec(line);
    if (line.startsWith("+++ ")) shown.push(["file", line.slice(4)]);
    if (!place) continue;
    const part = partOf(lines.slice(at + 1), Number(place[1] ?? 1), Number(place[3] ?? 1));
    shown.push(...trimmed(part, Math.max(1, Number(place[2]))));
    at += part.length;
  }
  return shown;
}

/** The lines of a part, which has so many of the old text and of the new; fewer where a long diff was cut short. */
function partOf(lines: readonly string[], old: number, fresh: number): readonly DiffLine[] {
  const part: DiffLine[] = [];
  for (const line of lines) {
    if (old + fresh <= 0) break;
    const kind = line.startsWith("-") ? "old" : line.startsWith("+") ? "new" : "same";
    if (kind !== "new") old -= 1;
    if (kind !== "old") fresh -= 1;
    part.push([kind, line.slice(1)]);
  }
  return part;
}

/** A part without the blank lines around it, with the line where it begins. */
function trimmed(part: readonly DiffLine[], first: number): readonly DiffLine[] {
  const isBlank = ([kind, text]: DiffLine): boolean => kind === "same" && text.trim() === "";
  const from = Math.max(0, part.findIndex((line) => !isBlank(line)));
  const to = part.findLastIndex((line) => !isBlank(line));
  return [["place", t("line {n}", { n: first + from })], ...part.slice(from, to + 1)];
}
