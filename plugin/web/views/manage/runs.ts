/** The runs panel: what works on the vault, what did, what comes next; one that works can be stopped. */

import { asServerError } from "../../../src/client";
import type { RunsReply, RunView } from "../../../src/contract";
import { count, duration } from "../../../src/format";
import { Timer } from "../../../src/support";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { ago } from "../../lib/format";
import { emptyBox } from "../../parts/errors";
import { facts, heading, Loader, runAction, table, type Panel } from "./panel";

const SHOWN = 100; // the server knows no more
const WORKING_MS = 2_000;
const RESTING_MS = 15_000;

const KINDS: Readonly<Record<RunView["kind"], string>> = {
  index: "Reading notes",
  reconcile: "Checking the whole vault",
  extract: "Making notes of saved links",
  maintain: "Checking saved links",
  plan: "Planning suggestions",
  sync: "Synchronising",
  phone: "Writing the phone index",
};
const TRIGGERS: Readonly<Record<RunView["trigger"], string>> = {
  schedule: "the schedule",
  manual: "a person",
  watch: "a changed file",
  client: "an app",
};
/** What is counted, where the server's word alone does not say it. */
const COUNTED: Readonly<Record<string, string>> = {
  read: "notes read",
  embedded: "passages embedded",
  reused: "passages known already",
  removed: "notes removed",
  files: "daily notes read",
  found: "links found",
  created: "notes made",
  skipped: "links with a note already",
  checked: "links checked",
  notes: "notes",
  passages: "passages",
  bytes: "bytes",
};

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
    this.el.append(heading("Runs", "What works on this vault as a whole, and what did: the last 100 runs."), this.#body);
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
      () => this.#context.vaultClient.runs(SHOWN),
      (found) => this.#draw(found),
    );
  }

  /** Asks again while the panel is shown; only what has changed is drawn anew, and the pressed button keeps the focus. */
  async #refresh(): Promise<void> {
    const { vault } = this.#context;
    try {
      const found = document.hidden ? null : await this.#context.vaultClient.runs(SHOWN);
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
    const next = found.next.map(({ what, at }): [string, string] => [KINDS[what], at ? moment(at) : "not known"]);
    const rows = found.runs.map((run) => [KINDS[run.kind], this.#did(run), TRIGGERS[run.trigger], when(run), this.#result(run)]);
    return [
      h("section", {}, h("h2", {}, "Next"), next.length ? facts(next) : h("p", { class: "faint" }, "Nothing is scheduled.")),
      rows.length ? table("Runs", ["Run", "What it did", "Started by", "When", "Result"], rows) : emptyBox("No runs yet", "They appear here when notes are read or links are checked."),
    ];
  }

  #did({ id, counts, errors }: RunView): HTMLElement {
    const did = Object.entries(counts)
      .filter(([, n]) => n > 0)
      .map(([name, n]) => `${COUNTED[name] ?? name.replaceAll("_", " ")}: ${n.toLocaleString()}`);
    return h("div", {}, did.join(", ") || "nothing to do", errors.length ? this.#errors(id, errors) : null);
  }

  #errors(id: string, errors: RunView["errors"]): HTMLElement {
    const toggled = (event: Event): unknown => ((event.target as HTMLDetailsElement).open ? this.#unfolded.add(id) : this.#unfolded.delete(id));
    const items = errors.map(({ path, why }) => h("li", {}, path ? h("code", {}, path) : null, path ? ": " : null, why));
    const summary = errors.length === 1 ? "What went wrong" : `The first ${count(errors.length, "problem")}`;
    return h("details", { open: this.#unfolded.has(id), on: { toggle: toggled } }, h("summary", { id: `run-errors-${id}` }, summary), h("ul", {}, ...items));
  }

  #result({ id, kind, result }: RunView): HTMLElement {
    const cancel = async (): Promise<void> => {
      await runAction(this.#context, "It stops at its next step; what it has done stays", () => this.#context.vaultClient.cancelRun(id));
      await this.#load();
    };
    const mayCancel = result === "running" && this.#context.mayWrite;
    const stop = mayCancel ? button("Cancel", () => void cancel(), { class: "quiet", id: `run-cancel-${id}`, "aria-label": `Cancel: ${KINDS[kind]}` }) : null;
    return h("div", { class: "run-result" }, h("span", { class: result === "failed" ? "warning" : null }, result), stop);
  }
}

function when({ started, ended }: RunView): HTMLElement {
  const seconds = started && ended ? (Date.parse(ended) - Date.parse(started)) / 1000 : null;
  const took = seconds === null ? "" : `, took ${duration(seconds)}`;
  return h("span", {}, h("time", { datetime: started, title: started && moment(started) }, ago(started)), took);
}

/** "Sun, 22 Nov, 23:00" in the locale of this browser. */
function moment(time: string): string {
  return new Date(time).toLocaleString(undefined, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}
