// A view of the app's Bases: a base's notes by likeness, with a server and without one.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";
import { violations } from "./web/axe.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
const held = useWorkspace();

before(() => mkdir(OUT, { recursive: true }));

/** A vault with a note that has a property. */
async function withApp(options, use) {
  await writeFile(join(held.workspace.vault, "Kitchen/Rye.md"), "---\nstatus: draft\n---\nRye bread keeps for a week.");
  await held.withApp(options, use);
}

/** Opens a base of the notes of these folders. */
const openBase = (app, base = {}) =>
  app.page.evaluate(
    ([folders, given]) => {
      const paths = window.host.app.vault.getMarkdownFiles().map(({ path }) => path);
      const own = paths.filter((path) => folders.some((folder) => path.startsWith(folder)));
      return window.host.app.openBase("notewell", { name: "Likeness", paths: own, order: ["file.name", "note.status"], options: {}, ...given });
    },
    [["Kitchen/", "Mind/"], base],
  );

const titles = (base) => base.locator(".notewell-result .tree-item-inner > span").allTextContents();

for (const dark of [false, true]) {
  test(`a base's notes stand in the order of a query's match, or of likeness to a note, ${dark ? "dark" : "light"}`, () =>
    withApp({ isDark: dark, open: ["Home.md"] }, async (app) => {
      await app.ready();
      await openBase(app, { options: { query: "sourdough bread" } });
      const base = app.page.locator(".notewell-base");
      await base.locator(".notewell-result").first().waitFor();
      const all = await titles(base);
      assert.ok(all.length > 10 && new Set(all).size === all.length, "each note of the base once, and no other");
      assert.match(all[0], /loaf|bread|sourdough/i);
      assert.match(await base.locator('[data-path="Kitchen/Rye.md"]').textContent(), /status: draft/);
      assert.equal(await base.locator(".notewell-result > .notewell-title").first().textContent(), "Best");
      await base.getByRole("status").getByText(`${all.length} notes`).waitFor();
      await app.page.screenshot({ path: join(OUT, `${dark ? "dark" : "light"}-base.png`) });
      assert.deepEqual(await violations(app.page, ".notewell-base"), [], "axe");

      const least = app.page.locator(".bases-header").getByLabel("Least match");
      await least.selectOption("related");
      await base.getByRole("status").getByText("with less likeness").waitFor();
      assert.ok((await titles(base)).length < all.length);
      await least.selectOption("weak");

      await app.page.locator(".bases-header").getByLabel("Order by a query").fill("");
      await app.page.locator(".bases-header").getByLabel("or by likeness to a note").fill("Method of loci");
      await app.page.keyboard.press("Tab");
      await until("another note comes first", async () => (await titles(base))[0] !== all[0]);
      const like = await titles(base);
      assert.ok(!like.includes("Method of loci"), "the note itself is left out");
      assert.equal(await base.locator(".notewell-result .is-clickable").first().getAttribute("data-path").then((path) => path.split("/")[0]), "Mind");
    }));
}

test("the notes are those of the base's groups, and the open note counts where nothing is chosen", () =>
  withApp({ open: ["Mind/Method of loci.md"] }, async (app) => {
    await app.ready();
    await openBase(app, { groupBy: "note.status" });
    const base = app.page.locator(".notewell-base");
    await base.locator(".notewell-result").first().waitFor();
    await until("groups have their names", async () => (await base.locator(":scope > div > .notewell-title").allTextContents()).includes("draft"));
    const before = await titles(base);
    await app.page.evaluate(async () => {
      const { vault, workspace } = window.host.app;
      const [leaf] = workspace.getLeavesOfType("markdown");
      await leaf.openFile(vault.getFileByPath("Kitchen/Country loaf.md"));
      workspace.setActiveLeaf(leaf);
    });
    await until("it follows the open note", async () => (await titles(base)).join() !== before.join() && (await titles(base)).length > 0);
  }));

test("without a server, words and links order them, and it says so", () =>
  withApp({ device: {}, open: ["Home.md"] }, async (app) => {
    await openBase(app, { options: { query: "sourdough" } });
    const base = app.page.locator(".notewell-base");
    await base.getByRole("status").getByText("words only").waitFor();
    await until("the best comes first", async () => /sourdough|loaf|starter/i.test((await titles(base))[0] ?? ""));
    await openBase(app, { options: {} });
    await app.unload();
    assert.equal(await app.page.evaluate(() => window.host.app.basesViews.size), 0);
  }));
