/** The gardener's routes. A class of its own, so that pages load it when they need it. */

import type { GardenCheck, GardenModelReply, GardenReply, PlanReply, PlansReply, RejectionsReply, RejectReply } from "../../../../src/contract";
import { HttpClient } from "../../../../src/http";
import * as replies from "./replies";

const LONGEST_MS = 600_000; // a plan of many thousands of notes, or edits of hundreds

export class GardenClient extends HttpClient {
  /** The plans, newest first, and the checks there are. */
  plans(): Promise<PlansReply> {
    return this.get("garden/plans", replies.plans, { limit: 50 });
  }

  plan(id: string): Promise<PlanReply> {
    return this.get("garden/plans/{id}", replies.plan, { id });
  }

  /** Looks for what could be tended, by these checks or by the usual ones; no note is changed. */
  make(checks: readonly GardenCheck[] = []): Promise<PlanReply> {
    return this.post("garden/plans", replies.plan, { checks }, LONGEST_MS);
  }

  /** What the language model would be sent, and where; nothing is sent by asking. */
  model(): Promise<GardenModelReply> {
    return this.get("garden/model", replies.model, {});
  }

  /** The same as `make`, and asks the language model at `host`, to which a person agreed to send notes. */
  makeWithModel(host: string): Promise<PlanReply> {
    return this.post("garden/plans", replies.plan, { checks: [], model: true, host }, LONGEST_MS);
  }

  /** Makes the edits of these suggestions. */
  apply(id: string, only: readonly string[]): Promise<GardenReply> {
    return this.post("garden/plans/{id}/apply", replies.done, { id, only }, LONGEST_MS);
  }

  /** Takes back what was applied: of these suggestions, or of the whole plan if there are none. */
  undo(id: string, only: readonly string[] = []): Promise<GardenReply> {
    return this.post("garden/plans/{id}/undo", replies.done, { id, only }, LONGEST_MS);
  }

  /** Says no for good: to these suggestions, or to the whole plan if there are none, which is then deleted. */
  reject(id: string, only: readonly string[] = []): Promise<RejectReply> {
    return this.post("garden/plans/{id}/reject", replies.rejected, { id, only });
  }

  rejections(): Promise<RejectionsReply> {
    return this.get("garden/rejections", replies.rejections, { limit: 200 });
  }

  /** Lets suggestions that were rejected come again. */
  forget(ids: readonly string[]): Promise<RejectionsReply> {
    return this.post("garden/rejections/forget", replies.rejections, { ids });
  }
}
