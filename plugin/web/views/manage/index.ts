/** The index panel: its state, live progress, and actions. */

import type { StatusReply } from "../../../src/contract";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { count, duration } from "../../lib/words";
import { Live } from "./live";
import { facts, heading, Loader, runAction, type Panel } from "./panel";

const STATES: Readonly<Record<StatusReply["state"], string>> = {
  starting: "Opening the index",
  indexing: "Indexing",
  ready: "Up to date",
  degraded: "Not everything works",
};
const MEANING: Readonly<Record<StatusReply["semantic"], string>> = {
  ready: "every passage can be found by meaning",
  partial: "some passages are found by words only, so far",
  unavailable: "words only",
};

export class IndexPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #progress = h("div", { class: "progress", role: "status" });
  readonly #loader = new Loader(this.#body);
  readonly #live: Live;

  constructor(context: ViewContext) {
    this.#context = context;
    this.#live = new Live(context, {
      progress: (data) => this.#drawProgress(data),
      changed: () => void this.#load(),
    });
    this.el.append(heading("Index", "What is read and embedded, and what waits."), this.#progress, this.#body);
  }

  show(): void {
    this.#live.follow();
    void this.#load();
  }

  leave(): void {
    this.#live.stop();
  }

  #load(): Promise<void> {
    return this.#loader.load(
      () => this.#context.vaultClient.status(),
      (status) => this.#draw(status),
    );
  }

  #draw(status: StatusReply): (Node | null)[] {
    const { queue } = status;
    if (queue.pending === 0) fill(this.#progress);
    const left = queue.eta_s === null ? "" : `, about ${duration(queue.eta_s)} left`;
    const rows: [string, string][] = [
      ["State", queue.paused ? "Paused" : STATES[status.state]],
      ["Notes", status.notes.toLocaleString()],
      ["Passages", `${status.chunks.toLocaleString()}, ${status.vectors.toLocaleString()} with vectors`],
      ["By meaning", status.semantic_reason ?? MEANING[status.semantic]],
      ["Model", status.model ?? "none"],
      ["Waiting", queue.pending ? `${count(queue.pending, "note", "notes")}${left}` : "nothing"],
      ["Failed", queue.failed ? count(queue.failed, "note", "notes") : "none"],
      ["Generation", status.generation.toLocaleString()],
    ];
    return [
      status.guard ? this.#guard(status.guard) : null,
      status.problem ? h("p", { class: "warning", role: "alert" }, status.problem) : null,
      facts(rows),
      ledgerBar(this.#context, status.ledger),
      h("div", { class: "buttons" }, ...this.#actions(status)),
    ];
  }

  #actions({ queue }: StatusReply): HTMLElement[] {
    const { vaultClient: client } = this.#context;
    const does = (label: string, done: string, ask: () => Promise<unknown>): HTMLElement =>
      button(label, () => void runAction(this.#context, done, ask).then(() => this.#load()), { class: "quiet" });
    const actions = [
      queue.paused
        ? does("Resume", "Indexing resumed", () => client.queue("resume"))
        : does("Pause", "Indexing paused; search still works", () => client.queue("pause")),
      does("Look for changes", "Checking the vault", () => client.reindex({})),
    ];
    if (queue.failed) actions.push(does("Retry failed notes", "Trying again", () => client.queue("retry")));
    if (queue.pending) actions.push(does("Drop pending changes", "Dropped", () => client.queue("cancel")));
    actions.push(this.#full());
    return actions;
  }

  /** A full reindex takes long on a large vault, so the button has to be pressed twice. */
  #full(): HTMLElement {
    const full = button("Read everything again", () => {
      if (full.dataset["sure"]) void runAction(this.#context, "Reading everything again", () => this.#context.vaultClient.reindex({ full: true })).then(() => this.#load());
      full.dataset["sure"] = "1";
      full.textContent = "Sure? Read everything again";
    }, { class: "quiet" });
    return full;
  }

  #guard({ gone, total }: NonNullable<StatusReply["guard"]>): HTMLElement {
    const settle = (remove: boolean, done: string) => () =>
      void runAction(this.#context, done, () => this.#context.vaultClient.guard(remove)).then(() => this.#load());
    return h(
      "div",
      { class: "note-box", role: "alert" },
      h("h2", {}, `${gone} of ${total} notes are missing`),
      h("p", {}, "They are kept in the index until you decide. Is a drive or a sync not there?"),
      h("p", { class: "buttons" }, button("Keep them", settle(false, "Kept")), button("Remove them", settle(true, "Removed"))),
    );
  }

  #drawProgress(data: Readonly<Record<string, unknown>>): void {
    const { stage, done, total, current } = data;
    if (typeof done !== "number" || typeof total !== "number" || total === 0) return;
    const text = `${String(stage)}: ${done.toLocaleString()} of ${total.toLocaleString()}`;
    const bar = h("progress", { max: total, value: done, "aria-label": text });
    fill(this.#progress, h("span", {}, text), bar, typeof current === "string" ? h("span", { class: "faint" }, current) : null);
  }
}

/** The number of files in each state, with links to the lists. */
export function ledgerBar(context: ViewContext, counts: Readonly<Record<string, number>>): HTMLElement {
  const links = Object.entries(counts).map(([state, n]) =>
    h("a", { class: "chip", href: context.to("manage", { state }, "ledger") }, `${state.replaceAll("_", " ")} ${n.toLocaleString()}`),
  );
  return h("p", { class: "chips" }, ...links);
}
