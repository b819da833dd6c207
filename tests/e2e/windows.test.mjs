// Windows beside the first one, and panels that were open when the app was closed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace();
const QUERY = "how memory fades";
const NOTE = "Mind/Ebbinghaus and the leaky bucket.md";

/** The search panel in a window of its own, with what it found. */
async function searchAlone(app) {
  await app.ready();
  await app.command("open-search");
  const popup = await app.moveToWindow("notewell-search");
  const view = popup.locator('[data-type="notewell-search"]');
  await view.getByRole("searchbox").fill(QUERY);
  const rows = view.locator('.notewell-results[aria-busy="false"] .notewell-result');
  await rows.nth(1).waitFor();
  await until("the answer is to this query", () => app.network.reply("/api/search").mode === "hybrid");
  return { popup, view, rows, results: app.network.reply("/api/search").results };
}

test("a result opens in a window of its own, at the passage", () =>
  held.withApp({}, async (app) => {
    await app.ready();
    const rows = await app.searchFor(QUERY);
    const [best] = app.network.reply("/api/search").results;
    const modifiers = ["Control", "Alt", "Shift"];
    const passage = rows.first().locator(".notewell-passage").first();
    const popup = await app.secondWindow(() => passage.click({ modifiers }));
    await popup.locator(".cm-content").waitFor();
    await until("it is the note", async () => (await app.note()).path === best.path);
    const note = await app.note();
    assert.equal(note.line, best.line);
    assert.ok(note.selection.length > 0, "the passage is selected");
    assert.equal((await app.openNotes()).length, 2, "the note in the first window stays");
  }));

test("the search panel works in a window of its own, by mouse", () =>
  held.withConnectedApp({ open: [NOTE] }, async (app) => {
    const { popup, rows, results } = await searchAlone(app);
    assert.equal(await app.search.count(), 0, "it left the first window");
    await rows.first().locator(".collapse-icon").click();
    assert.ok((await rows.first().locator(".notewell-passage").count()) > 1, "it unfolds");
    await rows.nth(1).locator(".tree-item-self").click({ button: "right" });
    await popup.getByRole("menu").getByText("Copy link").click();
    await until("it is copied", async () => (await app.clipboard()).startsWith("[["));
    const other = results.findIndex(({ path }) => path !== NOTE);
    await rows.nth(other).locator(".notewell-passage").first().click();
    await until("the note is open", async () => (await app.note()).path === results[other].path);
    assert.equal(await popup.locator(".cm-content").count(), 0, "in the first window");
  }));

test("there the keyboard works too, and operators are completed", () =>
  held.withConnectedApp({ open: [NOTE] }, async (app) => {
    const { popup, view, results } = await searchAlone(app);
    const field = view.getByRole("searchbox");
    await field.focus();
    await popup.keyboard.press("ArrowDown");
    await popup.keyboard.press("ArrowDown");
    const focused = await popup.evaluate(() => document.activeElement.className);
    assert.match(focused, /notewell-passage/);
    await popup.keyboard.press("Enter");
    await until("the note is open", async () => (await app.note()).path === results[0].path);
    await field.fill("");
    await field.pressSequentially("tag:garden/p");
    await popup.locator(".suggestion-item", { hasText: "garden/pests" }).click();
    assert.match(await field.inputValue(), /^tag:garden\/pests/);
  }));

test("similar notes follow the first window from a window of their own", () =>
  held.withConnectedApp({ open: [NOTE] }, async (app) => {
    await app.ready();
    await app.command("open-similar");
    const popup = await app.moveToWindow("notewell-similar");
    const view = popup.locator('[data-type="notewell-similar"]');
    await view.locator(".notewell-target", { hasText: "Ebbinghaus" }).waitFor();
    await view.locator(".notewell-result").first().click(); // the panel is what was used last
    await app.openNote("Kitchen/Country loaf.md");
    await view.locator(".notewell-target", { hasText: "Country loaf" }).waitFor();
    await view.locator(".notewell-result").first().waitFor();
  }));

test("a panel in its own window acts on the note used last", () =>
  held.withConnectedApp({ open: [NOTE] }, async (app) => {
    const { popup, view, rows } = await searchAlone(app);
    await rows.nth(1).locator(".tree-item-self").click({ button: "right" });
    await popup.getByRole("menu").getByText("Insert link").click();
    await until("the link is written", async () => (await app.note()).text.startsWith("[["));
    await view.getByRole("searchbox").press("Escape");
    await app.page.waitForFunction(() => window.host.app.workspace.activeEditor !== null);
  }));

test("closing a window closes its panel, and the command opens it again", () =>
  held.withConnectedApp({}, async (app) => {
    const { popup } = await searchAlone(app);
    await popup.close();
    await app.page.waitForFunction(
      () => window.host.app.workspace.getLeavesOfType("notewell-search").length === 0,
    );
    const rows = await app.searchFor(QUERY);
    assert.ok((await rows.count()) > 0);
    await app.unload();
  }));

test("open panels are restored, background ones only when they are shown", async () => {
  let panels;
  await held.withApp({}, async (app) => {
    await app.ready();
    await app.searchFor(QUERY);
    await app.command("open-similar");
    await app.search.getByLabel("Sort").click();
    await app.page.getByRole("menu").getByText("Name").click();
    panels = await app.panels();
  });
  const search = panels.find(({ kept }) => kept.type === "notewell-search");
  const similar = panels.find(({ kept }) => kept.type === "notewell-similar");
  assert.deepEqual([search.kept.state.query, search.kept.state.sort], [QUERY, "name"]);
  // Another panel of the same side is in front: ours is not made.
  const options = { panels: [{ ...search, side: "right" }, similar] };
  await held.withApp(options, async (app) => {
    assert.equal(await isDeferred(app, "notewell-search"), true);
    assert.equal(await isDeferred(app, "notewell-similar"), false);
    await app.ready();
    await app.similar.locator(".notewell-result").first().waitFor();
    await app.vault((vault) => vault.create("Unseen.md", "News for a panel that is not there."));
    await app.command("reindex");
    assert.deepEqual(app.network.to("/api/search"), [], "it asks nothing");
    assert.deepEqual((await app.panels())[0].kept.state, search.kept.state, "its state stays");
    await app.command("open-search");
    await app.search.locator(".notewell-result").first().waitFor();
    assert.equal(await app.search.getByRole("searchbox").inputValue(), QUERY);
    assert.equal(await isDeferred(app, "notewell-search"), false);
    assert.equal(await app.page.locator('[data-type="notewell-search"]').count(), 1);
    await app.vault((vault) => vault.delete(vault.getFileByPath("Unseen.md")));
  });
});

test("commands work while both panels are deferred, and unloading leaves neither", () =>
  held.withApp({ panels: ["notewell-search", "notewell-similar", "notewell-diagnostics"].map(atTheBack) }, async (app) => {
    await app.ready();
    await app.openNote(NOTE);
    await app.page.evaluate(() => {
      const { workspace } = window.host.app;
      workspace.setActiveLeaf(workspace.getMostRecentLeaf());
      workspace.activeEditor.editor.setSelection({ line: 9, ch: 0 }, { line: 12, ch: 0 });
    });
    await app.command("similar-to-selection");
    await app.similar.locator(".notewell-target", { hasText: "“" }).waitFor();
    await app.similar.locator(".notewell-result").first().waitFor();
    assert.equal(await isDeferred(app, "notewell-search"), true);
    await app.unload();
    assert.equal((await app.panels()).length, 0);
  }));

/** A panel of which nothing but the kind is known. */
function atTheBack(type) {
  return { side: "right", kept: { type } };
}

function isDeferred(app, type) {
  return app.page.evaluate((wanted) => window.host.app.workspace.getLeavesOfType(wanted)[0].isDeferred, type);
}
