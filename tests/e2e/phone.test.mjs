// A phone: no programs, no folder, fingers.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { COMMAND } from "./support/command.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace();

test("a phone starts no program, and searches on a server elsewhere", () =>
  held.withConnectedApp({ kind: "phone" }, async (app) => {
    await app.ready();
    const rows = await app.searchFor("sourdough starter in the fridge");
    const box = await rows.first().boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, "nothing sticks out");
    const row = rows.first().locator(".tree-item-self");
    await touch(row, 800);
    await app.page.getByRole("menu").getByText("Open in new tab").waitFor();
    await app.page.keyboard.press("Escape");
    await rows.first().locator(".notewell-passage").first().tap();
    await until("the note is open", async () => (await app.note()).path === "Kitchen/Starter that sleeps in the cold.md");
    assert.equal(await app.search.isVisible(), false, "the panel makes room for the note");
    assert.equal(app.programs.started.length, 0);
  }));

test("a phone offers no program, only an address", () =>
  held.withApp({ kind: "phone", device: {} }, async (app) => {
    await app.command("open-search");
    await app.search.getByText("A computer of yours with the helper adds meaning here.").waitFor();
    await app.command("settings");
    const options = await app.page.locator(".mod-settings select").first().locator("option").allTextContents();
    assert.deepEqual(options, ["Not set up", "At an address"]);
    await app.page.keyboard.press("Escape");
    await app.search.getByRole("button", { name: "Connect to a computer" }).click();
    await app.page.locator(".mod-settings").waitFor();
    assert.equal(app.programs.started.length, 0);
  }));

test("a phone without a server finds similar notes by meaning, from the file in the vault", async () => {
  const { variables, vault } = await held.sharedWorkspace();
  await promisify(execFile)(COMMAND, ["phone-index", "on", "--yes", "--vault", vault], { env: variables });
  const note = "Mind/Ebbinghaus and the leaky bucket.md";
  await held.withSharedApp({ kind: "phone", device: {}, open: [note] }, async (app) => {
    await app.command("open-similar");
    await app.similar.getByText("by shared links, tags and rare words").waitFor();
    await app.command("settings");
    const row = app.page.locator(".mod-settings .setting-item", { hasText: "Load on mobile" });
    await row.getByText("Not loaded.").waitFor();
    await row.locator(".checkbox-container").click();
    await row.getByText(/MB in memory, \d+ notes, the phone index of/).waitFor();
    await app.page.keyboard.press("Escape");
    await app.similar.getByRole("button", { name: "Only notes that are not linked" }).click(); // asks again
    await app.similar.getByText(/by meaning, from the phone index of/).waitFor();
    assert.ok((await app.similar.locator(".notewell-result").count()) > 0);
    await app.command("open-search");
    await app.search.getByRole("searchbox").fill("forgetting curve");
    await app.search.locator(".notewell-result").first().waitFor();
    assert.deepEqual([app.network.requests.length, app.programs.started.length], [0, 0], "nobody was asked");
  });
});

/** Holds a finger on an element. */
async function touch(locator, ms) {
  await locator.evaluate((el) => {
    const { left, top } = el.getBoundingClientRect();
    const finger = new Touch({ identifier: 1, target: el, clientX: left + 20, clientY: top + 10 });
    el.dispatchEvent(new TouchEvent("touchstart", { touches: [finger], bubbles: true }));
  });
  await locator.page().waitForTimeout(ms);
  await locator.evaluate((el) => el.dispatchEvent(new TouchEvent("touchend", { touches: [], bubbles: true })));
}
