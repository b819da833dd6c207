/** The index panel: its state, live progress, and actions. */

import type { StatusReply } from "../../../src/contract";
import { progressText } from "../../../src/progress";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { matterOf } from "../../parts/progressStrip";
import { facts, heading, Loader, runAction, type Panel } from "./panel";

const STATES: Readonly<Record<StatusReply["state"], string>> = {
  starting: "Opening the index",
  indexing: "Indexing",
  ready: "Up to date",
  degraded: "Partly working",
};
const MEANING: Readonly<Record<StatusReply["semantic"], string>> = {
  ready: "every passage can be found by meaning",
  partial: "some passages can be found by words only so far",
  unavailable: "not available; keyword search only",
};

export class IndexPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);
  readonly #full = this.#makeFull();
  readonly #progress = h("span");
  #drawn: StatusReply | null = null;
  #unsubscribe: () => unknown = () => undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(heading("Index", "The state of the index, and work that is waiting."), this.#body);
  }

  show(): void {
    this.leave();
    this.#unsubscribe = this.#context.status.subscribe((status) => this.#update(status));
    void this.#load();
  }

  leave(): void {
    this.#unsubscribe();
  }

  /** Draws a new state; where only the progress is new, no more than that, so that buttons stay under the pointer. */
  #update(status: StatusReply): void {
    if (status.ledger === this.#drawn?.ledger) fill(this.#progress, progressText(status) || "complete");
    else fill(this.#body, ...this.#draw(status));
  }

  #load(): Promise<void> {
    return this.#loader.load(
      async () => {
        await this.#context.status.refresh();
        return this.#context.status.status ?? this.#context.vaultClient.status();
      },
      (status) => this.#draw(status),
    );
  }

  #draw(status: StatusReply): (Node | null)[] {
    const { queue } = status;
    this.#drawn = status;
    fill(this.#progress, progressText(status) || "complete");
    const rows: [string, string | Node][] = [
      ["State", queue.paused ? "Paused" : STATES[status.state]],
      ["Notes", status.notes.toLocaleString()],
      ["Passages", `${status.chunks.toLocaleString()}, ${status.vectors.toLocaleString()} with vectors`],
      ["Semantic search", status.semantic_reason ?? MEANING[status.semantic]],
      ["Model", status.model ?? "none"],
      ["Progress", this.#progress],
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

  #actions(status: StatusReply): HTMLElement[] {
    const { queue } = status;
    const { vaultClient: client } = this.#context;
    const does = (label: string, done: string, ask: () => Promise<unknown>): HTMLElement =>
      button(label, () => void runAction(this.#context, done, ask).then(() => this.#load()), { class: "quiet" });
    const actions = [does("Check for changes", "Checking the vault", () => client.reindex({}))];
    // While it works or rests, the line below the top bar has this button.
    if (["none", "words"].includes(matterOf(status))) actions.unshift(does("Pause", "Indexing paused; search still works", () => client.queue("pause")));
    if (queue.failed) actions.push(does("Retry failed notes", "Trying again", () => client.queue("retry")));
    if (queue.pending) actions.push(does("Cancel waiting work", "Cancelled", () => client.queue("cancel")));
    actions.push(this.#full);
    return actions;
  }

  /**
   * A full reindex takes long on a large vault, so the button has to be pressed twice. It is made
   * once: news from the server between the two presses must not forget the first.
   */
  #makeFull(): HTMLElement {
    const label = "Reindex everything";
    let isSure = false;
    const full = button(label, () => {
      if (isSure) void runAction(this.#context, "Reindexing everything", () => this.#context.vaultClient.reindex({ full: true })).then(() => this.#load());
      isSure = !isSure;
      full.textContent = isSure ? "Really reindex everything?" : label;
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
      h("p", {}, "They are kept in the index until you decide. A drive may be disconnected, or a sync incomplete."),
      h("p", { class: "buttons" }, button("Keep them", settle(false, "The notes are kept")), button("Remove them", settle(true, "The notes are removed from the index"))),
    );
  }
}

/** The number of files in each state, with links to the lists. */
export function ledgerBar(context: ViewContext, counts: Readonly<Record<string, number>>): HTMLElement {
  const links = Object.entries(counts).map(([state, n]) =>
    h("a", { class: "chip", href: context.to("manage", { state }, "ledger") }, `${state.replaceAll("_", " ")} ${n.toLocaleString()}`),
  );
  return h("p", { class: "chips" }, ...links);
}
