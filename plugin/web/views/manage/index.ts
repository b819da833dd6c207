/** The state of the vault in one sentence, with one bar: how much is found by words and by meaning; and what can be done. */

import type { StatusReply } from "../../../src/contract";
import { count } from "../../../src/format";
import { number, t } from "../../../src/texts";
import type { ViewContext } from "../../app/viewContext";
import { button, fill, h } from "../../lib/dom";
import { matterOf, readyBar, readyText } from "../../parts/progressStrip";
import { details, facts, Loader, runAction, sureButton, type Panel } from "./panel";

export class VaultState implements Panel {
  readonly el = h("div", { class: "vault-state" });
  readonly #context: ViewContext;
  readonly #loader = new Loader(this.el);
  /** Made once, so that news from the server between the two presses does not forget the first. */
  readonly #full = sureButton(t("Reindex everything"), t("Really reindex everything?"), () => this.#do(t("Reindexing everything"), () => this.#context.vaultClient.reindex({ full: true })));
  readonly #progress = h("div", { class: "panel-body" });
  readonly #facts = h("div");
  readonly #more = details(this.#facts);
  #drawn: StatusReply | null = null;
  #unsubscribe: () => unknown = () => undefined;

  constructor(context: ViewContext) {
    this.#context = context;
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
    const before = this.#drawn;
    if (before && status.ledger === before.ledger && matterOf(status) === matterOf(before)) this.#drawProgress(status);
    else fill(this.el, ...this.#draw(status));
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

  #drawProgress(status: StatusReply): void {
    fill(this.#progress, h("p", { class: "state-sentence" }, sentence(status, this.#context.status.wordsLeft)), readyBar(status));
  }

  #draw(status: StatusReply): (Node | null)[] {
    this.#drawn = status;
    this.#drawProgress(status);
    const { failed } = status.queue;
    const models = status.semantic === "unavailable" && this.#context.has("models") ? h("a", { href: this.#context.to("manage", {}, "models") }, t("Choose a model")) : null;
    const unread = failed ? h("a", { href: this.#context.to("manage", { state: "failed" }, "ledger") }, t("{notes} cannot be read", { notes: count(failed, "note") })) : null;
    return [
      status.guard ? this.#guard(status.guard) : null,
      status.problem ? h("p", { class: "warning", role: "alert" }, status.problem) : null,
      this.#progress,
      models || unread ? h("p", { class: "state-links" }, models, unread) : null,
      this.#context.mayAdminister ? h("div", { class: "buttons" }, ...this.#actions(status)) : null,
      this.#details(status),
    ];
  }

  #details({ semantic_reason: why, chunks, vectors, model, generation }: StatusReply): HTMLElement {
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

  #do(done: string, ask: () => Promise<unknown>): void {
    void runAction(this.#context, done, ask).then(() => this.#load());
  }

  #actions(status: StatusReply): HTMLElement[] {
    const { queue } = status;
    const { vaultClient: client } = this.#context;
    const does = (label: string, done: string, ask: () => Promise<unknown>): HTMLElement => button(label, () => this.#do(done, ask), { class: "quiet" });
    const actions = [does(t("Check for changes"), t("Checking the vault"), () => client.reindex({}))];
    // While it works or rests, the line below the top bar has this button.
    if (["none", "words"].includes(matterOf(status))) actions.unshift(does(t("Pause"), t("Indexing paused; search still works"), () => client.queue("pause")));
    if (queue.failed) actions.push(does(t("Retry failed notes"), t("Trying again"), () => client.queue("retry")));
    if (queue.pending) actions.push(does(t("Cancel waiting work"), t("Cancelled"), () => client.queue("cancel")));
    return [...actions, this.#full];
  }

  #guard({ gone, total }: NonNullable<StatusReply["guard"]>): HTMLElement {
    const settle = (remove: boolean, done: string) => (): void => this.#do(done, () => this.#context.vaultClient.guard(remove));
    return h(
      "div",
      { class: "note-box", role: "alert" },
      h("h2", {}, t("{gone} of {total} notes are missing", { gone, total })),
      h("p", {}, t("They are kept in the index until you decide. A drive may be disconnected, or a sync incomplete.")),
      h("p", { class: "buttons" }, button(t("Keep them"), settle(false, t("The notes are kept"))), button(t("Remove them"), settle(true, t("The notes are removed from the index")))),
    );
  }
}

/** "All 45 notes are found by their words and by meaning." */
function sentence(status: StatusReply, wordsLeft: number | null): string {
  const { phase } = status.progress;
  if (status.state === "starting") return t("The index is being opened.");
  if (phase === "paused") return t("Paused. Search works with what is there.");
  if (phase === "stuck") return t("Stopped. Search works with what is there.");
  if (phase !== "idle") return readyText(status, wordsLeft);
  const notes = count(status.notes, "note");
  if (status.semantic === "unavailable") return t("{notes}: found by their words; meaning needs a model.", { notes });
  if (status.semantic === "partial") return t("{notes}: found by their words; meaning is known of a part of them.", { notes });
  return t("{notes}: all are found by their words and by meaning.", { notes });
}
