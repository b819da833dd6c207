/** The graph view: how its notes are grouped and placed. */

import { describe, expect, test } from "vitest";
import type { NeighborhoodNote, NeighborhoodReply } from "../../plugin/src/contract";
import { grouped } from "../../plugin/web/views/graph/grouping";
import { Labels } from "../../plugin/web/views/graph/labels";
import { endsOf, knownPlaces, pictureOf } from "../../plugin/web/views/graph/picture";

const NOW = Date.parse("2026-11-22T12:00:00Z");

function note(path: string, more: Partial<NeighborhoodNote> = {}): NeighborhoodNote {
  return { path, title: path, hops: null, links: 0, tags: [], modified: null, community: null, ...more };
}

function reply(nodes: readonly NeighborhoodNote[], links: NeighborhoodReply["links"] = [], similar: NeighborhoodReply["similar"] = []): NeighborhoodReply {
  return { vault: "v", generation: 1, path: null, total: nodes.length, nodes, links, similar, warnings: [] };
}

describe("groups", () => {
  test("are the first folders, largest first; notes at the top share the last", () => {
    const { groups, of } = grouped([note("a/x.md"), note("b/c/y.md"), note("b/z.md"), note("top.md")], "folder", NOW);
    expect(groups.map(({ label, count }) => [label, count])).toEqual([["b", 2], ["a", 1], ["Other folders", 1]]);
    expect(of).toEqual([1, 0, 0, 2]);
  });

  test("are at most as many as there are colours", () => {
    const notes = Array.from({ length: 40 }, (_, n) => note(`folder ${n}/x.md`));
    const { groups, of } = grouped(notes, "folder", NOW);
    expect(groups).toHaveLength(9);
    expect(new Set(of).size).toBe(9);
    expect(groups.at(-1)).toMatchObject({ label: "Other folders", count: 32, colour: "--group-rest" });
  });

  test("of age are in order and hold notes without a date", () => {
    const notes = ["2026-11-20T00:00:00Z", "2026-11-01T00:00:00Z", "2026-02-01T00:00:00Z", "2019-01-01T00:00:00Z", null].map((modified, n) => note(`${n}.md`, { modified }));
    const { groups, of } = grouped(notes, "age", NOW);
    expect(of.map((n) => groups[n]?.label)).toEqual(["This week", "This month", "This year", "Older", "Without a date"]);
  });

  test("of communities are named after their most linked note", () => {
    const notes = [note("a.md", { community: 0, links: 1 }), note("b.md", { community: 0, links: 7 }), note("c.md")];
    expect(grouped(notes, "community", NOW).groups.map(({ label }) => label)).toEqual(["Around b.md", "Smaller communities, or none"]);
  });

  test("by tag and type", () => {
    const notes = [note("a.md", { tags: ["project/x", "y"] }), note("b.pdf")];
    expect(grouped(notes, "tag", NOW).groups.map(({ label }) => label)).toEqual(["#project", "Other tags, or none"]);
    expect(grouped(notes, "type", NOW).groups.map(({ label }) => label)).toEqual(["Notes", ".pdf"]);
    expect(grouped(notes, "none", NOW)).toEqual({ groups: [], of: [-1, -1] });
  });
});

describe("the picture", () => {
  const nodes = [note("a.md", { links: 100 }), note("b.md"), note("c.md")];

  test("has each link and similarity once, and none that leads out of it", () => {
    const graph = pictureOf(reply(nodes, [[0, 1], [0, 9]], [[1, 2, 0.8]]), new Map());
    expect(graph.order).toBe(3);
    expect(graph.mapEdges((_, { isSimilarity }, one, other) => [one, other, isSimilarity])).toEqual([["0", "1", false], ["1", "2", true]]);
  });

  test("begins where the notes were, and elsewhere for new ones", () => {
    const kept = new Map([["a.md", [5, 6] as const], ["b.md", [7, 8] as const]]);
    const graph = pictureOf(reply(nodes), kept);
    expect(graph.getNodeAttributes(0)).toMatchObject({ x: 5, y: 6, size: 12.5 });
    expect(knownPlaces(nodes, kept)).toBe("none");
    expect(knownPlaces(nodes.slice(0, 2), kept)).toBe("all");
    const many = Array.from({ length: 10 }, (_, n) => note(`${n}.md`));
    expect(knownPlaces(many, new Map(many.slice(1).map(({ path }) => [path, [0, 0] as const])))).toBe("most");
    expect(knownPlaces([], new Map())).toBe("none");
  });

  test("gives the layout its pairs, links first", () => {
    expect([...endsOf(reply(nodes, [[0, 1]], [[1, 2, 0.8]]))]).toEqual([0, 1, 1, 2]);
  });
});

test("labels neither lie over each other nor leave the picture", () => {
  const drawn: [string, number][] = [];
  const pen = { measureText: (text: string) => ({ width: 10 * text.length }), fillText: (text: string, x: number) => drawn.push([text, x]) };
  const labels = new Labels();
  labels.begin(200);
  const draw = (label: string, x: number, y: number, more: object = {}): void =>
    labels.draw(pen as never, { label, x, y, size: 5, ...more } as never, { labelSize: 12, labelFont: "serif", labelWeight: "", labelColor: {} } as never);
  draw("first", 10, 50);
  draw("over it", 30, 55);
  draw("below", 30, 80);
  draw("at the edge", 190, 20);
  draw("emphasised", 30, 55, { forceLabel: true });
  expect(drawn).toEqual([["first", 18], ["below", 38], ["at the edge", 72], ["emphasised", 38]]);
});
