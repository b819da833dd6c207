/** What was done: runs over the whole vault, which can be stopped while they work, and the searches of before. */

import { asServerError } from "../../../src/client";
import type { LogReply, RunsReply, RunView } from "../../../src/contract";
import { count, duration } from "../../../src/format";
import { Timer } from "../../../src/support";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { ago, ms, nameOf } from "../../lib/format";
import { about, facts, Loader, nothing, runAction, table, type Panel } from "./panel";
import { locale, number, t } from "../../../src/texts";
import { stateWord } from "../../../src/words";

const SHOWN = 100; // the server knows no more
const WORKING_MS = 2_000;
const RESTING_MS = 15_000;

const kinds = (): Readonly<Record<RunView["kind"], string>> => ({
  index: t("Reading notes"),
  reconcile: t("Checking the whole vault"),
  extract: t("Making notes of saved links"),
  maintain: t("Checking saved links"),
  plan: t("Planning suggestions"),
  sync: t("Synchronising"),
  phone: t("Writing the phone index"),
  table: t("Fitting the query table"),
});
const triggers = (): Readonly<Record<RunView["trigger"], string>> => ({
  schedule: t("the schedule"),
  manual: t("a person"),
  watch: t("a changed file"),
  client: t("an app"),
});
/** What is counted, where the server's word alone does not say it. */
const counted = (): Readonly<Record<string, string>> => ({
  read: t("notes read"),
  embedded: t("passages embedded"),
  reused: t("passages known already"),
  removed: t("notes removed"),
  files: t("daily notes read"),
  found: t("links found"),
  created: t("notes made"),
  skipped: t("links with a note already"),
  checked: t("links checked"),
  notes: t("notes"),
  passages: t("passages"),
  bytes: t("bytes"),
});

export class RunsPanel implements Panel {
  readonly el = h("div", { class: "runs" });
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);
  readonly #later = new Timer();
  readonly #unfolded = new Set<string>();
  #drawn = "";

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("What works on this vault as a whole, and what did: the last 100 runs.")), this.#body);
  }

  show(): void {
    void this.#load();
  }

  leave(): void {
    this.#later.clear();
  }

  #load(): Promise<void> {
    this.#later.clear();
    return this.#loader.load(
      () => managing(this.#context).runs(SHOWN),
      (found) => this.#draw(found),
    );
  }

  /** Asks again while the panel is shown; only what has changed is drawn anew, and the pressed button keeps the focus. */
  async #refresh(): Promise<void> {
    const { vault } = this.#context;
    try {
      const found = document.hidden ? null : await managing(this.#context).runs(SHOWN);
      if (!this.el.isConnected || vault !== this.#context.vault) return;
      if (!found || JSON.stringify(found) === this.#drawn) this.#wait(RESTING_MS);
      else this.#redraw(found);
    } catch (error) {
      asServerError(error); // what was shown stays; the page itself says when the server is gone
      this.#wait(RESTING_MS);
    }
  }

  #redraw(found: RunsReply): void {
    const focused = this.#body.contains(document.activeElement) ? document.activeElement?.id : "";
    fill(this.#body, ...this.#draw(found));
    if (focused) document.getElementById(focused)?.focus();
  }

  #wait(ms: number): void {
    this.#later.set(this.#drawn.includes('"running"') ? WORKING_MS : ms, () => void this.#refresh());
  }

  #draw(found: RunsReply): (Node | null)[] {
    this.#drawn = JSON.stringify(found);
    this.#wait(RESTING_MS);
    const next = found.next.map(({ what, at }): [string, string] => [kinds()[what], at ? moment(at) : t("not known")]);
    const rows = found.runs.map((run) => [kinds()[run.kind], this.#did(run), triggers()[run.trigger], when(run), this.#result(run)]);
    return [
      h("section", {}, h("h3", {}, t("Next")), next.length ? facts(next) : h("p", { class: "faint" }, t("Nothing is scheduled."))),
      rows.length ? table(t("Runs"), [t("Run"), t("What it did"), t("Started by"), t("When"), t("Result")], rows) : nothing(t("No runs yet"), t("They appear here when notes are read or links are checked.")),
    ];
  }

  #did({ id, counts, errors }: RunView): HTMLElement {
    const did = Object.entries(counts)
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${counted()[name] ?? name.replaceAll("_", " ")}: ${number(n)}`);
    return h("div", {}, did.join(", ") || t("nothing to do"), errors.length ? this.#errors(id, errors) : null);
  }

  #errors(id: string, errors: RunView["errors"]): HTMLElement {
    const toggled = (event: Event): unknown => ((event.target as HTMLDetailsElement).open ? this.#unfolded.add(id) : this.#unfolded.delete(id));
    const items = errors.map(({ path, why }) => h("li", {}, path ? h("code", {}, path) : null, path ? ": " : null, why));
    const summary = errors.length === 1 ? t("What went wrong") : t("The first {n} problems", { n: errors.length });
    return h("details", { open: this.#unfolded.has(id), on: { toggle: toggled } }, h("summary", { id: `run-errors-${id}` }, summary), h("ul", {}, ...items));
  }

  #result({ id, kind, result }: RunView): HTMLElement {
    const cancel = async (): Promise<void> => {
      await runAction(this.#context, t("It stops at its next step; what it has done stays"), () => managing(this.#context).cancelRun(id));
      await this.#load();
    };
    const mayCancel = result === "running" && this.#context.mayWrite;
    const stop = mayCancel ? button(t("Cancel"), () => void cancel(), { class: "quiet", id: `run-cancel-${id}`, "aria-label": t("Cancel: {run}", { run: kinds()[kind] }) }) : null;
    return h("div", { class: "run-result" }, h("span", { class: result === "failed" ? "warning" : null }, stateWord(result)), stop);
  }
}

function when({ started, ended }: RunView): HTMLElement {
  const seconds = started && ended ? (Date.parse(ended) - Date.parse(started)) / 1000 : null;
  const took = seconds === null ? "" : `, ${t("took {time}", { time: duration(seconds) })}`;
  return h("span", {}, h("time", { datetime: started, title: started && moment(started) }, ago(started)), took);
}

/** "Sun, 22 Nov, 23:00" in the locale of this browser. */
function moment(time: string): string {
  return new Date(time).toLocaleString(locale(), { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

const SHOWN_SEARCHES = 200;

export class LogPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(about(t("The log stays on the server’s computer. It is used to measure and improve the search.")), this.#body);
  }

  show(): void {
    void this.#loader.load(
      () => managing(this.#context).queries(SHOWN_SEARCHES),
      (log) => this.#draw(log),
    );
  }

  #draw(log: LogReply): (Node | null)[] {
    if (!log.enabled) return [h("p", {}, t("The log is switched off."))];
    const clear = (): void => void runAction(this.#context, t("Cleared"), () => managing(this.#context).clearLog()).then(() => this.show());
    return [
      h("p", { class: "buttons" }, h("span", { class: "faint" }, count(log.total, "search", "searches")), log.total ? button(t("Clear the log"), clear, { class: "quiet" }) : null),
      table(
        t("Searches"),
        [t("When"), t("Query"), t("Client"), t("Top results"), t("Opened"), t("Took")],
        log.entries.map((one) => [
          ago(one.at),
          h("a", { href: this.#context.to("search", { q: one.query }) }, one.query),
          one.door,
          one.results[0] ? nameOf(one.results[0].path) : t("nothing"),
          one.opened.map(({ path, rank }) => nameOf(path) + (rank === null ? "" : ` (${rank}.)`)).join(", "),
          ms(one.took_ms),
        ]),
      ),
      log.verdicts.length
        ? table(
            t("Verdicts"),
            [t("Query"), t("Note"), t("Verdict")],
            log.verdicts.map(({ query, path, verdict }) => [query, nameOf(path), verdict.replaceAll("_", " ")]),
          )
        : null,
    ];
  }
}
