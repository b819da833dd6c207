/** The index panel: its state, live progress, and actions. */

import type { StatusReply } from "../../../src/contract";
import { progressText } from "../../../src/progress";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { matterOf } from "../../parts/progressStrip";
import { details, facts, heading, Loader, runAction, type Panel } from "./panel";
import { number, t } from "../../../src/texts";
import { stateWord } from "../../../src/words";

const states = (): Readonly<Record<StatusReply["state"], string>> => ({
  starting: t("Opening the index"),
  indexing: t("Indexing"),
  ready: t("Up to date"),
  degraded: t("Partly working"),
});
const meaning = (): Readonly<Record<StatusReply["semantic"], string>> => ({
  ready: t("every passage can be found by meaning"),
  partial: t("some passages can be found by words only so far"),
  unavailable: t("not available: notes are found by their words"),
});

export class IndexPanel implements Panel {
  readonly el = h("div");
  readonly #context: ViewContext;
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);
  readonly #full = this.#makeFull();
  readonly #progress = h("span");
  readonly #facts = h("div");
  /** Made once, so that it stays open while the state is drawn anew. */
  #more: HTMLElement | null = null;
  #drawn: StatusReply | null = null;
  #unsubscribe: () => unknown = () => undefined;

  constructor(context: ViewContext) {
    this.#context = context;
    this.el.append(heading(t("Index"), t("The state of the index, and work that is waiting.")), this.#body);
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
    if (status.ledger === this.#drawn?.ledger) fill(this.#progress, progressText(status) || t("complete"));
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
    fill(this.#progress, progressText(status) || t("complete"));
    const rows: [string, string | Node][] = [
      [t("State"), queue.paused ? t("Paused") : states()[status.state]],
      [t("Notes"), number(status.notes)],
      [t("Search by meaning"), meaning()[status.semantic]],
      [t("Progress"), this.#progress],
    ];
    if (queue.failed) rows.push([t("Failed"), count(queue.failed, "note", "notes")]);
    return [
      status.guard ? this.#guard(status.guard) : null,
      status.problem ? h("p", { class: "warning", role: "alert" }, status.problem) : null,
      facts(rows),
      ledgerBar(this.#context, status.ledger),
      h("div", { class: "buttons" }, ...this.#actions(status)),
      this.#details(status),
    ];
  }

  #details({ semantic_reason: why, chunks, vectors, model, generation }: StatusReply): HTMLElement {
    this.#more ??= details(this.#facts);
    fill(
      this.#facts,
      facts([
        ...(why ? [[t("Search by meaning"), why] as const] : []),
        [t("Passages"), t("{passages}, {vectors} of them with a vector, by which meaning is found", { passages: chunks, vectors })],
        [t("Model"), model ?? t("none")],
        [t("Changes of the index so far"), number(generation)],
      ]),
    );
    return this.#more;
  }

  #actions(status: StatusReply): HTMLElement[] {
    const { queue } = status;
    const { vaultClient: client } = this.#context;
    const does = (label: string, done: string, ask: () => Promise<unknown>): HTMLElement =>
      button(label, () => void runAction(this.#context, done, ask).then(() => this.#load()), { class: "quiet" });
    const actions = [does(t("Check for changes"), t("Checking the vault"), () => client.reindex({}))];
    // While it works or rests, the line below the top bar has this button.
    if (["none", "words"].includes(matterOf(status))) actions.unshift(does(t("Pause"), t("Indexing paused; search still works"), () => client.queue("pause")));
    if (queue.failed) actions.push(does(t("Retry failed notes"), t("Trying again"), () => client.queue("retry")));
    if (queue.pending) actions.push(does(t("Cancel waiting work"), t("Cancelled"), () => client.queue("cancel")));
    actions.push(this.#full);
    return actions;
  }

  /**
   * A full reindex takes long on a large vault, so the button has to be pressed twice. It is made
   * once: news from the server between the two presses must not forget the first.
   */
  #makeFull(): HTMLElement {
    const label = t("Reindex everything");
    let isSure = false;
    const full = button(label, () => {
      if (isSure) void runAction(this.#context, t("Reindexing everything"), () => this.#context.vaultClient.reindex({ full: true })).then(() => this.#load());
      isSure = !isSure;
      full.textContent = isSure ? t("Really reindex everything?") : label;
    }, { class: "quiet" });
    return full;
  }

  #guard({ gone, total }: NonNullable<StatusReply["guard"]>): HTMLElement {
    const settle = (remove: boolean, done: string) => () =>
      void runAction(this.#context, done, () => this.#context.vaultClient.guard(remove)).then(() => this.#load());
    return h(
      "div",
      { class: "note-box", role: "alert" },
      h("h2", {}, t("{gone} of {total} notes are missing", { gone, total })),
      h("p", {}, t("They are kept in the index until you decide. A drive may be disconnected, or a sync incomplete.")),
      h("p", { class: "buttons" }, button(t("Keep them"), settle(false, t("The notes are kept"))), button(t("Remove them"), settle(true, t("The notes are removed from the index")))),
    );
  }
}

/** The number of files in each state, with links to the lists. */
export function ledgerBar(context: ViewContext, counts: Readonly<Record<string, number>>): HTMLElement {
  const links = Object.entries(counts).filter(([state, n]) => n > 0 || state === "indexed").map(([state, n]) =>
    h("a", { class: "chip", href: context.to("manage", { state }, "ledger") }, `${stateWord(state)} ${number(n)}`),
  );
  return h("p", { class: "chips" }, ...links);
}
