/** Saved links: those of daily notes, with their status, in figures, and notes made of them after telling how many. */

import { asServerError } from "../../../src/client";
import type { ExtractReply, GleaningsReply, GleaningStatsReply, GleaningStatus, GleaningView } from "../../../src/contract";
import { count } from "../../../src/format";
import { Timer } from "../../../src/support";
import { number, t, tn } from "../../../src/texts";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { button, fill, h } from "../../lib/dom";
import { day } from "../../lib/format";
import { refusalOf } from "../../parts/refusals";
import { noteAddress } from "../../parts/resultRow";
import { about, facts, Loader, nothing, type Panel, runAction } from "./panel";
import { Settings } from "./settings";

const SHOWN = 200;
const MOST_HOSTS = 5;
const PAUSE_MS = 250; // between the last key and the request

export class GleaningsPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #stats = h("div");
  readonly #make = h("div");
  readonly #chips = h("div", { class: "chips", role: "group", "aria-label": t("Status") });
  readonly #field = h("input", { type: "search", placeholder: t("Words of title, description or address"), "aria-label": t("Filter saved links"), autocomplete: "off", maxlength: 500 });
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);
  readonly #settings: Settings;
  readonly #typed = new Timer();
  #unsubscribe: () => unknown = () => undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    if (context.mayWrite) this.#make.append(extractBox(context, () => void this.#list()));
    this.#settings = new Settings(context, ["gleanings.headings", "gleanings.daily_folders", "gleanings.folder", "schedule.extract", "schedule.maintain"]);
    const find = (): void => this.#context.change({ find: this.#field.value.trim() }, true);
    this.#field.addEventListener("input", () => this.#typed.set(PAUSE_MS, find));
    this.el.append(
      about(t("Links that you saved in daily notes, below the heading “Gleanings” or another one that the settings name.")),
      this.#stats,
      this.#make,
      this.#chips,
      this.#field,
      this.#body,
      h("details", {}, h("summary", {}, t("When and where")), this.#settings.el),
    );
  }

  show({ query }: Address): void {
    this.#unsubscribe();
    this.#unsubscribe = this.#context.status.subscribe((_, isChanged) => isChanged && this.#refresh());
    if (document.activeElement !== this.#field) this.#field.value = query["find"] ?? "";
    this.#settings.show();
    void this.#list();
  }

  leave(): void {
    this.#unsubscribe();
    this.#typed.clear();
  }

  /** Notes changed; whoever is in the list keeps it as it is. */
  #refresh(): void {
    if (!this.#body.contains(document.activeElement)) void this.#list();
  }

  #list(): Promise<void> {
    const { status: asked, find: words } = this.#context.address.query;
    const status = known(asked);
    const client = managing(this.#context);
    return this.#loader.load(
      () => Promise.all([client.gleanings({ status, q: words || undefined, limit: SHOWN }), client.gleaningStats()]),
      ([found, stats]) => {
        this.#drawStats(stats);
        return this.#draw(found, stats);
      },
    );
  }

  #draw({ gleanings, total }: GleaningsReply, stats: GleaningStatsReply): (Node | null)[] {
    if (stats.total === 0) return [nothingSaved()];
    if (total === 0) return [nothing(t("No such link"), t("Choose another status, or fewer words."))];
    const shown = total > gleanings.length ? t("The newest {n} of {links}; filter to see others.", { n: gleanings.length, links: count(total, "link") }) : count(total, "link");
    const rows = gleanings.map((one) => gleaningRow(this.#context, one, () => void this.#recount()));
    return [h("p", { class: "faint" }, shown), h("ol", { "aria-label": t("Saved links") }, ...rows)];
  }

  /** The figures alone, after a status was changed in the list. */
  async #recount(): Promise<void> {
    try {
      this.#drawStats(await managing(this.#context).gleaningStats());
    } catch (error) {
      asServerError(error); // the figures are asked for again with the next list
    }
  }

  #drawStats({ total, extracted, statuses, domains }: GleaningStatsReply): void {
    const hosts = domains.slice(0, MOST_HOSTS).map(({ domain, count: n }) => `${domain} (${number(n)})`);
    const rows: [string, string][] = [
      [t("Saved"), count(total, "link")],
      [t("With a note"), number(extracted)],
      [t("Most often from"), hosts.join(", ")],
    ];
    fill(this.#stats, total ? facts(rows) : null);
    for (const el of [this.#chips, this.#field, this.#make]) el.hidden = total === 0;
    const { status = "", find: words } = this.#context.address.query;
    const chips = ["", ...(Object.keys(statusWords()) as GleaningStatus[])].map((one) => {
      const name = known(one);
      const label = name ? `${statusWords()[name]} ${number(statuses[name] ?? 0)}` : `${t("all")} ${number(total)}`;
      const isHere = one === status;
      const href = this.#context.to("manage", { status: one, find: words }, "gleanings");
      return h("a", { class: isHere ? "chip is-set" : "chip", href, "aria-current": isHere ? "true" : null }, label);
    });
    fill(this.#chips, ...chips);
  }
}

function known(status: string | undefined): GleaningStatus | undefined {
  return (Object.keys(statusWords()) as GleaningStatus[]).find((one) => one === status);
}

function nothingSaved(): HTMLElement {
  return nothing(
    t("No saved links yet"),
    t("Write them into a daily note, one a line, below a heading of their own:"),
    h("pre", { tabindex: "0" }, h("code", {}, "## Gleanings\n\n- [Bees at night](https://bees.example/night)\n- https://bare.example/page")),
  );
}

const statusWords = (): Readonly<Record<GleaningStatus, string>> => ({ active: t("active"), inactive: t("dead"), hidden: t("hidden") });
const statusActions = (): Readonly<Record<GleaningStatus, string>> => ({ active: t("Make active"), inactive: t("Mark as dead"), hidden: t("Hide") });

/** `changed` is called after the status was changed here. */
function gleaningRow(context: ViewContext, one: GleaningView, changed: () => void): HTMLElement {
  const href = webAddress(one.url);
  const row = h(
    "li",
    { class: "result gleaning" },
    h("h3", { dir: "auto" }, href ? outside(href, one.title) : one.title),
    h("p", { class: "meta" }, ...marks(context, one)),
    one.description ? h("p", { class: "snippet", dir: "auto" }, one.description) : null,
    one.reason ? h("p", { class: "faint" }, one.reason) : null,
    one.status === "inactive" && href ? h("p", {}, outside(archiveAddress(href), t("find it in the archive"))) : null,
    context.mayWrite ? h("div", { class: "buttons" }, ...actions()) : null,
  );
  return row;

  function actions(): HTMLElement[] {
    const others = (Object.keys(statusActions()) as GleaningStatus[]).filter((status) => status !== one.status);
    return others.map((status) =>
      button(statusActions()[status], () => void mark(status), { class: "quiet", "aria-label": `${statusActions()[status]}: ${one.title}` }),
    );
  }

  /** The row stays where it is, also if it no longer fits the filter: a wrong press can be taken back. */
  async function mark(status: GleaningStatus): Promise<void> {
    try {
      const after = gleaningRow(context, await managing(context).markGleaning(one.id, status), changed);
      row.replaceWith(after);
      after.querySelector("button")?.focus();
      context.showNotice(t("Now {status}", { status: statusWords()[status] }));
      changed();
    } catch (error) {
      context.showNotice(refusalOf(asServerError(error)));
    }
  }
}

function marks(context: ViewContext, one: GleaningView): (HTMLElement | null)[] {
  const saved = one.days.length > 1 ? t("saved on {n} days, first {day}", { n: one.days.length, day: day(one.created) }) : t("saved {day}", { day: day(one.created) });
  return [
    h("span", { class: one.status === "inactive" ? "warning" : null }, statusWords()[one.status]),
    h("span", { dir: "auto" }, one.domain),
    h("a", { href: noteAddress(context, one.source, one.line) }, saved),
    one.note ? h("a", { href: noteAddress(context, one.note) }, t("its note")) : null,
  ];
}

/** The versions of a page that the Internet Archive has. */
export function archiveAddress(url: string): string {
  return `https://web.archive.org/web/*/${url}`;
}

/** The address, if it leads to the web: nothing else in a daily note becomes a link here. */
function webAddress(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).href : null;
}

function outside(href: string, label: string): HTMLElement {
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, label);
}

/** A button, and below it what it would do and did; `changed` is called after notes were made or taken back. */
function extractBox(context: ViewContext, changed: () => void): HTMLElement {
  const said = h("div", { role: "status" });
  const loader = new Loader(said);
  const ask = (dryRun: boolean, draw: (found: ExtractReply) => (Node | null)[]): Promise<void> =>
    loader.load(() => managing(context).extractGleanings(dryRun), draw);
  const make = async (): Promise<void> => {
    await ask(false, made);
    changed();
  };
  const start = button(t("Make notes of saved links…"), () => void ask(true, planned), { class: "quiet" });
  return h("section", { class: "extract", "aria-label": t("Notes of saved links") }, h("div", { class: "buttons" }, start), said);

  function planned(found: ExtractReply): (Node | null)[] {
    const n = found.ids.length;
    const drop = (): void => {
      fill(said);
      start.focus();
    };
    if (n === 0) return [h("p", {}, t("Every saved link has a note already.")), problems(found)];
    return [
      h("p", {}, `${tn(n, "{n} note would be made, of links in {files} that changed.", "{n} notes would be made, of links in {files} that changed.", { files: count(found.files, "daily note") })} ${t("Nothing is written yet.")}`),
      problems(found),
      h("p", { class: "buttons" }, button(tn(n, "Make {n} note", "Make {n} notes"), () => void make(), { class: "primary" }), button(t("Not now"), drop, { class: "quiet" })),
    ];
  }

  function made(found: ExtractReply): (Node | null)[] {
    const { undo, created } = found;
    const back = async (): Promise<void> => {
      if (!(await runAction(context, t("The notes are taken back"), () => context.vaultClient.undo(undo ?? undefined)))) return;
      fill(said);
      changed();
    };
    return [
      h("p", {}, created ? tn(created, "{n} note was made.", "{n} notes were made.") : t("No note was made.")),
      problems(found),
      undo === null || created === 0 ? null : h("p", { class: "buttons" }, button(t("Undo"), () => void back(), { class: "quiet" })),
    ];
  }

  function problems({ errors }: ExtractReply): HTMLElement | null {
    if (errors === 0) return null;
    const link = context.has("runs") ? h("a", { href: context.to("manage", {}, "runs") }, t("Runs tell which.")) : null;
    return h("p", { class: "warning" }, tn(errors, "{n} entry cannot be read.", "{n} entries cannot be read."), " ", link);
  }
}
