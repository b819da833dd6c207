import { expect, test } from "vitest";
import { groupedRows } from "../../plugin/web/parts/resultGroups";
import { aResult } from "../plugin/samples";

/** The rows and headings of results with these matches, whose names are their places. */
function drawn(...matches: ("strong" | "related" | "weak")[]): string[] {
  const results = matches.map((match, at) => ({ ...aResult(`${at}.md`), match }));
  return groupedRows(results, ({ path }) => {
    const row = document.createElement("li");
    row.textContent = path;
    return row;
  }).map((row) => row.textContent);
}

test("results stand in groups, the best first, and the first result before all of them", () => {
  expect(drawn("strong", "strong")).toEqual(["0.md", "1.md"]);
  expect(drawn("strong", "related", "strong")).toEqual(["Best", "0.md", "2.md", "Related", "1.md"]);
  expect(drawn("related", "strong", "weak", "related")).toEqual(["0.md", "Best", "1.md", "Related", "3.md", "Weak matches", "2.md"]);
  expect(drawn("related", "related")).toEqual(["0.md", "1.md"]);
  expect(drawn("weak", "weak")).toEqual(["Weak matches", "0.md", "1.md"]);
});
