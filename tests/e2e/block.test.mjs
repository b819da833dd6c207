// Results within a note: the code block `notewell`, and the API that other plugins use.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";
import { violations } from "./web/axe.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
const held = useApp();
const NOTE = [
  "# Bread",
  "",
  "```notewell\nquery: country loaf\nlimit: 2\n```",
  "",
  "```notewell\nsimilar: true\nview: compact\nlimit: 4\nsort: name\n```",
  "",
  "```notewell\nquery: bread\nfolder: Kitchen\n```",
  "",
].join("\n");

before(() => mkdir(OUT, { recursive: true }));

const blocks = (app) => app.page.locator(".notewell-block");
const titles = (block) => block.locator(".notewell-result .tree-item-inner > span").allTextContents();

test("a block shows results, similar notes or what is wrong with it", async () => {
  const { app } = held;
  await app.vault((vault, text) => vault.create("Bread list.md", text), NOTE);
  await app.openNote("Bread list.md");
  await app.page.evaluate(() => {
    const { workspace } = window.host.app;
    return workspace.getLeavesOfType("markdown").find(({ view }) => view.file.path === "Bread list.md").view.preview();
  });
  const [query, similar, wrong] = await blocks(app).all();
  await query.locator(".notewell-passage").first().waitFor();
  assert.equal((await titles(query)).length, 2);
  assert.equal((await titles(query))[0], "Country loaf");
  assert.match(await wrong.textContent(), /“folder” is unknown here; known are query, similar, limit, sort, view, group\./);
  await similar.locator(".notewell-result").first().waitFor();
  assert.equal(await similar.locator(".notewell-passage").count(), 0, "compact rows are titles");
  const names = await titles(similar);
  assert.deepEqual(names, [...names].sort((one, other) => one.localeCompare(other)));
  await app.page.screenshot({ path: join(OUT, "light-block.png") });
  assert.deepEqual(await violations(app.page, ".markdown-preview-view"), [], "axe");
  await query.getByRole("button", { name: "Show more" }).click();
  await until("there are more", async () => (await titles(query)).length > 2);
  await query.locator(".notewell-passage").first().click();
  await until("the note is open", async () => (await app.note()).path?.endsWith("Country loaf.md"));
});

test("other plugins search and hear of changes", async () => {
  const { app } = held;
  const found = await app.page.evaluate(async () => {
    const { api } = window.host.plugin;
    window.heard = [];
    window.endHearing = api.on("generation", (generation) => window.heard.push(generation));
    return [await api.search("country loaf", { limit: 3 }), await api.similar("Home.md", { limit: 2 })];
  });
  assert.deepEqual(found.map(({ version, by }) => [version, by]), [[1, "meaning"], [1, "meaning"]]);
  assert.equal(found[0].results[0].title, "Country loaf");
  assert.ok(found[1].results.length <= 2 && found[1].results.every(({ path }) => path !== "Home.md"));
  await app.vault((vault) => vault.create("Rye.md", "Rye bread is dark."));
  await until("it was told", () => app.page.evaluate(() => window.heard.length > 0));
  await app.page.evaluate(() => window.endHearing());
});

test("similar notes stand below the note, follow it, and go when the setting does", async () => {
  const { app } = held;
  const footer = app.page.locator(".notewell-footer");
  await app.openNote("Home.md");
  assert.equal(await footer.count(), 0, "off unless it was chosen");
  await app.setting("Similar notes below the note", (row) => row.locator(".checkbox-container").click());
  await footer.locator(".tree-item-self").first().waitFor();
  assert.equal(await footer.locator('[data-path="Home.md"]').count(), 0);
  assert.ok((await footer.locator(".tree-item-self").count()) <= 5 * (await footer.count()));
  await app.setting("Similar notes below the note", (row) => row.locator(".checkbox-container").click());
  await footer.first().waitFor({ state: "detached" });
});
