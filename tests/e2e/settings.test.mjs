// Settings, the status bar's menu, and the views for when something is wrong.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();

async function openSettings() {
  await held.app.command("settings");
  return held.app.page.locator(".mod-settings");
}

const row = (dialog, name) =>
  dialog.locator(".setting-item").filter({ has: held.app.page.locator(".setting-item-name", { hasText: new RegExp(`^${name}$`) }) });

test("there are at most twenty-five rows, and those of the other mode are hidden", async () => {
  const dialog = await openSettings();
  assert.ok((await dialog.locator(".setting-item:not(.setting-item-heading)").count()) <= 25);
  assert.equal(await row(dialog, "Program").isVisible(), true);
  assert.equal(await row(dialog, "Address").isVisible(), false);
});

test("the file for phones is written on a page of the server, which a button opens, and which says where it goes", async () => {
  const { app } = held;
  const dialog = await openSettings();
  await app.page.evaluate(() => (window.open = (address) => ((window.opened = address), null)));
  await row(dialog, "Meaning on phones").getByRole("button", { name: "Open the page" }).click();
  const page = await app.context.newPage();
  await page.goto(await app.page.evaluate(() => window.opened));
  await page.getByText(/Off. About \d+ kB would be written into this vault as notewell-phone-index.bin/).waitFor();
  await page.getByRole("button", { name: "Write it…" }).click();
  await page.getByRole("button", { name: /^Really write .*notewell-phone-index.bin/ }).click();
  await page.getByText(/On: notewell-phone-index.bin in this vault, \d+ kB/).waitFor();
  assert.ok((await app.folder.times("notewell-phone-index.bin")).size > 10_000);
  await page.getByRole("button", { name: "Delete the file" }).click();
  await page.getByText(/Off. About/).waitFor();
  await page.close();
  assert.equal(await app.folder.times("notewell-phone-index.bin"), null);
  await app.page.keyboard.press("Escape");
});

test("a setting is stored in the vault, or on this device if it concerns the device", async () => {
  const { app } = held;
  const dialog = await openSettings();
  await row(dialog, "Open in a new tab").locator(".checkbox-container").click();
  await row(dialog, "Start with the app").locator(".checkbox-container").click();
  await row(dialog, "Score").locator("select").selectOption("bar");
  await until("it is kept", async () => (await app.data())?.score === "bar");
  assert.equal((await app.data()).openInNewTab, true);
  assert.equal((await app.data()).autostart, undefined);
  assert.equal((await app.device()).autostart, false);
  await row(dialog, "Start with the app").locator(".checkbox-container").click();
  assert.equal((await app.device()).autostart, true);
  await app.page.keyboard.press("Escape");
  const rows = await app.searchFor("bread");
  await rows.first().locator(".notewell-score.mod-bar").waitFor();
  const before = (await app.openNotes()).length;
  await rows.first().locator(".tree-item-self").click();
  await until("a plain click opens a tab", async () => (await app.openNotes()).length === before + 1);
});

test("it says why a note is not found", async () => {
  const dialog = await openSettings();
  const field = row(dialog, "Why is a note not found\\?");
  await field.locator("input").fill("Templates/Daily note.md");
  await field.getByText("This note is excluded").waitFor();
  await field.locator("input").fill("Home.md");
  await field.getByText("Indexed.").waitFor();
  await field.locator("input").fill("Nowhere.md");
  await until("it says something else", async () => !(await field.textContent()).includes("Indexed."));
});

test("the word index tells its size, is built again, and can do without the text of notes", async () => {
  const { app } = held;
  const dialog = await openSettings();
  const index = row(dialog, "Word index on this device");
  await index.getByText(/\d+ notes, \d+\.\d MB of text/).waitFor();
  await index.getByRole("button", { name: "Rebuild" }).click();
  await row(dialog, "Read the text of notes").locator(".checkbox-container").click();
  await index.getByText("0.0 MB of text").waitFor();
  assert.equal((await app.device()).localText, false);
  await row(dialog, "Read the text of notes").locator(".checkbox-container").click();
});

test("what was agreed to is told, and earlier searches are forgotten", async () => {
  const { app } = held;
  await app.searchFor("bread");
  await app.search.locator(".tree-item-self").first().click();
  const dialog = await openSettings();
  await row(dialog, "What you agreed to").getByText("The program on this computer is started").waitFor();
  await row(dialog, "Earlier searches").getByRole("button", { name: "Forget" }).click();
  await row(dialog, "Earlier searches").getByText("None.").waitFor();
  assert.deepEqual((await app.device()).history, []);
});

test("an invalid address is not stored", async () => {
  const { app } = held;
  const dialog = await openSettings();
  await row(dialog, "Server").locator("select").selectOption("remote");
  await row(dialog, "Address").locator("input").fill("http://");
  await row(dialog, "Address").getByText("This is not a valid address.").waitFor();
  assert.equal((await app.device()).address, "");
  await row(dialog, "Server").locator("select").selectOption("local");
  await app.page.keyboard.press("Escape");
  await app.page.waitForTimeout(1_000); // the new server is met when the typing rests
  await app.ready();
});

test("the status bar shows the state, and its menu the possible actions", async () => {
  const { app } = held;
  await app.statusBar.click();
  const menu = app.page.getByRole("menu");
  await menu.getByText("Show index status").click();
  await until("it is said", async () => (await app.notices()).some((notice) => /\d+ notes, \d+ passages/.test(notice)));
  await app.statusBar.click();
  await menu.getByText("Pause indexing").click();
  await app.statusBar.filter({ hasText: "paused" }).waitFor();
  await app.command("open-search");
  await app.search.getByText("Indexing is paused").waitFor();
  await app.search.getByRole("button", { name: "Resume" }).click();
  await app.ready();
});

test("reindexing everything asks for confirmation", async () => {
  const { app } = held;
  const before = app.network.to("/api/reindex").length;
  await app.command("reindex-all");
  await app.page.getByRole("dialog").getByRole("button", { name: "Not now" }).click();
  assert.equal(app.network.to("/api/reindex").length, before);
  await app.command("reindex-all");
  await app.page.getByRole("dialog").getByRole("button", { name: "Reindex" }).click();
  await until("it is asked for", () => app.network.to("/api/reindex").length === before + 1);
  await app.ready();
});

test("notes that could not be indexed are listed", async () => {
  const { app } = held;
  await app.command("errors");
  await app.page.getByRole("dialog").getByText("All notes could be indexed.").waitFor();
});

test("diagnostics are copied without names, text or token", async () => {
  const { app } = held;
  await app.searchFor("secret country loaf");
  await app.command("copy-diagnostics");
  const text = await until("they are copied", app.clipboard.bind(app));
  assert.match(text, /GET \/api\/search 200/);
  assert.doesNotMatch(text, /secret|Home|Bearer/);
});

test("the diagnostics view shows requests", async () => {
  const { app } = held;
  await app.command("open-diagnostics");
  const view = app.page.locator('[data-type="notewell-diagnostics"]');
  await view.getByText("GET /api/status 200").first().waitFor();
});
