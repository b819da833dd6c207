/** A view of the app's Bases: the notes of a base in the order of their likeness to a note, or of a query's match. */

import { BasesView, type BasesAllOptions, type BasesEntry, type Plugin, type QueryController } from "obsidian";
import { asServerError } from "../client";
import type { Match, Result } from "../contract";
import type { Finder } from "../finder";
import { count } from "../format";
import { foundBy, isLocal, resultOf } from "../local/reply";
import { t } from "../texts";
import { STATUS, title } from "./controls";
import { activePath } from "./open";
import { plainOwner } from "./plainOwner";
import { ResultList } from "./resultList";
import { isAtLeast } from "./scores";
import type { ViewContext } from "./viewContext";

const VIEW = "notewell";
const MOST = 1_000; // as many as a server gives
const MOST_ALONE = 200; // each is read for its passage

/** Does nothing where Bases is switched off. */
export function registerBases(plugin: Plugin, context: ViewContext, finder: Finder): void {
  const { name } = plugin.manifest;
  plugin.registerBasesView(VIEW, { name, icon: "search", options, factory: (controller, el) => new LikenessView(controller, el, context, finder) });
}

const options = (): BasesAllOptions[] => [
  { type: "text", key: "query", displayName: t("Order by a query"), placeholder: t("Words, phrases and conditions") },
  { type: "file", key: "note", displayName: t("or by likeness to a note"), placeholder: t("The open note"), filter: ({ extension }) => extension === "md" },
  { type: "dropdown", key: "least", displayName: t("Least match"), default: "weak", options: { strong: t("Strong matches"), related: t("Related notes"), weak: t("Everything") } },
  { type: "toggle", key: "titles", displayName: t("Titles only"), default: false },
];

interface Wanted {
  readonly query: string;
  /** A note; undefined where none is named and none is open. */
  readonly path: string | undefined;
}

class LikenessView extends BasesView {
  override type = VIEW;
  readonly #context: ViewContext;
  readonly #finder: Finder;
  readonly #el: HTMLElement;
  readonly #statusEl: HTMLElement;
  #asked = "";
  #found: readonly Result[] = [];
  #remark = "";

  constructor(controller: QueryController, parent: HTMLElement, context: ViewContext, finder: Finder) {
    super(controller);
    this.#context = context;
    this.#finder = finder;
    const el = parent.createDiv("notewell-view notewell-base");
    this.#statusEl = el.createDiv({ cls: "notewell-info", attr: STATUS });
    this.#el = el.createDiv();
  }

  override onload(): void {
    const { app, settings } = this.#context;
    const again = (): void => {
      this.#asked = "";
      if (this.#el.isShown()) this.onDataUpdated();
    };
    this.register(this.#finder.subscribe(again));
    this.register(settings.subscribe(() => this.#draw()));
    this.registerEvent(app.workspace.on("file-open", () => this.onDataUpdated()));
  }

  override onDataUpdated(): void {
    void this.#update();
  }

  get #wanted(): Wanted {
    const { app } = this.#context;
    const [query = "", note] = ["query", "note"].map((key) => this.config.get(key)).map((value) => (typeof value === "string" ? value.trim() : ""));
    const open = activePath(app);
    const path = note ? (app.metadataCache.getFirstLinkpathDest(note, "")?.path ?? note) : open?.endsWith(".md") ? open : undefined;
    return { query, path };
  }

  /** Asks where the note or the query is another one; of several requests the last one counts. */
  async #update(): Promise<void> {
    const wanted = this.#wanted;
    const asked = JSON.stringify(wanted);
    if (asked !== this.#asked) {
      this.#asked = asked;
      const [found, remark] = await this.#ask(wanted);
      if (asked !== this.#asked) return;
      [this.#found, this.#remark] = [found, remark];
    }
    this.#draw();
  }

  async #ask({ query, path }: Wanted): Promise<[results: readonly Result[], remark: string]> {
    const limit = this.#context.connection.session ? MOST : MOST_ALONE;
    if (!query && !path) return [[], t("Enter a query or choose a note in the view’s options.")];
    try {
      const reply = await (query ? this.#finder.search(query, limit, true) : this.#finder.similar({ path: path ?? "" }, limit, false, true));
      return [reply.results, isLocal(reply) ? foundBy(reply) : ""];
    } catch (error) {
      return [[], asServerError(error).message];
    }
  }

  /** The base's own groups, each in the order of likeness; what was not found at all comes last. */
  #draw(): void {
    const ranks = new Map(this.#found.map((result, at) => [result.path, at]));
    const { query, path } = this.#wanted;
    const own = query ? null : path?.normalize();
    const [least, titlesOnly] = [(this.config.get("least") ?? "weak") as Match, this.config.get("titles") === true];
    let [shown, others] = [0, 0];
    this.#el.empty();
    for (const group of this.data.groupedData) {
      const entries = new Map(group.entries.map((entry) => [entry.file.path.normalize(), entry]));
      const rankOf = (name: string): number => ranks.get(name) ?? MOST;
      const names = [...entries.keys()].filter((name) => name !== own).sort((one, other) => rankOf(one) - rankOf(other));
      const results = names.flatMap((name) => this.#found[rankOf(name)] ?? unranked(entries.get(name)));
      const kept = results.filter((result) => isAtLeast(result, least));
      shown += kept.length;
      others += results.length - kept.length;
      if (kept.length === 0) continue;
      if (group.hasKey()) title(this.#el, String(group.key));
      const list = new ResultList(this.#el, plainOwner(this.#context, () => this.config.name, (result) => this.#properties(entries.get(result.path))));
      list.titlesOnly = titlesOnly;
      list.replace(kept);
    }
    const less = others > 0 && t("{notes} with less likeness", { notes: count(others, "note") });
    this.#statusEl.setText([count(shown, "note"), less, this.#remark].filter(Boolean).join(" · "));
  }

  /** The properties that are chosen for the view. */
  #properties(entry: BasesEntry | undefined): string[] {
    return this.config.getOrder().flatMap((id) => {
      const value = id === "file.name" ? null : entry?.getValue(id);
      return value?.isTruthy() ? [`${this.config.getDisplayName(id)}: ${value.toString()}`] : [];
    });
  }
}

/** A note of the base that the search did not rank. */
function unranked(entry: BasesEntry | undefined): Result[] {
  if (!entry) return [];
  const { path, basename, stat } = entry.file;
  const facts = { path, title: basename, aliases: [], headings: [], tags: [], properties: {}, created: stat.ctime, modified: stat.mtime };
  return [{ ...resultOf(facts, 0, []), match: "weak", snippet: basename }];
}
