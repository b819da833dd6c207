/** What is said of the server's state and the index, and how queries are completed. */

import { describe, expect, it } from "vitest";
import type { Connection, ConnectionState, OfflineReason } from "../../plugin/src/connection";
import { explain, indexNotice } from "../../plugin/src/ui/explain";
import { completionAt, replaceAt } from "../../plugin/src/ui/operators";
import { explainLedgerRow } from "../../plugin/src/ui/similarNotes";
import { longStatus, shortStatus } from "../../plugin/src/ui/statusText";
import type { LedgerRow, LedgerState } from "../../plugin/src/contract";
import { aProgress, aStatus } from "./samples";

const REASONS: OfflineReason[] = [
  "not-set-up",
  "needs-consent",
  "not-installed",
  "wrong-program",
  "stopped",
  "crashed",
  "in-use",
  "unreachable",
  "not-notewell",
  "no-vault",
  "refused",
];
const offline = (why: OfflineReason): ConnectionState => ({ name: "offline", why });
const standing = (state: ConnectionState, waiting = 0): Parameters<typeof longStatus>[0] => ({
  connection: { state } as Connection,
  waiting: () => waiting,
});
const states: ConnectionState[] = [
  ...REASONS.map(offline),
  { name: "starting" },
  { name: "needs-token" },
  { name: "mismatch", older: "server", version: "0.0.1" },
  { name: "mismatch", older: "plugin", version: "9.0.0" },
];

describe("every state without a server", () => {
  it("has a text of its own", () => {
    const titles = states.map((state) => explain(state, 0)?.title);
    expect(new Set(titles).size).toBe(states.length);
  });

  it("has something to do", () => {
    for (const state of states) {
      const actions = explain(state, 0)?.actions.length ?? 0;
      expect(actions, state.name).toBeGreaterThan(0);
    }
  });

  it("tells what is kept for the server", () => {
    expect(explain(offline("unreachable"), 3)?.text).toContain("3 changes are waiting to be sent");
    expect(explain(offline("unreachable"), 1)?.text).toContain("1 change is waiting to be sent");
  });

  it("offers commands to copy where something must be installed or upgraded", () => {
    expect(explain(offline("wrong-program"), 0)?.commands[0]).toBe("uv tool install .");
    const old = explain({ name: "mismatch", older: "server", version: "0" }, 0);
    expect(old?.commands[0]).toBe("uv tool install --reinstall .");
  });
});

describe("an index that answers", () => {
  const ready = (status = aStatus()): ConnectionState => ({ name: "ready", status });

  it("needs no explanation", () => {
    expect(explain(ready(), 5)).toBeNull();
    expect(indexNotice(aStatus())).toBeNull();
  });

  it("has an indexNotice for what is incomplete, the most serious first", () => {
    const reading = aProgress({ phase: "reading", notes_read: 1, eta_s: 120 });
    const guard = { gone: 60, total: 100, since: "2026-01-01T00:00:00+00:00" };
    const paused = aProgress({ phase: "paused", passages_embedded: 3 });
    expect(indexNotice(aStatus({ guard, progress: paused }))?.title).toBe("60 of 100 notes are missing");
    expect(indexNotice(aStatus({ progress: paused }))?.actions[0]?.[0]).toBe("resume");
    expect(indexNotice(aStatus({ progress: paused }))?.text).toBe("Paused at 33 %.");
    expect(indexNotice(aStatus({ state: "indexing", progress: reading }))?.text).toContain("about 2 min");
    const unavailable = { semantic: "unavailable", semantic_reason: "No model." } as const;
    expect(indexNotice(aStatus(unavailable))?.text).toBe("No model.");
  });

  it("is shown in the status bar in a few words", () => {
    const progress = aProgress({ phase: "reading", notes_read: 384, notes: 2_084 });
    const queue = { ...aStatus().queue, failed: 2 };
    const indexing = aStatus({ state: "indexing", progress, queue });
    expect(shortStatus(standing({ name: "indexing", status: indexing }))).toBe("384/2084 · 2 errors");
    expect(shortStatus(standing(ready()))).toBe("ready");
    expect(shortStatus(standing(offline("unreachable"), 3))).toBe("words only · 3 waiting");
  });

  it("is told of in full in the settings", () => {
    const lines = longStatus(standing(ready(aStatus({ state: "degraded" })), 2)).join(" ");
    expect(lines).toMatch(/3 notes, 9 passages.*ready.*does not work.*2 changes not sent/);
  });
});

describe("a note that is not found", () => {
  const row = (state: LedgerState): LedgerRow => ({
    path: "a.md",
    state,
    rule: "exclude: drafts/",
    reason: "It lies in an excluded folder.",
    warnings: [],
    attempts: 1,
    size: 1,
    modified: null,
    updated: null,
    count: 1,
  });

  it("is explained by its state and the rule that decided", () => {
    expect(explainLedgerRow(row("excluded")).text).toContain("exclude: drafts/");
    expect(explainLedgerRow(row("failed")).actions[0]?.[0]).toBe("errors");
    expect(explainLedgerRow(row("pending")).title).toBe("Not indexed yet");
    expect(explainLedgerRow(row("indexed")).title).toBe("Indexed");
  });
});

describe("completion", () => {
  const at = (query: string): unknown => {
    const found = completionAt(query, query.length);
    return found && [found.kind, found.typed];
  };

  it.each([
    ["tag:", ["tag", ""]],
    ["bees tag:#gar", ["tag", "gar"]],
    ["-path:Gar", ["path", "Gar"]],
    ['(path:"My fo', ["path", "My fo"]],
    ["[sta", ["property", "sta"]],
    ["[status:op", ["value", "op"]],
  ])("sees what is typed in %j", (query, expected) => {
    expect(at(query)).toEqual(expected);
  });

  it.each([["bees"], ["tag:a b"], ["[[link"], ["[status:open] "], ["hashtag:x"], ['path:"a" ']])(
    "leaves %j alone",
    (query) => {
      expect(at(query)).toBeNull();
    },
  );

  function completed(query: string, word: string): string {
    const caret = query.indexOf("|");
    const text = query.replace("|", "");
    const found = completionAt(text, caret);
    if (!found) throw new Error("nothing to complete");
    const done = replaceAt(text, found, word);
    return `${done.query.slice(0, done.caret)}|${done.query.slice(done.caret)}`;
  }

  it.each([
    ["tag:ga| hive", "garden", "tag:garden |hive"],
    ["path:my|", "My folder", 'path:"My folder" |'],
    ['path:"my|', "My folder", 'path:"My folder" |'],
    ["[st|", "status", "[status|]"],
    ["[status:op|]", "open", "[status:open]|"],
  ])("writes %j with %j", (query, word, expected) => {
    expect(completed(query, word)).toBe(expected);
  });
});
