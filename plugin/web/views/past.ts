/** The timeline of a topic: when notes about it were written, the gaps, and the notes. */

import { asServerError } from "../../src/client";
import type { ArchaeologyReply, DatedNote } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { fill, h } from "../lib/dom";
import { count } from "../../src/format";
import { day } from "../lib/format";
import { emptyBox, errorBox } from "../parts/errors";
import { chart } from "../parts/chart";
import { noteAddress } from "../parts/resultRow";

const GRAINS: readonly [value: string, label: string][] = [
  ["", "Automatic"],
  ["day", "Days"],
  ["week", "Weeks"],
  ["month", "Months"],
];

export class Past implements View {
  readonly title = "Timeline";
  readonly el = h("div", { class: "past" });
  readonly #context: ViewContext;
  #shownQuestion = "";
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  show({ query }: Address): void {
    const { q = "", by = "" } = query;
    const question = JSON.stringify([this.#context.vault?.id, q, by]);
    if (question === this.#shownQuestion) return;
    this.#shownQuestion = question;
    void this.#load(q, by);
  }

  async #load(q: string, grain: string): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    if (!q) {
      fill(this.el, emptyBox("See when you wrote about a topic", "Search for a topic to see its timeline."));
      return;
    }
    try {
      const found = await this.#context.vaultClient.archaeology(q, grain || "auto");
      if (sequence === this.#sequence) this.#draw(found, grain);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      this.#shownQuestion = "";
      fill(this.el, errorBox(asServerError(error), () => void this.#load(q, grain)));
    }
  }

  #draw(found: ArchaeologyReply, grain: string): void {
    if (found.notes.length === 0) {
      fill(this.el, emptyBox("No dated notes", "No dated note matches this topic."));
      return;
    }
    const notes = h("ol", { class: "dated" });
    const show = (start: string, end: string): void => {
      const within = found.notes.filter(({ date }) => date >= start && date <= end);
      fill(notes, ...within.map((note) => datedRow(this.#context, note)));
      this.#context.notices.announce(count(within.length, "note", "notes"));
    };
    fill(
      this.el,
      h("h1", { class: "unseen" }, "This topic over time"),
      this.#head(found, grain),
      chart(found, show),
      gaps(found),
      peaks(found, show),
      h("h2", {}, "Notes, oldest first"),
      notes,
      ...found.warnings.map((text) => h("p", { class: "warning" }, text)),
    );
    show("", "9999");
  }

  #head(found: ArchaeologyReply, grain: string): HTMLElement {
    const options = GRAINS.map(([value, label]) => h("option", { value, selected: value === grain }, label));
    const choose = h("select", { on: { change: (e: Event) => this.#context.change({ by: (e.target as HTMLSelectElement).value }) } }, ...options);
    const text = `${count(found.notes.length, "note", "notes")} from ${date(found.first)} to ${date(found.last)}`;
    const undated = found.undated ? `, ${found.undated} without a date` : "";
    return h("div", { class: "past-head" }, h("p", {}, text, h("span", { class: "faint" }, undated)), h("label", {}, "Grouped by ", choose));
  }
}

function gaps({ gaps: all }: ArchaeologyReply): HTMLElement | null {
  const [longest] = [...all].sort((one, other) => other.days - one.days);
  if (!longest) return null;
  const text = `The longest gap: ${count(longest.days, "day", "days")}, from ${date(longest.start)} to ${date(longest.end)}.`;
  return h("p", { class: "faint" }, text);
}

function peaks({ peaks: all }: ArchaeologyReply, show: (start: string, end: string) => void): HTMLElement | null {
  if (all.length === 0) return null;
  const rows = all.slice(0, 5).map((peak) => {
    const label = `${date(peak.start)} – ${date(peak.end)} · ${count(peak.count, "note", "notes")}`;
    return h("button", { type: "button", class: "chip", on: { click: () => show(peak.start, peak.end) } }, label);
  });
  const everything = h("button", { type: "button", class: "chip", on: { click: () => show("", "9999") } }, "Whole period");
  return h("div", { class: "chips", role: "group", "aria-label": "Peaks" }, ...rows, everything);
}

function datedRow(context: ViewContext, note: DatedNote): HTMLElement {
  return h(
    "li",
    {},
    h("time", { datetime: note.date, title: `by ${note.dated_by}` }, date(note.date)),
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
