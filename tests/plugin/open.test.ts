/** Opening what is found: a PDF at its page, a canvas at its node, and links to them. */

import { App as FakeApp } from "obsidian-test-mocks/obsidian";
import type { App, WorkspaceLeaf } from "obsidian";
import { beforeEach, expect, it, vi } from "vitest";
import { inLine, linkTo, noteAt, openPlace, subpathOf } from "../../plugin/src/ui/open";
import { openAtLine } from "../../plugin/src/ui/links";
import { ResultRow } from "../../plugin/src/ui/resultRow";
import { aResult } from "./samples";

let app: App;
let openedLinks: unknown[][];

beforeEach(() => {
  const files = { "2026-11-21.md": "# Day", "paper.pdf": "%PDF-", "Plan.canvas": "{}", "Caf\u0065\u0301.pdf": "%PDF-" };
  app = FakeApp.createConfigured__({ files }) as unknown as App;
  openedLinks = [];
  vi.spyOn(app.workspace, "openLinkText").mockImplementation((...given) => {
    openedLinks.push(given);
    return Promise.resolve();
  });
});

/** A tab with a canvas, as far as the app's canvas is known. */
function canvasTab(canvas: unknown): { leaf: WorkspaceLeaf; steps: unknown[] } {
  const steps: unknown[] = [];
  const leaf = app.workspace.getLeaf(true);
  const file = app.vault.getFileByPath("Plan.canvas");
  leaf.view = { file, leaf, canvas } as never;
  vi.spyOn(app.workspace, "getLeavesOfType").mockImplementation((type) => (type === "canvas" ? [leaf] : []));
  vi.spyOn(app.workspace, "setActiveLeaf").mockImplementation((...given) => void steps.push(given[0]));
  return { leaf, steps };
}

it("opens a PDF at its page, and links to the page", async () => {
  const passage = aResult("paper.pdf", { page: 3 });
  await openPlace(app, { path: "paper.pdf", passage }, "tab");
  expect(openedLinks[0]?.slice(0, 3)).toEqual(["paper.pdf#page=3", "paper.pdf", "tab"]);
  expect(linkTo(app, { path: "paper.pdf", passage })).toContain("#page=3");
});

it.each([
  ["", "- [[a]]\n- [[b]]"],
  ["  ", "- [[a]]\n  - [[b]]"],
  ["- ", "[[a]]\n- [[b]]"],
  ["\t* ", "[[a]]\n\t* [[b]]"],
  ["See ", "[[a]], [[b]]"],
])("writes several links after %j as %j", (before, text) => {
  expect(inLine(["[[a]]", "[[b]]"], before)).toBe(text);
  expect(inLine(["[[a]]"], before)).toBe("[[a]]");
});

it("opens a document outside the vault by its address", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  const path = ".documents/Papers/Bees.pdf";
  await openPlace(app, { path, uri: "file:///papers/Bees.pdf#page=3", passage: null }, false);
  await openPlace(app, { path, passage: null }, false);
  const item = "zotero://select/library/items/AAAA1111";
  await openPlace(app, { path: ".documents/.zotero/AAAA1111.md", uri: item, passage: null }, false);
  await openPlace(app, { path: ".documents/.zotero/AAAA1111.md", uri: "javascript:alert(1)", passage: null }, false);
  expect(open.mock.calls).toEqual([["file:///papers/Bees.pdf#page=3"], [item]]);
  expect(openedLinks).toEqual([]);
});

it("opens a link that is saved in a daily note where it was saved", async () => {
  const open = vi.spyOn(app.vault, "getFileByPath");
  await openPlace(app, { path: ".documents/.gleanings/Daily/2026-11-21.md/0123456789ab.md", uri: "obsidian://open", passage: null }, false);
  expect(open.mock.calls.map(([path]) => path)).toEqual(["Daily/2026-11-21.md"]);
});

it("opens it at the line that its address names", async () => {
  await openPlace(app, { path: ".documents/.gleanings/2026-11-21.md/0123456789ab.md", uri: "obsidian://open?vault=V&file=2026-11-21&line=7", passage: null }, false);
  expect(JSON.stringify(openedLinks.at(-1))).toContain('"line":6');
});

it("opens and links a note of another vault by its address, which opens no other program", async () => {
  const open = vi.spyOn(window, "open").mockReturnValue(null);
  open.mockClear();
  const path = ".vaults/Work/a/Bees [1].md";
  const uri = "obsidian://open?vault=Work&file=a%2FBees";
  await openPlace(app, { path, uri, passage: null }, "tab");
  await openPlace(app, { path, uri: "file:///etc/passwd", passage: null }, "tab");
  expect(open.mock.calls).toEqual([[uri]]);
  expect(openedLinks).toEqual([]);
  expect(linkTo(app, { path, uri, passage: null })).toBe(`[Bees \\[1\\]](${uri})`);
});

it("follows a link of the web interface to a line, and one that names none is told", async () => {
  await openAtLine(app, { action: "notewell-open", file: "paper.pdf", line: "12" });
  expect(openedLinks).toEqual([["paper.pdf", "paper.pdf", false, { active: true, eState: { line: 11 } }]]);
  for (const given of [{}, { file: "paper.pdf", line: "0" }, { file: "paper.pdf", line: "x" }, { file: "Gone.md" }]) {
    await openAtLine(app, { action: "notewell-open", ...given } as never);
  }
  expect(openedLinks).toHaveLength(1);
});

it("finds a file whose name is in another Unicode form on disk", () => {
  expect(noteAt(app, "Caf\u00e9.pdf")?.name.normalize()).toBe("Caf\u00e9.pdf");
});

it("reveals an open canvas with the node selected and in the middle", async () => {
  const node = { id: "n1" };
  const done: unknown[] = [];
  const canvas = {
    nodes: new Map([["n1", node]]),
    selectOnly: (chosen: unknown) => done.push(chosen),
    zoomToSelection: () => done.push("zoom"),
  };
  const { leaf, steps } = canvasTab(canvas);
  await openPlace(app, { path: "Plan.canvas", passage: aResult("Plan.canvas", { node: "n1" }) }, false);
  expect([steps, done, openedLinks]).toEqual([[leaf], [node, "zoom"], []]);

  done.length = 0;
  await openPlace(app, { path: "Plan.canvas", passage: aResult("Plan.canvas", { node: "n1" }) }, "tab", false);
  expect([openedLinks.length, done], "in the background nothing is moved").toEqual([1, []]);
});

it.each([
  ["without such a node", { nodes: new Map() }],
  ["of an app whose canvas is another", { nodes: { get: () => ({}) } }],
  ["that is not loaded", undefined],
])("opens a canvas %s as a whole", async (_, canvas) => {
  canvasTab(canvas);
  const place = { path: "Plan.canvas", passage: aResult("Plan.canvas", { node: "n1" }) };
  await openPlace(app, place, "tab");
  expect(openedLinks[0]?.[0]).toBe("Plan.canvas");
  expect(subpathOf(place.passage)).toBe("");
});

it("shows page and embedding notes in a row", () => {
  const row = new ResultRow(document.body);
  const passages = [{ ...aResult("paper.pdf", { page: 7, heading: null }) }];
  row.show(aResult("paper.pdf", { page: 3, heading: null, passages, embedded_in: ["Reading.md"] }), { score: "off", snippetChars: 200, badges: [], titlesOnly: false, heading: null, withFolder: true }, true);
  const faint = [...row.el.querySelectorAll(".notewell-faint")].map((el) => el.textContent);
  expect(faint).toEqual(["in paper.pdf, embedded in Reading", "page 3", "page 7"]);
});
