/** The texts about how far the index is: one record, the same numbers everywhere. */

import { describe, expect, it } from "vitest";
import { progressText, shares, shortProgress } from "../../plugin/src/progress";
import type { StatusReply } from "../../plugin/src/contract";
import { aProgress, aStatus } from "./samples";

const half = { notes_read: 1_824, notes: 2_693, passages_embedded: 400, passages: 8_000 };

describe("the progress of an index", () => {
  it("names notes while they are read, and how far words and meaning are", () => {
    const status = aStatus({ progress: aProgress({ phase: "reading", ...half, eta_s: 540 }) });
    const read = (1_824).toLocaleString();
    const all = (2_693).toLocaleString();
    expect(progressText(status)).toBe(
      `Reading ${read} of ${all} notes · by words 67 % · by meaning 3 % · about 9 min`,
    );
    expect(shortProgress(status)).toBe("1824/2693");
  });

  it("counts passages only as far as their notes are read", () => {
    const { words, meaning } = shares(aProgress({ phase: "reading", notes_read: 1, notes: 2 }));
    expect([words, meaning]).toEqual([0.5, 0.5]);
  });

  it("is one number when it is paused or has stopped", () => {
    for (const [phase, text] of [["paused", "Paused at 3 %"], ["stuck", "Stopped at 3 %"]] as const) {
      const status = aStatus({ progress: aProgress({ phase, ...half }) });
      expect(progressText(status)).toBe(text);
      expect(progressText(status).match(/\d+/g)).toHaveLength(1);
    }
  });

  it("says what waits of a complete index that is paused, and not that it is at 100 %", () => {
    const progress = aProgress({ phase: "paused" });
    const waiting = (pending: number): StatusReply => aStatus({ progress, queue: { ...aStatus().queue, pending, paused: true } });
    expect(progressText(waiting(1))).toBe("Paused · 1 change waits");
    expect(shortProgress(waiting(2))).toBe("paused · 2 changes wait");
    expect(progressText(waiting(0))).toBe("Paused");
    // Where there is no model, passages wait for one: they are no changes.
    const byWords = { ...waiting(9), semantic: "unavailable", progress: { ...progress, passages_embedded: 0 } } as const;
    expect(progressText(byWords)).toBe("Paused");
  });

  it("leaves meaning out where there is no model", () => {
    const progress = aProgress({ phase: "reading", ...half });
    expect(progressText(aStatus({ semantic: "unavailable", progress }))).not.toContain("meaning");
  });

  it("is never complete before it is, and needs no words then", () => {
    const almost = aProgress({ phase: "embedding", passages_embedded: 7_999, passages: 8_000 });
    expect(progressText(aStatus({ progress: almost }))).toBe("By words 100 % · by meaning 99 %");
    expect(progressText(aStatus())).toBe("");
    expect(shortProgress(aStatus())).toBe("");
  });
});
