/** The review of a plan: what a person accepts and rejects of it, before anything is done. */

import type { GardenReply, PlanReply, RejectReply, SuggestionView } from "../../../../src/contract";
import type { GardenClient } from "./client";
import { isOpen } from "./words";

export type Mark = "accept" | "reject";

/** What was done: `applied` is null where nothing was accepted; `isGone`: nothing is left of the plan. */
export interface Outcome {
  readonly applied: GardenReply | null;
  readonly rejected: number;
  readonly isGone: boolean;
}

export class Review {
  readonly #client: GardenClient;
  readonly #marks = new Map<string, Mark>();
  #plan: PlanReply;

  constructor(client: GardenClient, plan: PlanReply) {
    this.#client = client;
    this.#plan = plan;
  }

  get plan(): PlanReply {
    return this.#plan;
  }

  markOf(id: string): Mark | null {
    return this.#marks.get(id) ?? null;
  }

  /** Marks a suggestion; the same mark again takes it off. */
  toggle(id: string, mark: Mark): void {
    if (this.#marks.get(id) === mark) this.#marks.delete(id);
    else this.#marks.set(id, mark);
  }

  /** Marks all open suggestions of a check; if all have the mark, it is taken off. */
  toggleAll(check: string, mark: Mark): void {
    const open = this.#open().filter((one) => one.check === check);
    const isOff = open.every(({ id }) => this.#marks.get(id) === mark);
    for (const { id } of open) {
      if (isOff) this.#marks.delete(id);
      else this.#marks.set(id, mark);
    }
  }

  /** Whether all open suggestions of a check have the mark. */
  hasAll(check: string, mark: Mark): boolean {
    const open = this.#open().filter((one) => one.check === check);
    return open.length > 0 && open.every(({ id }) => this.#marks.get(id) === mark);
  }

  marked(mark: Mark): readonly string[] {
    return this.#open().filter(({ id }) => this.#marks.get(id) === mark).map(({ id }) => id);
  }

  /** Applies what is accepted, as one write to undo, and rejects what is rejected for good. */
  async commit(): Promise<Outcome> {
    const [accepted, rejected] = [this.marked("accept"), this.marked("reject")];
    const { id } = this.#plan;
    const applied = accepted.length ? await this.#client.apply(id, accepted) : null;
    for (const one of accepted) this.#marks.delete(one);
    if (applied && rejected.length) await this.#reload(null); // what is applied is shown as such if the rejection fails
    const refusal = rejected.length ? await this.#client.reject(id, rejected) : null;
    for (const one of rejected) this.#marks.delete(one);
    await this.#reload(refusal);
    return { applied, rejected: refusal?.rejected.length ?? 0, isGone: refusal?.deleted ?? false };
  }

  /** Takes back what was applied of the plan, or one suggestion. */
  async undo(only: readonly string[] = []): Promise<GardenReply> {
    const done = await this.#client.undo(this.#plan.id, only);
    await this.#reload(null);
    return done;
  }

  /** Rejects all that is open, for good. */
  async rejectAll(): Promise<RejectReply> {
    const done = await this.#client.reject(this.#plan.id);
    this.#marks.clear();
    await this.#reload(done);
    return done;
  }

  #open(): readonly SuggestionView[] {
    return this.#plan.suggestions.filter(isOpen);
  }

  async #reload(refusal: RejectReply | null): Promise<void> {
    if (!refusal?.deleted) this.#plan = await this.#client.plan(this.#plan.id);
  }
}
