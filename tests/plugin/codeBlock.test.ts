/** The code block `notewell`: what its lines set, and what is said of others. */

import { describe, expect, it } from "vitest";
import { readBlock } from "../../plugin/src/ui/blockOptions";

describe("a code block", () => {
  it("has the options that its lines set", () => {
    const { options, problems } = readBlock("query: tag:garden path:a\n\nlimit: 5\nsort: modified\nview: compact\ngroup: folder\n");
    expect(problems).toEqual([]);
    expect(options).toEqual({ query: "tag:garden path:a", isSimilar: false, limit: 5, sort: "modified", view: "compact", group: "folder" });
  });

  it("may ask for similar notes alone", () => {
    expect(readBlock("similar: true")).toMatchObject({ options: { isSimilar: true, limit: 10 }, problems: [] });
  });

  it.each([
    ["quary: x", "“quary” is unknown here; known are query, similar, limit, sort, view, group."],
    ["bees", "“bees” has no key: write “query: …”."],
    ["query: x\nlimit: 0", "“limit” is a number from 1 to 100."],
    ["query: x\nlimit: many", "“limit” is a number from 1 to 100."],
    ["query: x\nsort: best", "“sort” is one of relevance, modified, name."],
    ["query: x\nview: table", "“view” is one of list, compact."],
    ["query: x\ngroup: tag", "“group” is one of none, folder."],
    ["similar: yes", "“similar” is true or false."],
    ["", "Write “query: …” or “similar: true”."],
    ["query:", "Write “query: …” or “similar: true”."],
  ])("says what is wrong with %j", (source, problem) => {
    expect(readBlock(source).problems).toEqual([problem]);
  });
});
