/** The results of a search by time: when they were written, the gaps, and the notes. */

import { asServerError } from "../../src/client";
import type { ArchaeologyReply, DatedNote, Gap } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { count } from "../../src/format";
import { day } from "../lib/format";
import { exportName, saveAs, timelineCsv, timelineNote } from "../lib/timelineExport";
import { chart } from "./chart";
import { emptyBox, errorBox } from "./errors";
import { noteAddress } from "./resultRow";
import { t } from "../../src/texts";

const grains = (): readonly [value: string, label: string][] => [
  ["", t("Automatic")],
  ["day", t("Days")],
  ["week", t("Weeks")],
  ["month", t("Months")],
];

const LAST_DAY = "9999";
const WHOLE = ["", LAST_DAY] as const;

export class Timeline {
  readonly el = h("div", { class: "past" });
  readonly #context: ViewContext;
  #shownQuestion = "";
  #shownTopic = "";
  #period: readonly [start: string, end: string] = WHOLE; // chosen for this topic, whatever the grouping
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  show(): void {
    const { q = "", by = "", weak = "" } = this.#context.address.query;
    const topic = JSON.stringify([this.#context.vault?.id, q, weak]);
    const question = JSON.stringify([topic, by]);
    if (question === this.#shownQuestion) return;
    this.#shownQuestion = question;
    if (topic !== this.#shownTopic) this.#period = WHOLE;
    this.#shownTopic = topic;
    void this.#load(q, by);
  }

  async #load(q: string, grain: string): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    try {
      const found = await this.#context.vaultClient.archaeology(q, grain || "auto", this.#context.address.query["weak"] === "true");
      if (sequence === this.#sequence) this.#draw(found, grain);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      fill(this.el, errorBox(asServerError(error), () => void this.#load(q, grain)));
    }
  }

  #draw(found: ArchaeologyReply, grain: string): void {
    if (found.notes.length === 0) {
      fill(this.el, emptyBox(t("No dated notes"), t("No dated note matches this topic.")));
      return;
    }
    const notes = h("ol", { class: "dated" });
    let shown: readonly DatedNote[] = [];
    const period = new PeriodFields((start, end) => show(start, end));
    const show = (start: string, end: string): void => {
      shown = found.notes.filter(({ date }) => date >= start && date <= end);
      this.#period = [start, end];
      period.set(start, end);
      fill(notes, ...shown.map((note) => datedRow(this.#context, note)));
      this.#context.notices.announce(count(shown.length, "note", "notes"));
    };
    fill(
      this.el,
      this.#head(found, grain),
      ...(isOneDay(found) ? [] : [chart(found, show), gaps(found), peaks(found, show)]),
      h("div", { class: "past-head" }, isOneDay(found) ? null : period.el, exports(found.query, () => shown)),
      h("h2", {}, t("Notes, oldest first")),
      notes,
      ...found.warnings.map((text) => h("p", { class: "warning" }, text)),
    );
    show(...this.#period);
  }

  #head(found: ArchaeologyReply, grain: string): HTMLElement {
    const options = grains().map(([value, label]) => h("option", { value, selected: value === grain }, label));
    const choose = h("select", { on: { change: (e: Event) => this.#context.change({ by: (e.target as HTMLSelectElement).value }) } }, ...options);
    const notes = count(found.notes.length, "note", "notes");
    const [first, last] = [date(found.first), date(found.last)];
    const text = first === last ? t("{notes}, all of {day}", { notes, day: first }) : t("{notes} from {first} to {last}", { notes, first, last });
    const undated = found.undated ? `, ${t("{n} without a date", { n: found.undated })}` : "";
    const told = h("p", {}, text, h("span", { class: "faint" }, undated));
    return h("div", { class: "past-head" }, told, isOneDay(found) ? null : h("label", {}, t("Grouped by"), " ", choose));
  }
}

/** The first and last day shown, which the chart sets and which can be typed. */
class PeriodFields {
  readonly #start = h("input", { type: "date" });
  readonly #end = h("input", { type: "date" });
  readonly el = h("p", { class: "period" }, h("label", {}, t("From"), " ", this.#start), h("label", {}, t("to"), " ", this.#end));

  constructor(changed: (start: string, end: string) => void) {
    const read = (): void => changed(this.#start.value, this.#end.value || LAST_DAY);
    this.#start.addEventListener("change", read);
    this.#end.addEventListener("change", read);
  }

  set(start: string, end: string): void {
    this.#start.value = start;
    this.#end.value = end === LAST_DAY ? "" : end;
  }
}

/** Buttons that save the notes shown as a file: the vault itself is not written. */
function exports(topic: string, shown: () => readonly DatedNote[]): HTMLElement {
  const csv = (): void => saveAs(exportName(topic, "csv"), "text/csv", timelineCsv(shown()));
  const note = (): void => saveAs(exportName(topic, "md"), "text/markdown", timelineNote(topic, shown()));
  return h("p", { class: "buttons" }, button(t("Save as CSV"), csv, { class: "quiet" }), button(t("Save as a note"), note, { class: "quiet" }));
}

/** The pauses, longest first; the chart shades them. */
function gaps({ gaps: all }: ArchaeologyReply): HTMLElement | null {
  const [longest, ...others] = [...all].sort((one, other) => other.days - one.days);
  if (!longest) return null;
  const told = ({ days, start, end }: Gap): string => t("{days}, from {start} to {end}", { days: count(days, "day", "days"), start: date(start), end: date(end) });
  const more = others.length ? h("details", {}, h("summary", {}, count(others.length, "more pause", "more pauses")), h("ul", {}, ...others.map((gap) => h("li", {}, told(gap))))) : null;
  return h("div", { class: "faint" }, h("p", {}, t("The longest pause: {longest}.", { longest: told(longest) })), more);
}

function peaks({ peaks: all }: ArchaeologyReply, show: (start: string, end: string) => void): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.slice(0, 5).map((peak) => {
    const days = peak.start === peak.end ? date(peak.start) : `${date(peak.start)} – ${date(peak.end)}`;
    const label = `${days} · ${count(peak.count, "note", "notes")}`;
    return h("button", { type: "button", class: "chip", on: { click: () => show(peak.start, peak.end) } }, label);
  });
  const everything = h("button", { type: "button", class: "chip", on: { click: () => show(...WHOLE) } }, t("Whole period"));
  return h("div", { class: "chips", role: "group", "aria-label": t("Peaks") }, ...rows, everything);
}

/** Whether all notes are of one day: there is nothing to draw, group or choose. */
function isOneDay({ first, last }: ArchaeologyReply): boolean {
  return first === last;
}

/** Where the date of a note is from. */
function dateSource(source: DatedNote["dated_by"]): string {
  const sources: Readonly<Record<DatedNote["dated_by"], string>> = {
    daily: t("the day of a daily note"),
    created: t("the property of its creation"),
    name: t("the date in its name"),
    modified: t("the property of its last change"),
    file: t("the time of its file"),
  };
  return sources[source];
}

function datedRow(context: ViewContext, note: DatedNote): HTMLElement {
  return h(
    "li",
    {},
    h("time", { datetime: note.date, title: dateSource(note.dated_by) }, date(note.date)),
    h(
      "div",
      {},
      h("a", { href: noteAddress(context, note.path, note.line), dir: "auto" }, note.title),
      h("p", { class: "snippet", dir: "auto" }, note.snippet),
    ),
  );
}

function date(text: string | null): string {
  return text === null ? "–" : day(`${text}T12:00:00`);
}
