// The search panel.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";
import { violations } from "./web/axe.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
before(() => mkdir(OUT, { recursive: true }));

const held = useApp();
const QUERY = "how memory fades";

/** The results that are shown: weak ones are folded. */
const matching = (app) => app.network.reply("/api/search").results.filter(({ match }) => match !== "weak");
const passages = (row) => row.locator(".notewell-passage");

test("results come as one types, with their matches marked", async () => {
  const { app } = held;
  await app.command("open-search");
  const before = app.network.to("/api/search").length;
  // Within the page, where no key is late: on a busy machine every one would follow a pause.
  await app.search.getByRole("searchbox").evaluate((field) => {
    for (const key of "sourdough starter in the fridge") {
      field.value += key;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  const asked = () => app.network.to("/api/search").slice(before);
  await until("the answer is in", () => asked().some(({ status }) => status !== 0));
  await app.search.locator('.notewell-results[aria-busy="false"] .notewell-result').first().waitFor();
  const modes = asked().map(({ url }) => url.searchParams.get("mode"));
  assert.deepEqual(modes, ["hybrid"], "not every key is a request");
  const marked = await app.search.locator(".search-result-file-matched-text").allTextContents();
  assert.ok(marked.some((text) => /sourdough|starter|fridge/i.test(text)));
  assert.match(await app.search.locator(".search-results-result-count").textContent(), /\d+ notes?/);
});

test("a click opens the note at the passage, which is selected", async () => {
  const { app } = held;
  const rows = await app.searchFor(QUERY);
  const [best] = app.network.reply("/api/search").results;
  await passages(rows.first()).first().click();
  await until("the note is open", async () => (await app.note()).path === best.path);
  const note = await app.note();
  assert.equal(note.line, best.line);
  assert.equal(note.selection.split("\n")[0], note.text.split("\n")[best.line - 1]);
});

test("Ctrl and the middle button open tabs, Ctrl and Alt a split", async () => {
  const { app } = held;
  const rows = await app.searchFor(QUERY);
  const results = matching(app);
  const before = (await app.openNotes()).length;
  await passages(rows.nth(1)).first().click({ modifiers: ["Control"] });
  await until("a tab is open", async () => (await app.openNotes()).length === before + 1);
  await passages(rows.nth(2)).first().click({ button: "middle" });
  await until("another tab is open", async () => (await app.openNotes()).length === before + 2);
  await passages(rows.nth(3)).first().click({ modifiers: ["Control", "Alt"] });
  await until("it is open beside", async () => (await app.openNotes()).length === before + 3);
  assert.equal(await app.page.locator(".mod-root > .workspace-tabs").count(), 2);
  const open = await app.openNotes();
  for (const { path } of results.slice(1, 4)) assert.ok(open.includes(path), path);
});

test("a note that is already open is shown", async () => {
  const { app } = held;
  const rows = await app.searchFor(QUERY);
  const results = matching(app);
  const before = await app.openNotes();
  await passages(rows.nth(1)).first().click();
  await until("it is in front", async () => (await app.note()).path === results[1].path);
  assert.deepEqual(await app.openNotes(), before);
});

test("the keyboard moves through the list, and Escape returns to the note", async () => {
  const { app } = held;
  await app.searchFor(QUERY);
  const { keyboard } = app.page;
  const focused = () => app.page.evaluate(() => document.activeElement.className);
  await app.search.getByRole("searchbox").focus();
  await keyboard.press("ArrowDown");
  assert.match(await focused(), /tree-item-self/);
  await keyboard.press("ArrowDown");
  assert.match(await focused(), /notewell-passage/);
  await keyboard.press("Enter");
  const [best] = app.network.reply("/api/search").results;
  await until("the note is open", async () => (await app.note()).path === best.path);
  await app.search.locator(".tree-item-self").first().focus();
  await keyboard.press("ArrowUp");
  assert.match(await app.page.evaluate(() => document.activeElement.tagName), /INPUT/);
  await keyboard.press("Escape");
  assert.match(await focused(), /cm-content/);
});

test("Ctrl and the pointer show a preview", async () => {
  const { app } = held;
  const rows = await app.searchFor(QUERY);
  await app.page.keyboard.down("Control");
  await passages(rows.first()).first().hover();
  await app.page.locator(".hover-popover").waitFor();
  await app.page.keyboard.up("Control");
  await app.page.mouse.move(700, 20);
  await app.page.locator(".hover-popover").waitFor({ state: "detached" });
});

test("a result that is dragged into a note becomes a link to the passage", async () => {
  const { app } = held;
  await app.openNote("Home.md");
  const rows = await app.searchFor("sourdough that is kept in the fridge");
  const [best] = app.network.reply("/api/search").results;
  await rows.first().locator(".notewell-passage").first().dragTo(app.page.locator(".cm-content:visible").first());
  const name = best.path.replace(/^.*\/|\.md$/g, "");
  await until("the link is written", async () => (await app.note()).text.includes(`[[${name}#`));
});

test("the context menu opens, links and copies, and lets other plugins add to it", async () => {
  const { app } = held;
  await app.openNote("Home.md");
  await app.page.evaluate(() => {
    window.host.app.workspace.on("file-menu", (menu, file) => {
      menu.addItem((item) => item.setTitle(`Another plugin: ${file.name}`));
    });
  });
  const rows = await app.searchFor("sourdough that is kept in the fridge");
  const menu = app.page.getByRole("menu");
  await rows.first().locator(".tree-item-self").click({ button: "right" });
  await menu.getByText("Another plugin: Starter that sleeps in the cold.md").waitFor();
  await menu.getByText("Copy link").click();
  assert.match(await app.clipboard(), /^\[\[Starter that sleeps in the cold/);
  await rows.first().locator(".tree-item-self").click({ button: "right" });
  const before = (await app.note()).text.length;
  await menu.getByText("Insert link").click();
  await until("the link is written", async () => (await app.note()).text.length > before);
});

test("results are copied as links, sorted, unfolded, and shown with more context", async () => {
  const { app } = held;
  const rows = await app.searchFor(QUERY);
  const results = matching(app);
  await app.search.getByLabel("Copy results as links").click();
  const lines = (await app.clipboard()).split("\n");
  assert.equal(lines.length, results.length);
  for (const line of lines) assert.match(line, /^- \[\[.+\]\]$/);
  await app.search.getByLabel("Change sort order").click();
  await app.page.getByRole("menu").getByText("Name, a to z").click();
  const titles = await rows.locator(".tree-item-inner > span").allTextContents();
  assert.deepEqual(titles, [...titles].sort((a, b) => a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" })));
  await app.search.getByLabel("Change sort order").click();
  await app.page.getByRole("menu").getByText("Relevance").click();
  const folded = await passages(rows).count();
  await app.search.getByLabel("Show all passages").click();
  const all = results.reduce((sum, { passages: further }) => sum + 1 + further.length, 0);
  assert.ok(all > folded);
  assert.equal(await passages(rows).count(), all);
  await app.search.getByLabel("Show more context").click();
  assert.ok((await rows.count()) > 0);
});

test("results are grouped by folder", async () => {
  const { app } = held;
  const rows = await app.searchFor("sourdough bread in the garden");
  const choose = async () => {
    await app.search.getByLabel("Change sort order").click();
    await app.page.getByRole("menu").getByText("Group by folder").click();
  };
  await choose();
  const headings = await app.search.locator(".notewell-result > .notewell-title").allTextContents();
  const folders = await rows.locator(".tree-item-self").evaluateAll((els) => els.map((el) => el.dataset.path.split("/").slice(0, -1).join("/") || "Top folder"));
  assert.deepEqual(headings, [...new Set(folders)], "each folder once, above its notes");
  assert.ok(headings.length > 1);
  await app.page.screenshot({ path: join(OUT, "light-folders.png") });
  await choose();
  const groups = await app.search.locator(".notewell-result > .notewell-title").allTextContents();
  assert.deepEqual(groups, ["Best", "Related"].filter((group) => groups.includes(group)), "by match again, each said once");
});

test("several results are selected by keys or the pointer, inserted, copied and dragged", async () => {
  const { app } = held;
  const { keyboard } = app.page;
  await app.openNote("Home.md");
  const rows = await app.searchFor(QUERY);
  const [first, second, third] = matching(app).map(({ title }) => title);
  const selected = () => app.search.locator(".notewell-result.is-selected .tree-item-inner > span").allTextContents();
  await rows.first().locator(".tree-item-self").focus();
  await keyboard.press("Shift+ArrowDown");
  assert.deepEqual(await selected(), [first, second]);
  await keyboard.press("Control+c");
  await until("they are copied", async () => (await app.clipboard()).split("\n").length === 2);
  await keyboard.press("Escape");
  assert.deepEqual(await selected(), []);

  await rows.nth(2).locator(".tree-item-self").click({ modifiers: ["Alt"] });
  await rows.first().locator(".tree-item-self").click({ modifiers: ["Alt"] });
  assert.deepEqual(await selected(), [first, third]);
  await rows.nth(1).locator(".tree-item-self").click({ modifiers: ["Shift"] });
  assert.deepEqual(await selected(), [first, second], "from the one that was clicked last");
  await rows.nth(2).locator(".tree-item-self").click({ modifiers: ["Shift"] });
  assert.deepEqual(await selected(), [first, second, third]);
  await app.search.getByText("3 selected").waitFor();
  await app.page.screenshot({ path: join(OUT, "light-selection.png") });
  assert.deepEqual(await violations(app.page, '[data-type="notewell-search"] .search-result-container'), [], "axe");

  const before = (await app.note()).text;
  await app.search.getByRole("button", { name: "Insert links" }).click();
  await until("all are linked", async () => (await app.note()).text.split("[[").length === before.split("[[").length + 3);
  assert.ok((await app.note()).text.startsWith(`- [[${first}`), "as a list where a line begins");

  await rows.nth(1).locator(".tree-item-self").dragTo(app.page.locator(".cm-content:visible").first());
  await until("they are dropped", async () => (await app.note()).text.split("[[").length === before.split("[[").length + 6);
  await app.search.getByRole("button", { name: "Clear" }).click();
  assert.deepEqual(await selected(), []);
});

test("one note is searched by meaning, and what is found is scrolled to", async () => {
  const { app } = held;
  const { keyboard } = app.page;
  const box = app.page.locator(".notewell-in-note:visible");
  await app.openNote("Kitchen/Country loaf.md");
  await app.page.locator(".cm-content:visible").first().click();
  await app.command("search-in-note");
  await keyboard.type("bake the loaf with a lid");
  await box.getByText(/^1 of \d+$/).waitFor();
  const reply = app.network.reply("/api/search");
  assert.match(reply.query, /path:"Kitchen\/Country loaf.md"/);
  const [best] = reply.results.filter(({ path }) => path === "Kitchen/Country loaf.md");
  assert.equal((await app.note()).line, best.line, "the note is at the best passage");
  await keyboard.press("Enter");
  await box.getByText(/^2 of \d+$/).waitFor();
  assert.notEqual((await app.note()).line, best.line);
  assert.equal(await box.locator('[aria-selected="true"]').count(), 1);
  const shape = await box.boundingBox();
  assert.ok(shape.y > 30 && shape.y < 80, "it stays in the corner of the note");
  await app.page.screenshot({ path: join(OUT, "light-in-note.png") });
  assert.deepEqual(await violations(app.page, ".notewell-in-note"), [], "axe");
  await keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
  assert.match(await app.page.evaluate(() => document.activeElement.className), /cm-content/);
  await app.command("search-in-note");
  await app.openNote("Home.md");
  await box.waitFor({ state: "detached" });
});

test("operators are completed from the vault", async () => {
  const { app } = held;
  await app.command("open-search");
  const field = app.search.getByRole("searchbox");
  await field.fill("");
  await field.pressSequentially("slugs tag:garden/p");
  await app.page.locator(".suggestion-item", { hasText: "garden/pests" }).waitFor();
  await app.page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), "slugs tag:garden/pests ");
  await app.search.locator('.notewell-results[aria-busy="false"] .notewell-result').first().waitFor();
  const { results } = await until("the filter is asked for", () => {
    const reply = app.network.reply("/api/search");
    return reply.query.includes("tag:garden/pests") && reply;
  });
  assert.ok(results.length > 0);
  for (const { tags } of results) assert.ok(tags.includes("garden/pests"));
});

test("an empty field offers saved and recent searches", async () => {
  const { app } = held;
  await app.searchFor(QUERY);
  await app.search.getByLabel("Save this search").click();
  await app.search.getByRole("searchbox").press("Enter");
  await app.search.getByLabel("Clear search").click();
  await app.search.getByText("Saved searches").waitFor();
  await app.search.getByText("Recent searches").waitFor();
  assert.deepEqual((await app.data()).savedSearches, [QUERY]);
  await app.search.getByRole("button", { name: QUERY }).first().click();
  await app.search.locator(".notewell-result").first().waitFor();
  assert.equal(await app.search.getByRole("searchbox").inputValue(), QUERY);
});

test("later results do not move the row under the pointer", async () => {
  const { app } = held;
  await app.searchFor("bread");
  const results = matching(app);
  const rows = app.search.locator(".notewell-result");
  await rows.nth(2).hover(); // above the row before it stands the name of its group
  app.network.trouble = async ({ url }) => {
    if (url.searchParams.get("mode") !== "hybrid") return undefined;
    const reply = { ...app.network.reply("/api/search"), results: [...results].reverse() };
    return { status: 200, headers: {}, text: JSON.stringify(reply) };
  };
  const held1 = await rows.nth(2).locator(".tree-item-inner > span").textContent();
  await app.search.getByRole("searchbox").press("Enter");
  await until("the answer is in", () => app.network.reply("/api/search").results[0].path === results.at(-1).path);
  await app.page.waitForTimeout(100);
  assert.equal(await rows.nth(2).locator(".tree-item-inner > span").textContent(), held1);
  await app.page.mouse.move(700, 300);
  await until("the better order is taken", async () =>
    (await rows.first().locator(".tree-item-inner > span").textContent()) === results.at(-1).title,
  );
});

test("a refresh does not remove the row that is being pressed", async () => {
  const { app } = held;
  const rows = await app.searchFor(QUERY);
  const path = await rows.nth(1).locator("[data-path]").getAttribute("data-path");
  await passages(rows.nth(1)).first().hover();
  await app.page.mouse.down();
  const before = app.network.to("/api/search").length;
  await app.vault((vault) => vault.create("News.md", "How memory fades, once more."));
  await until("it is asked again", async () => {
    await app.page.evaluate(() => window.dispatchEvent(new Event("focus"))); // looks for news now
    return app.network.to("/api/search").length > before;
  });
  await app.page.waitForTimeout(300);
  await app.page.mouse.up();
  await until("the note is open", async () => (await app.note()).path === path);
});

test("a message says that nothing was found", async () => {
  const { app } = held;
  await app.command("open-search");
  await app.search.getByRole("searchbox").fill('"no note says these very words"');
  await app.search.getByText("No notes found").waitFor();
});
