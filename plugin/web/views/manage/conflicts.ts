/** Conflict copies: those beside notes, and making one note of two after a choice for each difference. */

import { asServerError } from "../../../src/client";
import type { ConflictPart, ConflictReply, ConflictsReply, HealReply, KeptVersion } from "../../../src/contract";
import { HttpClient } from "../../../src/http";
import { list, nullable, number, object, oneOf, partOf, text } from "../../../src/shape";
import { locale, t, tn } from "../../../src/texts";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { button, fill, h } from "../../lib/dom";
import { refusalOf } from "../../parts/refusals";
import { noteAddress } from "../../parts/resultRow";
import { about, Loader, nothing, type Panel, runAction } from "./panel";

const LONGEST_MS = 60_000;
const conflictsReply = partOf<ConflictsReply>()({ vault: text, conflicts: list(object({ path: text, copy: text, changed: text, copy_changed: text })) });
const conflictReply = partOf<ConflictReply>()({
  path: text,
  copy: text,
  hash: text,
  copy_hash: text,
  changed: text,
  copy_changed: text,
  newer: oneOf("note", "copy"),
  differences: number,
  parts: list(object({ kind: oneOf("both", "note", "copy", "differs"), note: text, copy: text, line: number })),
  links: list(text),
});
const healReply = partOf<HealReply>()({ path: text, copy: text, links: list(text), left: list(text), undo: nullable(number) });

class ConflictClient extends HttpClient {
  conflicts(): Promise<ConflictsReply> {
    return this.get("conflicts", conflictsReply, {});
  }

  conflict(path: string, other: string): Promise<ConflictReply> {
    return this.get("conflict", conflictReply, { path, other });
  }

  heal(found: ConflictReply, choices: readonly KeptVersion[]): Promise<HealReply> {
    const { path, copy, hash, copy_hash } = found;
    return this.post("conflict/heal", healReply, { path, other: copy, hash, other_hash: copy_hash, choices }, LONGEST_MS);
  }
}

export class ConflictsPanel implements Panel {
  readonly el = h("div", { class: "conflicts" });
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("Versions of a note that a synchroniser left beside it. Nothing is written before you have chosen.")), this.#body);
  }

  show({ query }: Address): void {
    const client = this.#context.vaultClient.as(ConflictClient);
    const { note, copy } = query;
    if (note && copy) void this.#loader.load(() => client.conflict(note, copy), (found) => this.#compare(client, found));
    else void this.#loader.load(() => client.conflicts(), (found) => [this.#list(found)]);
  }

  #list({ conflicts }: ConflictsReply): HTMLElement {
    if (!conflicts.length) return nothing(t("No conflict copies"), t("Where two devices change a note at once, the second version is listed here."));
    const rows = conflicts.map(({ path, copy, changed, copy_changed }) =>
      h(
        "li",
        {},
        h("a", { href: this.#context.to("manage", { note: path, copy }, "conflicts"), dir: "auto" }, path),
        h("span", { class: "faint" }, t("note of {time}, copy of {other}", { time: moment(changed), other: moment(copy_changed) })),
      ),
    );
    return h("ul", { class: "tend-plans" }, ...rows);
  }

  #compare(client: ConflictClient, found: ConflictReply): Node[] {
    const differing = found.parts.filter(({ kind }) => kind === "differs");
    const choices = differing.map((): KeptVersion => found.newer);
    const shown = found.parts.filter((part) => part.kind !== "both" && (part.note + part.copy).trim());
    const rows = shown.map((part) => (part.kind === "differs" ? this.#choice(found, part, choices, differing.indexOf(part)) : aloneRow(part)));
    const said = h("div", { role: "status" });
    const start = button(t("Make one note of the two"), () => void this.#heal(client, found, choices, start, said), { class: "primary" });
    return [
      h("p", {}, h("a", { href: this.#context.to("manage", {}, "conflicts") }, t("All conflict copies"))),
      h("h3", { dir: "auto" }, h("a", { href: noteAddress(this.#context, found.path) }, found.path)),
      h("p", { class: "faint", dir: "auto" }, found.copy),
      rows.length ? h("ul", { class: "tend-items" }, ...rows) : h("p", {}, t("Both say the same.")),
      found.links.length ? h("p", { class: "faint" }, tn(found.links.length, "{n} note links to the copy; its links will lead to the note.", "{n} notes link to the copy; their links will lead to the note.")) : null,
      this.#context.mayWrite ? h("div", { class: "buttons" }, start) : null,
      said,
    ].filter((node) => node !== null);
  }

  /** A difference, with both versions to choose from; the later one is chosen at first. */
  #choice(found: ConflictReply, part: ConflictPart, choices: KeptVersion[], at: number): HTMLElement {
    const name = `difference-${at}`;
    const option = (kept: KeptVersion, label: string, version: string): HTMLElement => {
      const box = h("input", { type: "radio", name, checked: choices[at] === kept, disabled: !this.#context.mayWrite });
      box.addEventListener("change", () => (choices[at] = kept));
      return h("label", { class: "conflict-version" }, box, h("span", {}, h("span", { class: "faint" }, label), version ? h("span", { class: "conflict-text", dir: "auto" }, version.trim()) : null));
    };
    return h(
      "li",
      { class: "tend-item" },
      h(
        "fieldset",
        {},
        h("legend", { class: "faint" }, t("Line {line}: they differ", { line: part.line })),
        option("note", t("Note, {time}", { time: moment(found.changed) }), part.note),
        option("copy", t("Copy, {time}", { time: moment(found.copy_changed) }), part.copy),
        option("both", t("Keep both"), ""),
      ),
    );
  }

  async #heal(client: ConflictClient, found: ConflictReply, choices: readonly KeptVersion[], start: HTMLButtonElement, said: HTMLElement): Promise<void> {
    start.disabled = true;
    try {
      const { undo, left } = await client.heal(found, choices);
      const takeBack = async (): Promise<void> => {
        if (await runAction(this.#context, t("Both files are as they were"), () => this.#context.vaultClient.undo(undo ?? undefined))) this.#context.change({ note: null, copy: null });
      };
      fill(
        said,
        h("p", {}, t("The copy is now part of the note.")),
        left.length ? h("p", { class: "warning" }, t("Still linking to the copy, as they cannot be changed: {notes}", { notes: left.join(", ") })) : null,
        h("div", { class: "buttons" }, button(t("Take back"), () => void takeBack())),
      );
      start.remove();
    } catch (error) {
      fill(said, h("p", { class: "warning" }, refusalOf(asServerError(error))));
      start.disabled = false;
    }
  }
}

function aloneRow(part: ConflictPart): HTMLElement {
  const isNote = part.kind === "note";
  const words = isNote ? t("Line {line}: in the note alone, kept", { line: part.line }) : t("Line {line}: in the copy alone, added", { line: part.line });
  const tag = isNote ? "p" : "ins";
  return h("li", { class: "tend-item" }, h("p", { class: "faint" }, words), h(tag, { class: "conflict-text", dir: "auto" }, (part.note + part.copy).trim()));
}

function moment(time: string): string {
  return new Date(time).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
}
