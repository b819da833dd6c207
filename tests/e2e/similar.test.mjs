// The panel with similar notes.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
const held = useApp();
before(() => mkdir(OUT, { recursive: true }));
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

/** Makes a note, opens it, and puts the cursor at its end. */
async function write(path, text) {
  const { app } = held;
  await app.vault((vault, name, content) => vault.create(name, content), path, text);
  await app.openNote(path);
  await app.page.locator(".cm-content:visible").first().click();
  await app.page.keyboard.press("Control+End");
}

const suggestions = () => held.app.page.locator(".suggestion-container .suggestion-title").allTextContents();

test("a link is completed by the meaning of the sentence after [[?, and the app's own [[ stays", async () => {
  const { app } = held;
  const { keyboard } = app.page;
  await write("Draft.md", "What one learns is lost within days unless it is looked at again. ");
  await keyboard.type("[[?");
  await app.page.waitForTimeout(400);
  assert.equal(await app.page.locator(".suggestion-title:not(.mod-by-name)").count(), 0, "off unless it was chosen");
  await keyboard.press("Escape");
  for (let typed = 3; typed > 0; typed -= 1) await keyboard.press("Backspace"); // an undo takes back only what was typed without a pause
  await app.setting("Complete links by meaning", (row) => row.locator(".checkbox-container").click());
  await app.page.locator(".cm-content:visible").first().click();
  await keyboard.press("Control+End");
  await keyboard.type("[[");
  await app.page.locator(".mod-by-name").first().waitFor();
  await keyboard.type("?");
  await until("notes near in meaning are offered", async () => {
    const titles = await suggestions();
    return titles.some((title) => /Ebbinghaus|Spaced repetition|Testing beats/.test(title)) && !titles.includes("Draft");
  });
  assert.equal(await app.page.locator(".mod-by-name").count(), 0);
  await app.page.screenshot({ path: join(OUT, "light-complete.png") });
  // The list may have been renewed between a look at it and the key, so any note's name will do.
  await keyboard.press("Enter");
  await until("the link is written", async () => /again\. \[\[[^[\]?]+\]\]$/.test((await app.note()).text));
  await app.setting("Complete links by meaning", (row) => row.locator(".checkbox-container").click());
});

test("names of notes get a quiet mark while a note is written, and become links", async () => {
  const { app } = held;
  const marks = app.page.locator(".notewell-mention");
  const text = "# Country loaf\n\nA country loaf, [[Slugs]], and `Method of loci`.\nOnce more: Country loaf, and the Method of loci.\n";
  await write("Second draft.md", text);
  await app.page.waitForTimeout(700);
  assert.equal(await marks.count(), 0, "off unless it was chosen");
  await app.setting("Mark names of notes", (row) => row.locator(".checkbox-container").click());
  await until("each is marked once", async () => (await marks.allTextContents()).join() === "country loaf,Method of loci");
  await app.page.screenshot({ path: join(OUT, "light-mentions.png") });
  await marks.first().click({ button: "right" });
  await app.page.getByRole("menu").getByText("Link to “Country loaf”").click();
  await until("it is a link", async () => (await app.note()).text.includes("A [[Country loaf|country loaf]], [[Slugs]]"));
  await app.page.keyboard.press("Control+Home");
  await app.command("link-mention");
  await app.page.locator(".prompt .suggestion-item", { hasText: "Method of loci" }).click();
  await until("it is a link too", async () => (await app.note()).text.includes("and the [[Method of loci]]."));
  await until("no mark is left", async () => (await marks.count()) === 0);
  await app.setting("Mark names of notes", (row) => row.locator(".checkbox-container").click());
});

test("an earlier note is suggested while a paragraph is written, once, and linked or dismissed for good", async () => {
  const { app } = held;
  const strip = app.page.locator(".notewell-writing");
  const wanted = "Suggest a note while writing";
  const sentence = "When the wheel of the bicycle wobbles, turn the spokes a little on that side until the rim runs straight.";
  await write("Third draft.md", "# Third draft\n\n");
  await app.page.keyboard.type("In September the curtain on the north side is drawn in the afternoon, so that paint dries in the shade.");
  await app.page.waitForTimeout(1500);
  assert.equal(await strip.count(), 0, "off unless it was chosen");
  await app.setting(wanted, (row) => row.locator(".checkbox-container").click());
  await write("Fourth draft.md", "# Fourth draft\n\n");
  await app.page.keyboard.type(sentence);
  await strip.waitFor();
  assert.equal(await strip.locator("a").textContent(), "True a wheel");
  await app.page.screenshot({ path: join(OUT, "light-writing.png") });
  await app.command("link-suggested");
  await until("the link is at the cursor", async () => (await app.note()).text.endsWith("straight. [[True a wheel]]"));
  assert.equal(await strip.count(), 0);
  assert.equal(await app.isPossible("link-suggested"), false);

  await write("Fifth draft.md", "# Fifth draft\n\n");
  for (const word of ["One", "Two", "Three", "Four"]) {
    await app.page.keyboard.type(`${word} paragraphs say something about nothing in particular, and are only here to pass by.`);
    await app.page.waitForTimeout(1200);
    await app.page.keyboard.press("Enter");
    await app.page.keyboard.press("Enter");
  }
  assert.equal(await strip.count(), 0);
  await app.page.keyboard.type("A database that is locked by another writer gives an error at once unless it waits, so set a longer timeout.");
  await strip.waitFor();
  await strip.getByLabel("Not for this note").click();
  assert.equal(await strip.count(), 0);
  const { marks } = await app.data();
  assert.match(marks["Fifth draft.md"].hidden.join(), /^[^,]*SQLite database is locked\.md$/);
  await app.page.locator(".cm-content:visible").first().click();
  await app.page.keyboard.press("Control+End");
  await app.page.keyboard.type(" The journal grows meanwhile.");
  await app.page.waitForTimeout(1500);
  assert.equal(await strip.count(), 0, "the next waits for five paragraphs");
  await app.setting(wanted, (row) => row.locator(".checkbox-container").click());
});

test("for an excluded note it says why there are no similar notes", async () => {
  const { app } = held;
  await app.command("open-similar");
  await app.openNote("Templates/Daily note.md");
  await app.similar.getByText("This note is excluded").waitFor();
});
