/** The paragraph that a note is suggested for. */

import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { paragraphAt } from "../../plugin/src/ui/whileWriting";

const NOTE = "---\ntags: [bees]\n---\n# Spring\nA hive in spring\nneeds room and **water**.\n\nAfter [[Swarming]] it is calm.\n## Summer\n";

function at(text: string): string {
  return paragraphAt(EditorState.create({ doc: NOTE, selection: { anchor: NOTE.indexOf(text) } }));
}

describe("the paragraph at the cursor", () => {
  it("ends at headings and empty lines, and is without marks", () => {
    expect(at("hive")).toBe("A hive in spring\nneeds room and water.");
    expect(at("room")).toBe(at("hive"));
    expect(at("calm")).toBe("After Swarming it is calm.");
  });

  it("is empty in a heading, and between paragraphs", () => {
    expect(at("Spring")).toBe("");
    expect(at("\n\nAfter").slice(0, 6)).toBe("A hive");
    expect(at("\nAfter")).toBe("");
  });
});
