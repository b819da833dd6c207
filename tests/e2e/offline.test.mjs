// No server at all: names at once, words soon, what is excluded never; then a server comes, and nothing jumps.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { HERE } from "./support/app.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace();
const rows = (app) => app.search.locator(".notewell-result");
const titles = (app) => app.search.locator(".notewell-result .tree-item-inner > span").allTextContents();

/** Types into the search panel and waits for the word index's answer. */
async function find(app, query) {
  await app.command("open-search");
  await app.search.getByRole("searchbox").fill(query);
  await app.search.locator('.notewell-results[aria-busy="false"]').waitFor({ state: "attached" });
  await app.search.getByText("words only").waitFor();
  return titles(app);
}

test("a new installation finds names at once, text soon, and says that it searches by words", () =>
  held.withApp({ device: {} }, async (app) => {
    await app.command("quick-search");
    const field = app.page.locator(".prompt-input");
    const atOnce = await field.evaluate((input) => {
      input.value = "starter";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      return [...document.querySelectorAll(".prompt .suggestion-title")].map((el) => el.textContent);
    });
    assert.ok(atOnce.includes("Starter that sleeps in the cold"), `within the key: ${atOnce.join()}`);
    await app.page.keyboard.press("Escape");
    await until("the text is read", async () => (await find(app, "sourdough fridge")).length > 0);
    assert.match((await titles(app))[0], /Starter that sleeps in the cold/);
    assert.ok((await app.search.locator(".search-result-file-matched-text").count()) > 0);
    assert.deepEqual(await find(app, '"no such words in it"'), []);
    await app.search.getByText("No notes found").waitFor();
    await app.search.getByText("must match exactly").waitFor();
    assert.deepEqual(await find(app, "xyzzyqq plugh"), []);
    await app.search.getByText("The helper adds meaning").waitFor();
    await app.search.getByRole("button", { name: "Set up", exact: true }).waitFor();
    await find(app, "sourdogh"); // a letter is missing
    assert.match((await titles(app)).join(), /Starter/);
    assert.deepEqual([app.network.requests.length, app.programs.started.length], [0, 0], "nobody was asked");
  }));

test("where a person switches it on, both panels open; where the app starts with it, none does", async () => {
  const panels = (app) => app.page.locator('[data-type^="notewell"]').count();
  await held.withApp({ device: {}, isEnabledByUser: true }, async (app) => {
    await app.search.waitFor();
    await app.similar.waitFor({ state: "attached" });
    assert.equal(await panels(app), 2);
  });
  await held.withApp({ device: {} }, async (app) => {
    await app.statusBar.first().waitFor();
    assert.equal(await panels(app), 0);
  });
});

test("similar notes come from links, tags and rare words", () =>
  held.withApp({ device: {}, open: ["Mind/Ebbinghaus and the leaky bucket.md"] }, async (app) => {
    await app.command("open-similar");
    await app.similar.locator(".notewell-result").first().waitFor();
    await app.similar.getByText("by shared links, tags and rare words").waitFor();
  }));

test("excluded folders are not searched", () =>
  held.withApp({ device: {}, excluded: ["Mind/"] }, async (app) => {
    assert.deepEqual(await find(app, "path:Mind/"), []);
    assert.ok((await find(app, "path:Kitchen/")).length > 0);
  }));

test("a server that starts adds semantic results, and the row under the pointer stays", () =>
  held.withApp({ device: { ...HERE, autostart: false } }, async (app) => {
    await until("the text is read", async () => (await find(app, "memory fades")).length > 1);
    const row = rows(app).nth(1);
    await row.hover();
    const [before, place] = [await titles(app), await row.boundingBox()];
    await app.command("start");
    await app.ready();
    await until("the server's answer is shown", async () => (await app.search.getByText("words only").count()) === 0);
    assert.deepEqual((await titles(app)).slice(0, 2), before.slice(0, 2));
    assert.equal((await row.boundingBox()).y, place.y);
    await app.page.mouse.move(0, 0); // now the list may be put in order
    await until("the ranking is the server's", async () => (await titles(app))[0] === app.network.reply("/api/search").results[0].title);
  }));

test("a passage stands under the heading that the app's own metadata has, whatever a fence looks like", async () => {
  const text =
    "## Grafting\n\n```md\n## No heading\n```\n\nWhip and tongue for medlarwood.\n\n## Cleaving\n\nCleft for quincewood.\n";
  await writeFile(join(held.workspace.vault, "Trees.md"), text);
  await held.withApp({ device: {} }, async (app) => {
    await until("it is read", async () => (await find(app, "medlarwood")).length > 0);
    const shown = async (query) => {
      await find(app, query);
      return rows(app).first().textContent();
    };
    assert.match(await shown("medlarwood"), /Grafting/);
    assert.doesNotMatch(await shown("medlarwood"), /No heading/);
    assert.match(await shown("quincewood"), /Cleaving/);
  });
});
