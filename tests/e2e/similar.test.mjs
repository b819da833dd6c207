// The panel with similar notes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();
const MEMORY = "Mind/Ebbinghaus and the leaky bucket.md";
const BREAD = "Kitchen/Country loaf.md";
const FORGETTING = "Mind/Ebbinghaus and the leaky bucket.md";

const rows = () => held.app.similar.locator('.notewell-results[aria-busy="false"] .notewell-result');
const paths = () => rows().locator(".tree-item-self").evaluateAll((els) => els.map((el) => el.dataset.path));

/** Opens a note and waits until the panel shows its neighbours. */
async function follow(path) {
  const { app } = held;
  await app.command("open-similar");
  await app.openNote(path);
  const name = path.replace(/^.*\/|\.md$/g, "");
  await app.similar.locator(".notewell-target", { hasText: name }).waitFor();
  await rows().first().waitFor();
}

test("it follows the active note, and never shows that note itself", async () => {
  await follow(MEMORY);
  const ofMemory = await paths();
  assert.ok(ofMemory.includes("Mind/Spaced repetition, the short version.md"));
  assert.ok(!ofMemory.includes(MEMORY));
  await follow(BREAD);
  const ofBread = await paths();
  assert.ok(!ofBread.includes(BREAD));
  assert.notDeepEqual(ofBread, ofMemory);
});

test("linked notes have a badge, and can be left out", async () => {
  const { app } = held;
  await follow(MEMORY);
  assert.ok((await rows().locator(".notewell-badge").allTextContents()).includes("linked"));
  await app.similar.getByLabel("Only notes that are not linked").click();
  await until("no linked note is left", async () => {
    const [all, linked] = [await rows().count(), await rows().locator(".notewell-badge").count()];
    return all > 0 && linked === 0;
  });
  await app.similar.getByLabel("Only notes that are not linked").click();
  await rows().locator(".notewell-badge").first().waitFor();
});

test("it can be pinned to one note", async () => {
  const { app } = held;
  await follow(MEMORY);
  const before = await paths();
  await app.similar.getByLabel("Pin this note").click();
  await app.openNote(BREAD);
  await app.page.waitForTimeout(600);
  assert.deepEqual(await paths(), before);
  await app.similar.getByLabel("Pin this note").click();
  await app.similar.locator(".notewell-target", { hasText: "Country loaf" }).waitFor();
});

test("notes are hidden and pinned per note, and stored in the vault", async () => {
  const { app } = held;
  await follow(MEMORY);
  const [first, , third] = await paths();
  const menu = app.page.getByRole("menu");
  await app.similar.locator(`[data-path="${first}"]`).click({ button: "right" });
  await menu.getByText("Hide here").click();
  await until("it is gone", async () => !(await paths()).includes(first));
  await app.similar.locator(`[data-path="${third}"]`).click({ button: "right" });
  await menu.getByText("Pin here").click();
  await until("it is on top", async () => (await paths())[0] === third);
  assert.deepEqual((await app.data()).marks[MEMORY], { hidden: [first], pinned: [third] });
  await follow(BREAD);
  await follow(MEMORY);
  const again = await paths();
  assert.equal(again[0], third);
  assert.ok(!again.includes(first));
  await app.similar.getByText("Show 1 hidden").click();
  await until("it is back", async () => (await paths()).includes(first));
  await app.similar.locator(`[data-path="${third}"]`).click({ button: "right" });
  await menu.getByText("Unpin here").click();
  await until("it is in its place", async () => (await paths())[0] !== third);
});

test("dropped text is searched for", async () => {
  const { app } = held;
  await follow(MEMORY);
  await app.similar.locator(".view-content").evaluate((el) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData("text/plain", "A dough that rises overnight in a cold room");
    el.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await app.similar.locator(".notewell-target", { hasText: "A dough that rises" }).waitFor();
  await until("bread is found", async () => (await paths()).some((path) => path?.startsWith("Kitchen/")));
  await app.similar.getByLabel("Pin this note").click();
});

test("notes similar to the selection are found by command", async () => {
  const { app } = held;
  await follow(MEMORY);
  await app.page.evaluate(() => {
    const { activeEditor } = window.host.app.workspace;
    activeEditor.editor.setSelection({ line: 9, ch: 0 }, { line: 14, ch: 0 });
  });
  assert.equal(await app.isPossible("similar-to-selection"), true);
  await app.command("similar-to-selection");
  await app.similar.locator(".notewell-target", { hasText: "“" }).waitFor();
  await rows().first().waitFor();
  await app.similar.getByLabel("Pin this note").click();
  await app.openNote(BREAD);
  await app.similar.locator(".notewell-target", { hasText: "Country loaf" }).waitFor();
});

test("a link to a similar note is inserted by command", async () => {
  const { app } = held;
  await follow(FORGETTING); // has related notes that it does not link to
  await app.page.evaluate(() => window.host.app.workspace.setActiveLeaf(window.host.app.workspace.getMostRecentLeaf()));
  await app.command("insert-similar-link");
  const item = app.page.locator(".prompt .suggestion-item").first();
  const title = await item.textContent();
  await app.page.keyboard.press("Enter");
  await until("the link is written", async () => (await app.note()).text.includes(`[[${title}]]`));
});

test("for an excluded note it says why there are no similar notes", async () => {
  const { app } = held;
  await app.command("open-similar");
  await app.openNote("Templates/Daily note.md");
  await app.similar.getByText("This note is excluded").waitFor();
});
