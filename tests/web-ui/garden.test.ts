/** The gardener's words, its diffs, and the review of a plan before anything is done. */

import { beforeEach, describe, expect, it } from "vitest";
import type { PlanReply, SuggestionView } from "../../plugin/src/contract";
import { GardenClient } from "../../plugin/web/views/manage/tend/client";
import { Review } from "../../plugin/web/views/manage/tend/review";
import { appliedText, checkHelp, checkName, countsText, diffLines, groupsOf, modelText } from "../../plugin/web/views/manage/tend/words";
import { FakeServer, TOKEN } from "../plugin/samples";

const PLAN_ID = "20261122-103000";
const ROUTE = `/api/garden/plans/${PLAN_ID}`;

function suggestion(id: string, changed: Partial<SuggestionView> = {}): SuggestionView {
  const diff = "--- A.md\n+++ A.md\n@@ -2,4 +2,4 @@\n \n-See [[Bes]].\n+See [[Bees]].\n \n";
  return { id, check: "broken_links", path: "A.md", title: "[[Bes]] → Bees", evidence: "Line 3", confidence: 0.95, edit: [], diff, state: "open", why: "", ...changed };
}

/** A server that keeps one plan, as the gardener does. */
class Garden extends FakeServer {
  plan: PlanReply = {
    vault: "garden",
    id: PLAN_ID,
    created: "2026-11-22T10:30:00+00:00",
    note: null,
    checks: ["broken_links", "tag_variants"],
    suggestions: [suggestion("a"), suggestion("b"), suggestion("c", { check: "tag_variants" })],
    counts: { open: 3 },
    more: 0,
  };
  readonly decided: unknown[] = [];

  constructor() {
    super();
    this.routes[ROUTE] = () => this.plan;
    for (const [what, state] of [["apply", "applied"], ["reject", "rejected"], ["undo", "open"]] as const) {
      this.routes[`${ROUTE}/${what}`] = ({ body }) => {
        const { only = [] } = JSON.parse(body ?? "{}") as { only?: readonly string[] };
        this.decided.push([what, ...only]);
        const ids = only.length ? only : this.plan.suggestions.map(({ id }) => id);
        this.plan = { ...this.plan, suggestions: this.plan.suggestions.map((one) => (ids.includes(one.id) ? { ...one, state } : one)) };
        const deleted = this.plan.suggestions.every((one) => one.state === "rejected");
        return what === "reject" ? { vault: "garden", plan: PLAN_ID, rejected: ids, deleted } : { vault: "garden", plan: PLAN_ID, applied: ids, refused: [], undo: 7 };
      };
    }
  }
}

let server: Garden;
let review: Review;

beforeEach(async () => {
  server = new Garden();
  const client = new GardenClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN }, "v1");
  review = new Review(client, await client.plan(PLAN_ID));
});

describe("the review of a plan", () => {
  it("does nothing before it is told to, and then both at once", async () => {
    review.toggle("a", "accept");
    review.toggle("b", "reject");
    expect(server.decided).toEqual([]);

    const outcome = await review.commit();
    expect(server.decided).toEqual([["apply", "a"], ["reject", "b"]]);
    expect(outcome.applied?.applied).toEqual(["a"]);
    expect([outcome.rejected, outcome.isGone]).toEqual([1, false]);
    expect(review.plan.suggestions.map(({ state }) => state)).toEqual(["applied", "rejected", "open"]);
    expect(review.markOf("a")).toBeNull();
  });

  it("takes a mark off when it is set again, of one and of a whole kind", () => {
    review.toggle("a", "accept");
    review.toggle("a", "accept");
    expect(review.marked("accept")).toEqual([]);
    review.toggle("a", "reject");
    review.toggleAll("broken_links", "accept");
    expect(review.marked("accept")).toEqual(["a", "b"]);
    expect([review.hasAll("broken_links", "accept"), review.hasAll("tag_variants", "accept")]).toEqual([true, false]);
    review.toggleAll("broken_links", "accept");
    expect(review.marked("accept")).toEqual([]);
  });

  it("takes back what was applied, and says when nothing is left of the plan", async () => {
    review.toggle("c", "accept");
    await review.commit();
    await review.undo(["c"]);
    expect(review.plan.suggestions.every(({ state }) => state === "open")).toBe(true);
    expect((await review.rejectAll()).deleted).toBe(true);
  });
});

it("a plan with the language model names the host that a person agreed to", async () => {
  server.routes["/api/garden/model"] = () => ({ host: "api.example", local: false, model: "m", notes: 1, waiting: 1, tokens: 9, dollars: null, prices_of: "2026-03", sent: "it" });
  let sent: unknown = null;
  server.routes["/api/garden/plans"] = ({ body }) => {
    sent = JSON.parse(body ?? "{}");
    return server.plan;
  };
  const client = new GardenClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN }, "v1");
  const { host } = await client.model();
  expect((await client.makeWithModel(host)).id).toBe(PLAN_ID);
  expect(sent).toMatchObject({ checks: [], model: true, host: "api.example" });
});

describe("the words of the gardener", () => {
  it("names every check, and one that it does not know as the server does", () => {
    expect(checkName("broken_links")).toBe("Broken links");
    expect(checkName("new_kind")).toBe("New kind");
    expect(checkHelp("new_kind", "what is new")).toBe("What is new.");
  });

  it("tells what the language model would read, where, and what that costs", () => {
    const would = { vault: "v", provider: "openai", host: "api.openai.com", local: false, model: "m", notes: 2, waiting: 3, requests: 1, tokens: 900, answer_tokens: 700, dollars: 0.014, prices_of: "2026-03", sent: "notes" };
    expect(modelText(would)).toBe("m would read 2 of 3 notes, about 900 tokens, at api.openai.com, outside the server’s computer. Price: $0.01 at most (prices of 2026-03).");
    expect(modelText({ ...would, local: true })).toBe("m would read 2 of 3 notes, about 900 tokens, on the server’s computer.");
    expect(modelText({ ...would, dollars: null })).toContain("Price: unknown");
  });

  it("tells how many are open, applied and refused", () => {
    expect(countsText({ open: 2, refused: 1 })).toBe("2 open, 1 refused");
    expect(countsText({ open: 0 })).toBe("nothing to do");
    expect(appliedText({ vault: "", plan: "", applied: ["a"], refused: [{ id: "b", why: "x" }], undo: 1 })).toBe("1 suggestion is applied. 1 was refused, see below.");
    expect(groupsOf(review.plan).map(({ check, suggestions }) => [check, suggestions.length])).toEqual([["broken_links", 2], ["tag_variants", 1]]);
  });

  it("shows the lines of a diff with the place, and lines that look like its marks as what they are", () => {
    expect(diffLines(suggestion("a").diff)).toEqual([["file", "A.md"], ["place", "line 3"], ["old", "See [[Bes]]."], ["new", "See [[Bees]]."]]);
    const rule = "--- A.md\n+++ A.md\n@@ -1 +1,2 @@\n---- a\n++++ b\n+c\n--- B.md\n+++ B.md\n@@ -0,0 +1 @@\n+x\n";
    expect(diffLines(rule)).toEqual([["file", "A.md"], ["place", "line 1"], ["old", "--- a"], ["new", "+++ b"], ["new", "c"], ["file", "B.md"], ["place", "line 1"], ["new", "x"]]);
    expect(diffLines("")).toEqual([]);
  });
});
