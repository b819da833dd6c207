/** The selected note of a graph: what it is, where it leads, and the shortest path from another note to it. */

import { asServerError } from "../../../src/client";
import type { NeighborhoodNote, PathStep } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { icon } from "../../lib/icons";
import { count, folderOf } from "../../../src/format";
import { day } from "../../lib/format";
import { noteAddress } from "../../parts/resultRow";
import { refusalOf } from "../../parts/refusals";
import { t, tparts } from "../../../src/texts";

export class NoteCard {
  readonly el = h("div", { class: "graph-card", role: "status", hidden: true });
  readonly #context: ViewContext;
  readonly #drawPath: (paths: readonly string[]) => void;
  #start: NeighborhoodNote | null = null;

  /** `drawPath` is given the paths of the notes on a way that was found; none to draw no way. */
  constructor(context: ViewContext, drawPath: (paths: readonly string[]) => void) {
    this.#context = context;
    this.#drawPath = drawPath;
  }

  show(note: NeighborhoodNote | null): void {
    this.#drawPath([]);
    this.el.hidden = note === null && this.#start === null;
    if (note) fill(this.el, ...this.#about(note));
    else if (this.#start) fill(this.el, ...this.#waiting(this.#start));
  }

  #about(note: NeighborhoodNote): (HTMLElement | null)[] {
    const context = this.#context;
    const changed = note.modified === null ? "" : ` · ${day(note.modified)}`;
    return [
      h("h2", { dir: "auto" }, note.title),
      h("p", { class: "folder", dir: "auto" }, `${folderOf(note.path)}${changed}`),
      note.tags.length ? h("p", { class: "faint", dir: "auto" }, note.tags.map((tag) => `#${tag}`).join(" ")) : null,
      h(
        "p",
        { class: "tools" },
        h("a", { href: noteAddress(context, note.path) }, t("Read")),
        h("a", { href: context.to("graph", { ...context.address.query, path: note.path }) }, icon("graph"), t("Center here")),
        h("a", { href: context.to("search", { like: note.path }) }, icon("similar"), t("Similar")),
        this.#pathButton(note),
      ),
    ];
  }

  #pathButton(note: NeighborhoodNote): HTMLElement {
    const start = this.#start;
    if (start === null || start.path === note.path) return button(t("Path from here"), () => this.#startAt(note), { class: "quiet" });
    return button(t("Path from “{title}”", { title: start.title }), () => void this.#find(start, note), { class: "quiet" });
  }

  #startAt(note: NeighborhoodNote): void {
    this.#start = note;
    fill(this.el, ...this.#waiting(note));
  }

  #waiting(start: NeighborhoodNote): HTMLElement[] {
    return [
      h("p", {}, ...tparts("Select the note where the path from “{start}” is to end.", { start: h("bdi", {}, start.title) })),
      h("p", { class: "tools" }, button(t("Cancel"), () => this.#forget(), { class: "quiet" })),
    ];
  }

  #forget(): void {
    this.#start = null;
    this.show(null);
  }

  async #find(start: NeighborhoodNote, end: NeighborhoodNote): Promise<void> {
    this.#start = null;
    try {
      const { steps, length } = await this.#context.vaultClient.path(start.path, end.path);
      this.#drawPath(steps.map(({ path }) => path));
      fill(this.el, ...this.#found(start, end, length === null ? null : steps));
    } catch (error) {
      fill(this.el, h("p", { class: "warning", role: "alert" }, refusalOf(asServerError(error))));
    }
  }

  #found(start: NeighborhoodNote, end: NeighborhoodNote, steps: readonly PathStep[] | null): HTMLElement[] {
    const close = h("p", { class: "tools" }, button(t("Close"), () => this.#forget(), { class: "quiet" }));
    if (!steps) return [h("p", {}, t("No links connect “{start}” and “{end}”.", { start: start.title, end: end.title })), close];
    const rows = steps.map(({ path, title, link }) =>
      h("li", {}, h("span", { class: "faint", "aria-label": words()[link ?? "start"] }, ARROWS[link ?? "start"]), h("a", { href: noteAddress(this.#context, path), dir: "auto" }, title)),
    );
    return [h("h2", {}, count(steps.length - 1, "link apart", "links apart")), h("ol", { class: "graph-path" }, ...rows), close];
  }
}

const ARROWS = { start: "", out: "→ ", in: "← ", both: "↔ " } as const;
const words = (): Readonly<Record<keyof typeof ARROWS, string>> => ({
  start: "",
  out: t("links to"),
  in: t("is linked from"),
  both: t("linked both ways with"),
});
