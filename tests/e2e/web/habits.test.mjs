// What people do without thinking, because every search does it so. tests/e2e/habits.md lists all of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, search, usePages } from "./pages.mjs";

const { visit } = usePages({
  "Desserts.md": "# Desserts\n\nCafé crème and a crème brûlée, the burnt kind.\n\n```js\nconst creme = 1;\n```\n",
  "Gloves.md": "# Gloves\n\nA left-hand thread in the burnt glove, and no thread for the left hand.\n",
  "日記.md": "# 日記\n\n図書館で借りた本を読んだ。\n",
});
const OTHER = { ...DESKTOP, hash: "#/search?vault=Other" };
const field = (page) => page.getByRole("combobox", { name: "Search your notes" });
const focused = (page) => page.evaluate(() => document.activeElement?.dataset.result ?? document.activeElement?.id);
/** The texts that are marked in the note that is read. */
const marked = (page) => page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map(String));

test("what a search found is marked in the note that is read, in code as well, and the note stays as it is", () =>
  visit({ ...OTHER, hash: "#/search?vault=Other&q=creme&note=Desserts.md" }, async (page) => {
    await page.locator(".prose .code-keyword").waitFor();
    await page.waitForFunction(() => [...(CSS.highlights.get("found") ?? [])].map(String).length === 3);
    assert.deepEqual(await marked(page), ["crème", "crème", "creme"]);
    assert.equal(await page.locator(".prose mark").count(), 0);
    await page.goto(`${page.url().split("#")[0]}#/search?vault=Other&q=図書館&note=日記.md`);
    await page.waitForFunction(() => String([...(CSS.highlights.get("found") ?? [])][0]).startsWith("図書"));
  }));

test("a list answers to the keys of lists, and the field takes over again above it", () =>
  visit(DESKTOP, async (page) => {
    const rows = await search(page, "bread");
    const keys = await rows.evaluateAll((all) => all.map((row) => row.dataset.result));
    assert.ok(keys.length > 4);
    const { keyboard } = page;
    for (const [key, wanted] of [["ArrowDown", keys[0]], ["End", keys.at(-1)], ["k", keys.at(-2)], ["Home", keys[0]], ["j", keys[1]], ["ArrowUp", keys[0]], ["ArrowUp", "q"]]) {
      await keyboard.press(key);
      assert.equal(await focused(page), wanted, key);
    }
    await keyboard.press("ArrowDown");
    await keyboard.press("/");
    await keyboard.type("x");
    assert.equal(await field(page).inputValue(), "x", "what was typed is selected, so typing replaces it");
  }));

test("a result is a link: another tab shows its note and has its name", () =>
  visit(OTHER, async (page) => {
    const rows = await search(page, "left-hand thread");
    const opened = page.context().waitForEvent("page");
    await rows.first().click({ modifiers: ["ControlOrMeta"] });
    const tab = await opened;
    await tab.getByRole("heading", { name: "Gloves", level: 1 }).waitFor();
    assert.match(await tab.title(), /^Gloves · /);
    assert.match(await page.title(), /^left-hand thread · /);
  }));

test("Escape empties the field and home comes back; how many were found is said", () =>
  visit(DESKTOP, async (page) => {
    await search(page, "bread");
    await page.locator(".facts", { hasText: /^\d+ notes$/ }).waitFor();
    await field(page).focus();
    await page.keyboard.press("Escape"); // closes what is offered
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Search Sample" }).waitFor();
    assert.equal(await field(page).inputValue(), "");
  }));

test("half a word, a wrong letter, no accent or another case find the note; what was typed is a press away", () =>
  visit(OTHER, async (page) => {
    for (const typed of ["glov", "GLOVES", "dessrets", "creme brulee"]) {
      const rows = await search(page, typed);
      await rows.first().filter({ hasText: typed.toLowerCase().startsWith("glov") ? "Gloves" : "Desserts" }).waitFor();
    }
    await search(page, "dessrets");
    await page.getByText("Results for").waitFor();
    await page.getByRole("link", { name: /Search only for .dessrets./ }).click();
    await page.waitForFunction(() => location.hash.includes("exact=true"));
  }));

test("quotes mean these words in this order, and a minus sign leaves out", () =>
  visit(OTHER, async (page) => {
    const rows = await search(page, "burnt");
    await rows.nth(1).waitFor();
    await search(page, "burnt -glove");
    await page.waitForFunction(() => document.querySelectorAll("[data-result]").length === 1);
    await rows.filter({ hasText: "Desserts" }).waitFor();
    await search(page, '"left-hand thread"');
    await rows.filter({ hasText: "Gloves" }).waitFor();
    await search(page, '"thread left-hand"');
    await page.getByRole("heading", { name: /^Nothing/ }).waitFor();
  }));

test("nothing moves where the system asks for less motion", () =>
  visit({ ...DESKTOP, reducedMotion: "reduce" }, async (page) => {
    await search(page, "bread");
    const moving = await page.evaluate(() => {
      const seconds = (el) => ["animationDuration", "transitionDuration"].map((name) => Math.max(...getComputedStyle(el)[name].split(",").map(parseFloat)));
      return [...document.querySelectorAll("*")].filter((el) => seconds(el).some((each) => each > 0.01)).map((el) => el.outerHTML.slice(0, 80));
    });
    assert.deepEqual(moving, []);
  }));

test("other words than the note's find it, and it opens at the place that was meant", () =>
  visit({ viewport: { width: 1280, height: 400 } }, async (page) => {
    const rows = await search(page, "why do we forget what we learned");
    await rows.filter({ hasText: "Ebbinghaus" }).first().click();
    const note = page.getByRole("article", { name: "Note" });
    await note.locator("h1").filter({ hasText: "Ebbinghaus" }).waitFor();
    assert.match(page.url(), /&line=\d+/);
    await note.locator(".is-sought").waitFor();
    const isSeen = await note.locator(".is-sought").evaluate((block) => block.getBoundingClientRect().top >= 0 && block.getBoundingClientRect().top < innerHeight);
    assert.ok(isSeen);
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}, as the system is`, () =>
    visit({ ...DESKTOP, colorScheme }, async (page) => {
      const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((part) => Number(part) > 128));
      assert.equal(light, colorScheme === "light");
    }));
}

test("light or dark can be chosen, and stays so in this browser", () =>
  visit({ ...DESKTOP, colorScheme: "light", hash: "#/manage/engine?vault=Sample" }, async (page) => {
    const looks = (dark) =>
      page.waitForFunction((isDark) => getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((part) => Number(part) < 128 === isDark), dark);
    const colours = page.getByRole("combobox", { name: "Colours" });
    await colours.waitFor();
    await looks(false);
    await colours.selectOption("dark");
    await looks(true);
    await page.reload();
    await colours.waitFor();
    await looks(true);
    await page.emulateMedia({ colorScheme: "dark" });
    await colours.selectOption("light");
    await looks(false);
  }));

const NARROW = { ...DESKTOP, viewport: { width: 900, height: 800 }, hash: "#/search?vault=Sample&q=sourdough" };
const look = (page) => page.getByRole("dialog", { name: "Quick look" });

test("in a narrow window a result is looked at where it stands: by resting on it or by Space, and Escape closes no more", () =>
  visit(NARROW, async (page) => {
    const rows = page.locator("[data-result]");
    await page.locator(".quick-look").waitFor({ state: "attached" });
    await rows.first().hover();
    await look(page).getByRole("heading", { name: await rows.first().innerText() }).waitFor();
    await look(page).locator(".prose p").first().waitFor();
    await page.mouse.move(5, 5);
    await look(page).waitFor({ state: "hidden" });
    await rows.nth(1).focus();
    await page.keyboard.press(" ");
    await look(page).getByRole("heading", { name: await rows.nth(1).innerText() }).waitFor();
    await page.keyboard.press("Escape");
    await look(page).waitFor({ state: "hidden" });
    assert.match(page.url(), /q=sourdough/);
    assert.equal(await focused(page), await rows.nth(1).getAttribute("data-result"));
  }));

test("a finger that rests on a result looks at it, and follows no link; another press closes the look", () =>
  visit({ ...PHONE, hash: NARROW.hash }, async (page) => {
    const title = page.locator("[data-result]").first();
    await page.locator(".quick-look").waitFor({ state: "attached" });
    const { x, y } = await title.boundingBox();
    const touch = await page.context().newCDPSession(page);
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: x + 20, y: y + 10 }] });
    await look(page).getByRole("heading", { name: await title.innerText() }).waitFor();
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await look(page).locator(".prose p").first().waitFor();
    await page.touchscreen.tap(x + 20, y + 10);
    await look(page).waitFor({ state: "hidden" });
    assert.doesNotMatch(page.url(), /note=/);
    await title.tap();
    await page.waitForURL(/note=/);
  }));

test("on a phone the first note stands in the upper fifth of the screen, and one sign holds what can be done with it", () =>
  visit({ ...PHONE, hash: NARROW.hash }, async (page) => {
    const row = page.locator(".result").first();
    await row.waitFor();
    const { y } = await row.locator("[data-result]").boundingBox();
    assert.ok(y < PHONE.viewport.height / 5, `at ${y}`);
    assert.equal(await row.locator(".actions > :visible").count(), 1);
    await row.getByRole("button", { name: "Actions" }).tap();
    await row.getByRole("link", { name: "Similar notes" }).waitFor();
  }));

test("the key of the palette stands in the empty field", () =>
  visit(DESKTOP, async (page) => {
    const key = page.locator(".search-box kbd");
    await key.getByText("Ctrl K").waitFor();
    await field(page).fill("b");
    await key.waitFor({ state: "hidden" });
  }));

test("why a result was found is told beside the note, which stays as it stands", () =>
  visit({ ...DESKTOP, hash: NARROW.hash }, async (page) => {
    const note = page.locator(".reader .prose");
    await note.locator("p").first().waitFor();
    const before = await note.boundingBox();
    await page.locator("[data-result]").first().focus();
    await page.keyboard.press("t");
    await page.locator(".why .reasons li").first().waitFor();
    const { x, width } = await note.boundingBox();
    assert.deepEqual([x, width], [before.x, before.width]);
  }));

test("the graph has its title, one fold for how it is drawn, and the zoom in its corner", () =>
  visit({ ...DESKTOP, hash: "#/graph?vault=Sample" }, async (page) => {
    await page.locator(".graph-display").waitFor();
    assert.equal(await page.locator(".graph-tools :is(select, input, button, a, summary):visible").count(), 1);
    await page.locator(".graph-stage").getByRole("button", { name: "Zoom in" }).waitFor();
  }));

test("notes that are all of one day are told as such, and no chart of one bar is drawn", () =>
  visit({ ...OTHER, hash: "#/search?vault=Other&q=burnt&view=timeline" }, async (page) => {
    await page.getByText(/^2 notes, all of /).waitFor();
    await page.locator(".dated li").first().waitFor();
    assert.equal(await page.locator(".chart").count(), 0);
    assert.equal(await page.getByLabel("Grouped by").count(), 0);
  }));
