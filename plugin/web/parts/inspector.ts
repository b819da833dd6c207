/** The inspector: the score of a note, its metadata, and similar and linked notes. */

import { asServerError } from "../../src/client";
import type { NeighborsReply, NoteReply, SearchReply } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { obsidianLink } from "../lib/links";
import type { Controls, Remixed } from "../lib/remix";
import { ago, day, nameOf } from "../lib/format";
import { movement } from "./explorerRow";
import { formatValue } from "./properties";
import { noteLinks } from "./rail";
import { scoreRows } from "./scoreRows";
import { refusalOf } from "./refusals";
import { t } from "../../src/texts";

const NEAR = 8;

export class Inspector {
  readonly el: HTMLElement;
  readonly #context: ViewContext;
  readonly #scores = h("section");
  readonly #facts = h("div");
  #path = "";
  #sequence = 0;

  constructor(context: ViewContext) {
    this.#context = context;
    this.el = h("aside", { class: "pane inspector", "aria-label": t("Inspector"), tabindex: "0" }, this.#scores, this.#facts);
  }

  clear(): void {
    this.#path = "";
    this.#sequence += 1;
    fill(this.#scores);
    fill(this.#facts);
  }

  show(path: string, one: Remixed | null, controls: Controls): void {
    const head = one ? [movement(one)] : [];
    fill(this.#scores, h("h2", { dir: "auto" }, one?.result.title ?? nameOf(path), ...head), one && scoreRows(one, controls));
    const key = `${this.#context.vault?.id} ${path}`;
    if (key === this.#path) return;
    this.#path = key;
    void this.#load(path);
  }

  async #load(path: string): Promise<void> {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const { vaultClient: client } = this.#context;
    fill(this.#facts);
    try {
      const [note, similar, neighbors] = await Promise.all([
        client.fullNote(path),
        client.similarNotes(path, NEAR),
        client.neighbors(path, 2, 200),
      ]);
      if (sequence === this.#sequence) this.#draw(note, similar, neighbors);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      fill(this.#facts, h("p", { class: "warning" }, refusalOf(asServerError(error))));
    }
  }

  #draw(note: NoteReply, similar: SearchReply, neighbors: NeighborsReply): void {
    const context = this.#context;
    const uri = obsidianLink(note.uri);
    const hop = (wanted: readonly (string | null)[], hops: number): NeighborsReply["neighbors"] =>
      neighbors.neighbors.filter((one) => one.hops === hops && wanted.includes(one.link));
    const twoAway = neighbors.neighbors.filter(({ hops }) => hops === 2);
    fill(
      this.#facts,
      h(
        "p",
        { class: "tools" },
        h("a", { href: context.to("search", { q: currentQuery(context), note: note.path }) }, t("Read")),
        uri && h("a", { href: uri }, icon("open"), "Obsidian"),
        h("a", { href: context.to("graph", { path: note.path }) }, icon("graph"), t("Graph")),
      ),
      note.description && h("p", { class: "description", dir: "auto" }, note.description),
      metadata(note),
      group(context, t("Similar by topic"), similar.results),
      group(context, t("Links to"), hop(["out", "both"], 1)),
      group(context, t("Linked from"), hop(["in", "both"], 1)),
      group(context, t("Two links away"), twoAway),
    );
  }
}

function currentQuery(context: ViewContext): string {
  return context.address.query["q"] ?? "";
}

function group(context: ViewContext, title: string, notes: readonly { path: string; title: string }[]): HTMLElement | null {
  if (notes.length === 0) return null;
  const rest = notes.length - NEAR;
  return h(
    "section",
    { class: "near" },
    h("h2", {}, title),
    noteLinks(context, notes.slice(0, NEAR)),
    rest > 0 ? h("p", { class: "faint" }, t("and {n} more", { n: rest })) : null,
  );
}

function metadata(note: NoteReply): HTMLElement {
  const rows: [string, string, string?][] = [
    [t("Path"), note.path],
    [t("Changed"), ago(note.modified), day(note.modified)],
    [t("Created"), ago(note.created), day(note.created)],
    [t("Aliases"), note.aliases.join(", ")],
    [t("Tags"), note.tags.map((tag) => `#${tag}`).join(" ")],
    ...Object.entries(note.properties)
      .filter(([name]) => !["tags", "aliases", "description", "title"].includes(name))
      .map(([name, value]): [string, string] => [name, formatValue(value)]),
  ];
  const items = rows
    .filter(([, value]) => value !== "")
    .map(([name, value, title]) => h("div", {}, h("dt", {}, name), h("dd", { title: title ?? null, dir: "auto" }, value)));
  return h("dl", { class: "metadata" }, ...items);
}
