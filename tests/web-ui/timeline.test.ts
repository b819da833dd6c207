/** The timeline: dates on its axis, and what it is saved as. */

import { describe, expect, test } from "vitest";
import type { DatedNote } from "../../plugin/src/contract";
import { axisOf, dateAt } from "../../plugin/web/lib/timeline";
import { exportName, timelineCsv, timelineNote } from "../../plugin/web/lib/timelineExport";

function dated(date: string, path: string, title = path): DatedNote {
  return { date, dated_by: "name", path, title, heading: null, line: 1, snippet: "", score: 0.5, uri: "" };
}

test("a share of the axis is a date, from the first day to the last", () => {
  const axis = axisOf([{ start: "2026-01-01", end: "2026-01-10" }]);
  expect([0, 0.5, 1].map((share) => dateAt(axis, share))).toEqual(["2026-01-01", "2026-01-06", "2026-01-10"]);
});

describe("saved as a table", () => {
  test("quotes what needs it, and holds no formula", () => {
    const csv = timelineCsv([dated("2026-01-02", "a, b.md", 'say "no"'), dated("2026-01-03", "c.md", "=1+1")]);
    expect(csv.split("\r\n")).toEqual([
      "date,dated_by,path,title,line,score",
      '2026-01-02,name,"a, b.md","say ""no""",1,0.5',
      "2026-01-03,name,c.md,'=1+1,1,0.5",
      "",
    ]);
  });
});

describe("saved as a note", () => {
  test("links each note under its month", () => {
    const text = timelineNote("bees\nand wax", [dated("2026-01-02", "x/a.md", "A [1]"), dated("2026-01-03", "b.pdf", "B"), dated("2026-03-01", "c.md", "C")]);
    expect(text).toBe("# Timeline: bees and wax\n\n## 2026-01\n\n- 2026-01-02 [[x/a|A  1 ]]\n- 2026-01-03 [[b.pdf|B]]\n\n## 2026-03\n\n- 2026-03-01 [[c|C]]\n");
  });

  test("gets a name that every system takes", () => {
    expect(exportName('a/b: "c"?', "md")).toBe("Timeline a b c.md");
    expect(exportName("***", "csv")).toBe("Timeline of notes.csv");
  });
});
