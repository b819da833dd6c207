/** The reader: the text of a note with its links, and beside it what surrounds the note. */

import { asServerError } from "../../src/client";
import type { NoteReply, Result } from "../../src/contract";
import type { ViewContext } from "../app/viewContext";
import { button, closest, fill, h } from "../lib/dom";
import { icon } from "../lib/icons";
import { atHeading, atLine, isBase, obsidianLink, zoteroLink } from "../lib/links";
import type { Links } from "../lib/markdown";
import { ago, day, nameOf } from "../lib/format";
import { emptyBox, errorBox } from "./errors";
import { lately } from "./lately";
import type { MatchSteps } from "./matchSteps";
import { fillRail, noteLinks, versions } from "./rail";
import { folderText, noteAddress } from "./resultRow";
import { noteStyles } from "../lib/viewStyles";
import { t } from "../../src/texts";

const SIMILAR_NOTES = 8;

type Render = (content: string, links: Links) => DocumentFragment;

export class Reader {
  readonly el = h("article", { class: "reader", "aria-label": t("Note"), tabindex: "-1" });
  /** Outline, properties, links and similar notes; a column of its own where there is room. */
  readonly rail = h("aside", { class: "rail", "aria-label": t("About this note") });
  readonly #context: ViewContext;
  #path = "";
  /** Sets where the links to Obsidian lead in the note that is shown. */
  #aim: (line: number) => void = () => undefined;
  #sequence = 0;
  #seen: IntersectionObserver | null = null;

  /** The results that the note is among: what is marked in them is marked in it. */
  readonly #results: () => readonly Result[];
  readonly #stepsEl = h("span", { class: "match-steps", hidden: true });
  #steps: MatchSteps | null = null;

  constructor(context: ViewContext, results: () => readonly Result[]) {
    this.#context = context;
    this.#results = results;
  }

  /** Shows a note, and scrolls to the block that contains `line`. One that was chosen is among those read lately. */
  async show(path: string, line: number, isChosen = false): Promise<void> {
    if (isChosen) lately.add(path, this.#context.vault);
    const key = `${this.#context.vault?.id} ${path}`;
    if (key === this.#path) {
      this.#aim(line);
      scrollTo(this.el, line);
      void this.#markFound(); // the results may be others
      return;
    }
    this.#path = key;
    this.#sequence += 1;
    const sequence = this.#sequence;
    this.el.setAttribute("aria-busy", "true");
    try {
      const [note, { render }] = await Promise.all([
        this.#context.vaultClient.fullNote(path),
        import("../lib/markdown"),
        noteStyles().catch(() => undefined), // a note can be read without
      ]);
      if (sequence !== this.#sequence) return;
      this.#draw(note, render);
      this.#aim(line);
      scrollTo(this.el, line);
    } catch (error) {
      if (sequence !== this.#sequence) return;
      const problem = asServerError(error);
      if (problem.status !== 404) this.#path = ""; // asked for again; what may have become of a missing note stays as it was opened
      const box = problem.kind === "unreachable" ? emptyBox(t("This note is not kept here"), t("It can be read when the server is back.")) : problem.status === 404 ? h("div", {}, missingNote(this.#context, path), versions(this.#context, path)) : errorBox(problem, () => void this.show(path, line));
      fill(this.el, this.#close(), box);
      fill(this.rail);
    } finally {
      this.el.removeAttribute("aria-busy");
    }
  }

  /** Goes to the next match in the note that is read, or with -1 to the one before; false where there is none. */
  step(by: 1 | -1): boolean {
    return this.#steps?.go(by) ?? false;
  }

  hide(): void {
    this.#sequence += 1;
    this.#aim = () => undefined;
    this.#path = "";
    fill(this.el);
    fill(this.rail);
  }

  #draw(note: NoteReply, render: Render): void {
    const context = this.#context;
    const draw = (shown: NoteReply): DocumentFragment => render(shown.content, linksOf(context, shown));
    const text = isBase(note.path) && context.has("base") ? tableOf(context, note.path) : draw(note);
    dropTitle(text, note.title);
    const aim = (event: MouseEvent): void => {
      const line = closest(event, ".prose [data-line]")?.dataset["line"];
      if (line) this.#aim(Number(line));
    };
    const isEmpty = text.childElementCount === 0;
    const prose = h("div", { class: "prose", on: { click: aim } }, isEmpty ? h("p", { class: "faint" }, t("This note has no text.")) : text);
    const similar = h("section", { class: "near", "aria-label": t("Similar notes") });
    const title = h("h1", { dir: "auto" }, note.title);
    fill(
      this.el,
      this.#tools(note),
      title,
      this.#meta(note),
      prose,
    );
    void this.#fillIn(prose, note, draw);
    fillRail(this.rail, context, note, similar);
    void this.#showSimilar(note, similar);
    this.#nameWhileScrolled(title);
  }

  /** The line above the note names it while its title is scrolled out of sight. */
  #nameWhileScrolled(title: HTMLElement): void {
    this.#seen?.disconnect();
    this.#seen = new IntersectionObserver(([entry]) => this.el.classList.toggle("is-past-title", entry?.isIntersecting === false), { rootMargin: "-60px" });
    this.#seen.observe(title);
  }

  /** What is loaded after the text: formulas, code and diagrams, and the notes and pictures that it embeds. */
  async #fillIn(prose: HTMLElement, note: NoteReply, draw: (shown: NoteReply) => DocumentFragment): Promise<void> {
    try {
      void this.#markFound();
      const [{ enrich }, { fillEmbeds }] = await Promise.all([import("./enrich"), import("./embeds")]);
      await enrich(prose);
      await fillEmbeds(this.#context, prose, note, draw);
      await enrich(prose);
      void this.#markFound();
    } catch (error) {
      if (!(error instanceof TypeError)) asServerError(error); // what could not be loaded stays as it is written
    }
  }

  async #markFound(): Promise<void> {
    try {
      const [{ markFound }, { MatchSteps: Steps }] = await Promise.all([import("../lib/foundWords"), import("./matchSteps")]);
      this.#steps ??= new Steps(this.#stepsEl);
      this.#steps.use(markFound(this.el, this.#results()));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // what could not be loaded is done without
    }
  }

  #tools(note: NoteReply): HTMLElement {
    const context = this.#context;
    return h(
      "p",
      { class: "tools" },
      this.#close(),
      h("span", { class: "now-read" }, h("strong", { dir: "auto" }, note.title), folderText(note.path)),
      ...this.#toObsidian(note),
      toolLink({ href: context.to("search", { like: note.path }) }, icon("similar"), t("Similar")),
      toolLink({ class: "to-graph", href: context.to("graph", { path: note.path }) }, icon("graph"), t("Graph")),
      this.#stepsEl,
    );
  }

  /** A link to the item in Zotero, or links to the heading above the line that is looked at, and to the line itself, for which Obsidian needs our plugin. */
  #toObsidian(note: NoteReply): HTMLElement[] {
    const item = zoteroLink(note.uri);
    if (item) return [toolLink({ href: item }, icon("open"), t("Open in Zotero"))];
    const uri = obsidianLink(note.uri);
    if (!uri) return [];
    const open = toolLink({}, icon("open"), t("Open in Obsidian"));
    const edit = h("a", { class: "at-line", title: t("Obsidian opens it there by the plugin Notewell") });
    this.#aim = (line) => {
      const heading = note.headings.filter((one) => one.line <= line).at(-1)?.text ?? "";
      open.href = line > 1 ? atHeading(uri, heading) : uri;
      edit.href = atLine(uri, note.path, line) ?? uri;
      edit.hidden = line <= 1;
      fill(edit, t("Edit at line {line}", { line }));
    };
    return [open, edit];
  }

  #close(): HTMLElement {
    const close = (): void => this.#context.change({ note: null, line: null });
    return button(icon("back"), close, { class: "plain close", "aria-label": t("Close the note") });
  }

  #meta(note: NoteReply): HTMLElement {
    const changed = note.modified;
    return h(
      "p",
      { class: "meta" },
      folderText(note.path),
      ...note.tags.map((tag) =>
        h("a", { class: "tag", href: this.#context.to("search", { q: `tag:${tag}` }) }, `#${tag}`),
      ),
      changed && h("time", { datetime: changed, title: day(changed) }, t("changed {changed}", { changed: ago(changed) })),
      ...(note.lines ?? []).map((line) => h("span", { dir: "auto" }, line)),
    );
  }

  /** Similar notes; those that are linked with the note already are folded. */
  async #showSimilar(note: NoteReply, el: HTMLElement): Promise<void> {
    const sequence = this.#sequence;
    try {
      const { results } = await this.#context.vaultClient.similarNotes(note.path, SIMILAR_NOTES);
      if (sequence !== this.#sequence || results.length === 0) return;
      const linked = new Set([...note.links_in, ...note.links_out].map(({ path }) => path));
      const isLinked = ({ path }: Result): boolean => linked.has(path);
      const [fresh, known] = [results.filter((result) => !isLinked(result)), results.filter(isLinked)];
      fill(
        el,
        h("h2", {}, t("Similar notes")),
        fresh.length > 0 ? noteLinks(this.#context, fresh) : null,
        known.length > 0 ? h("details", { class: "properties" }, h("summary", {}, t("{n} linked already", { n: known.length })), noteLinks(this.#context, known)) : null,
      );
    } catch (error) {
      asServerError(error); // the note is shown without similar notes
    }
  }
}

/** A link whose word is hidden where there is no room for it. */
function toolLink(attributes: Readonly<Record<string, string>>, picture: SVGSVGElement, label: string): HTMLAnchorElement {
  return h("a", { ...attributes, "aria-label": label, title: label }, picture, h("span", { class: "label" }, label));
}

/** A base in the place of its text: the table that it describes. */
function tableOf(context: ViewContext, path: string): DocumentFragment {
  const place = h("div", { class: "base" });
  void import("./baseTable").then(({ drawBase }) => drawBase(place, context, { path }), () => undefined);
  const made = document.createDocumentFragment();
  made.append(place);
  return made;
}

/** Removes a first heading that repeats the note's title, which is shown above the text. */
export function dropTitle(text: DocumentFragment, title: string): void {
  const first = text.firstElementChild;
  if (first?.tagName === "H1" && first.textContent.trim() === title) first.remove();
}

/** Where the links of a note lead. */
export function linksOf(context: ViewContext, note: NoteReply): Links {
  const targets = new Map(note.links_out.map(({ target, path }) => [target, path]));
  return {
    note: (target) => {
      const path = targets.get(target.split("#", 1)[0]?.trim() ?? "") ?? targets.get(target);
      if (target.startsWith("#")) return noteAddress(context, note.path);
      return path ? noteAddress(context, path) : null;
    },
    tag: (tag) => context.to("search", { q: `tag:${tag.slice(1)}` }),
  };
}

/** A note that is not in the vault: what may have become of it, and where to look. */
function missingNote(context: ViewContext, path: string): HTMLElement {
  const name = nameOf(path);
  const look = h("a", { href: context.to("search", { q: name }) }, t("Search for “{name}”", { name }));
  const why = h("a", { href: context.to("manage", { path }, "ledger") }, t("Look it up among the files"));
  const text = t("{path} is not in {name}. It may have been moved, renamed or deleted.", { path, name: context.vault?.name ?? t("this vault") });
  return emptyBox(t("This note is not here"), text, look, why);
}

/** Scrolls to the last block that begins at or before `line`, and highlights it for a moment. */
export function scrollTo(el: HTMLElement, line: number): void {
  const blocks = [...el.querySelectorAll<HTMLElement>(".prose [data-line]")];
  const block = blocks.filter((one) => Number(one.dataset["line"]) <= line).at(-1);
  if (line <= 1 || !block) {
    el.scrollTop = 0;
    return;
  }
  // Beside the list only the note scrolls, not the page.
  if (el.scrollHeight > el.clientHeight + 1) el.scrollTop += block.getBoundingClientRect().top - el.getBoundingClientRect().top - el.clientHeight / 3;
  else if (!isInSight(block)) block.scrollIntoView({ block: "center" });
  block.classList.add("is-sought");
  block.addEventListener("animationend", () => block.classList.remove("is-sought"), { once: true });
}

/** Whether a block is seen as a whole: then the page stays where it is. */
function isInSight(block: HTMLElement): boolean {
  const { top, bottom } = block.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
