// The moving picture of the README: a link by meaning while one writes, in two keys. It is taken anew with
// NOTEWELL_TEST_PICTURES=docs/images node tests/e2e/run.mjs moving.test.mjs

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { movingPicture } from "./support/apng.mjs";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "out"));
const MOST_BYTES = 1_000_000;
const held = useApp();
const WRITTEN = "# On learning\n\n";
const TYPED = "Most of what one learns is soon forgotten: it is lost within days unless it is looked at again. ";

test("a link is made while one writes, as a moving picture", async () => {
  const { app } = held;
  const { keyboard } = app.page;
  await app.setting("Complete links by meaning", (row) => row.locator(".checkbox-container").click());
  await app.vault((vault, name, content) => vault.create(name, content), "On learning.md", WRITTEN);
  await app.openNote("On learning.md");
  await app.page.addStyleTag({ content: ".cm-editor { outline: none !important; } .cm-content { font: 16px/1.6 sans-serif; }" }); // as the app shows a note
  const editor = app.page.locator(".cm-content:visible").first();
  await editor.click();
  await keyboard.press("Control+End");
  const box = await editor.boundingBox();
  const clip = { x: Math.max(box.x - 20, 0), y: Math.max(box.y - 20, 0), width: 620, height: 340 };
  const frames = [];
  const take = async (ms) => frames.push({ png: await app.page.screenshot({ clip, caret: "initial" }), ms });
  await take(900);
  for (const word of TYPED.split(/(?<= )/)) {
    await keyboard.type(word);
    await take(140);
  }
  await keyboard.type("[[");
  await app.page.locator(".mod-by-name").first().waitFor();
  await take(350);
  await keyboard.type("?");
  await until("notes near in meaning are offered", async () => {
    const titles = await app.page.locator(".suggestion-container .suggestion-title").allTextContents();
    return titles.some((title) => /Ebbinghaus|Spaced repetition|Testing beats/.test(title));
  });
  await app.page.waitForTimeout(300); // the list may be renewed once more
  await take(1600);
  await keyboard.press("Enter");
  await until("the link is written", async () => /again\. \[\[[^[\]?]+\]\]$/.test((await app.note()).text));
  await app.page.waitForTimeout(150);
  await take(2500);
  const moving = movingPicture(frames);
  assert.ok(moving.length < MOST_BYTES, `${moving.length} bytes`);
  await mkdir(OUT, { recursive: true });
  await writeFile(join(OUT, "plugin-link.png"), moving);
});
