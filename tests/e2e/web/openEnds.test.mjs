// What notes left open: by week in the settings, with the way to its line, and dismissed for good.

import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { PHONE, usePages } from "./pages.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const { visit } = usePages({
  "2026-03-02.md": "# Monday\n\nI should order new tyres for the bicycle.\n\n- Do we take the tent?\n",
  "2026-03-11.md": "# Wednesday\n\nDecision: the hall becomes blue.\n",
});
const hash = "#/manage/open-ends?vault=Other";
const texts = (page) => page.locator(".open-ends .tend-item > p:first-child").allTextContents();

test("what was left open stands by week, leads to its line, and stays away once it is dismissed", () =>
  visit({ hash }, async (page) => {
    await page.getByRole("heading", { name: /^Week of / }).nth(1).waitFor();
    assert.deepEqual(await texts(page), ["Decision: the hall becomes blue.", "I should order new tyres for the bicycle.", "Do we take the tent?"]);
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: join(OUT, "web-open-ends.png"), fullPage: true });
    await page.getByRole("button", { name: "Dismiss: Do we take the tent?" }).click();
    await page.getByText("Do we take the tent?", { exact: true }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByText("I should order new tyres for the bicycle.").waitFor();
    assert.equal((await texts(page)).length, 2);
    await page.locator(".open-ends").getByRole("link", { name: "2026-03-02" }).click();
    await page.locator(".reader").getByText("I should order new tyres for the bicycle.").waitFor();
  }));

test("on a phone nothing of it overflows", () =>
  visit({ ...PHONE, hash }, async (page) => {
    await page.getByRole("heading", { name: /^Week of / }).first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.viewport.width);
  }));
