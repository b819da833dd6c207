// The palette of the pages: filled before a letter is typed, never empty, everything by keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";
import { until } from "../support/wait.mjs";

const now = new Date();
const lastYear = `${now.getFullYear() - 1}-${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`;
const isLeapDay = now.getMonth() === 1 && now.getDate() === 29; // which no year before has
const { visit } = usePages({ "Home.md": "A home in the other vault.\n", "Swallows.md": `---\ncreated: ${lastYear}\n---\nThe swallows are back.\n` }, { sample: { ".obsidian/bookmarks.json": JSON.stringify({ items: [{ type: "group", items: [{ type: "file", path: "Mind/Method of loci.md", title: "My palace" }] }] }) } });
const palette = (page) => page.getByRole("dialog", { name: "Find" });
const rows = (page) => palette(page).getByRole("option");
const chosen = (page) => palette(page).locator('[aria-selected="true"] .label');
const group = (page, name) => palette(page).getByRole("group", { name });

async function opened(page) {
  await page.getByRole("combobox", { name: "Search your notes" }).waitFor(); // before, nobody listens to keys
  await page.keyboard.press("Control+k");
  await rows(page).first().waitFor();
  return palette(page).getByRole("combobox");
}

test("before a letter is typed it shows what belongs to the passage being read, then what was read lately", () =>
  visit({ hash: "#/search?vault=Sample&q=bread&note=Kitchen/Country+loaf.md" }, async (page) => {
    await page.getByRole("article", { name: "Note" }).getByRole("heading", { name: "Country loaf" }).waitFor();
    await page.locator("[data-result]").nth(1).click();
    await page.waitForURL(/note=(?!Kitchen\/Country)/);
    await opened(page);
    await group(page, "For this passage").waitFor();
    await until("the first row is of the passage", async () => (await chosen(page).textContent()) === (await group(page, "For this passage").getByRole("option").first().locator(".label").textContent()));
    assert.ok((await group(page, "For this passage").getByRole("option").count()) >= 3);
    const passage = palette(page).getByRole("region", { name: "Passage" });
    await passage.getByRole("heading", { name: await chosen(page).textContent() }).first().waitFor();
    await passage.locator(".prose > *").first().waitFor();
    assert.deepEqual(await violations(page, ".palette"), []);
  }));

test("typing refines: names, notes, actions, and the question as the last row; the list is never empty", () =>
  visit({ hash: "#/manage?vault=Sample" }, async (page) => {
    await page.getByRole("heading", { name: "This vault" }).first().waitFor();
    const field = await opened(page);
    await page.evaluate(() => {
      window.fewest = Infinity;
      const list = document.querySelector("#palette-list");
      new MutationObserver(() => (window.fewest = Math.min(window.fewest, list.querySelectorAll("[role=option]").length))).observe(list, { childList: true, subtree: true });
    });
    await field.pressSequentially("Meth");
    await group(page, "Names").getByRole("option", { name: "Method of loci" }).waitFor();
    assert.match(await rows(page).last().textContent(), /^Ask: Meth/);
    await field.pressSequentially("od of loci in xyzzyqwv plugh", { delay: 20 });
    await rows(page).filter({ hasText: "All results for “Method of loci in xyzzyqwv plugh”" }).waitFor();
    assert.ok((await page.evaluate(() => window.fewest)) > 0, "never empty");
    await field.fill("pair pho");
    await rows(page).filter({ hasText: "Pair a phone" }).click();
    await page.getByRole("heading", { name: "Devices" }).first().waitFor();
    assert.equal(await palette(page).isVisible(), false);
  }));

test("Enter opens a note at the place, Alt-Enter copies a link, Tab opens the row's actions, Esc the way back", () =>
  visit({}, async (page) => {
    const field = await opened(page);
    await field.fill("retired geologist");
    await chosen(page).getByText("Mara Lindqvist").waitFor();
    await page.keyboard.press("Alt+Enter");
    await page.getByText("Copied").waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^\[\[Mara Lindqvist/);

    await opened(page);
    assert.equal(await field.inputValue(), "");
    await field.fill("retired geologist");
    await chosen(page).getByText("Mara Lindqvist").waitFor();
    await page.keyboard.press("Tab");
    await chosen(page).getByText("Open", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await chosen(page).getByText("Mara Lindqvist").waitFor();
    await page.keyboard.press("Tab");
    await rows(page).filter({ hasText: "Similar notes" }).click();
    await page.waitForURL(/like=People/);

    await opened(page);
    await field.fill("retired geologist");
    await chosen(page).getByText("Mara Lindqvist").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Note" }).getByRole("heading", { name: "Mara Lindqvist", level: 1 }).waitFor();
    await opened(page);
    await page.keyboard.press("Escape");
    assert.equal(await palette(page).isVisible(), false);
  }));

test("# leads to the headings of the note that is read, or of one that is named before it", () =>
  visit({ hash: "#/search?vault=Sample&note=Kitchen/Country+loaf.md" }, async (page) => {
    await page.getByRole("article", { name: "Note" }).getByRole("heading", { name: "Country loaf" }).waitFor();
    const field = await opened(page);
    await field.fill("#");
    await group(page, "Country loaf").waitFor();
    const all = await group(page, "Country loaf").getByRole("option").count();
    assert.ok(all > 2);
    await field.fill("Mara Lindqvist#things");
    await group(page, "Mara Lindqvist").getByRole("option", { name: "Things we lend each other" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/note=People.*line=/);
  }));

test("Space scrolls the passage once a row was chosen; before, it is typed", () =>
  visit({}, async (page) => {
    const field = await opened(page);
    await field.pressSequentially("country loaf");
    assert.equal(await field.inputValue(), "country loaf");
    await chosen(page).getByText("Country loaf").waitFor();
    const passage = palette(page).getByRole("region", { name: "Passage" });
    await passage.locator(".prose > *").nth(3).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await passage.evaluate((el) => el.scrollTo(0, 0));
    await page.keyboard.press(" ");
    await until("it has scrolled", () => passage.evaluate((el) => el.scrollTop > 0));
    assert.equal(await field.inputValue(), "country loaf");
  }));

for (const [name, look] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  test(`${name}: nothing overflows, and it covers what is below`, () =>
    visit({ ...look }, async (page) => {
      await opened(page);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
      const box = await palette(page).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= look.viewport.width && box.y + box.height <= look.viewport.height);
      if (name === "phone") assert.equal(await palette(page).getByRole("region", { name: "Passage" }).count(), 0, "the list has the room");
    }));
}

test("what was written on this day in an earlier year is remembered", { skip: isLeapDay }, () =>
  visit({ hash: "#/search?vault=Other" }, async (page) => {
    await opened(page);
    const row = group(page, "On this day").getByRole("option");
    await row.getByText("Swallows").waitFor();
    assert.match(await row.textContent(), new RegExp(String(now.getFullYear() - 1)));
  }));

test("notes that are bookmarked in Obsidian stand there, with the names that they have there", () =>
  visit({}, async (page) => {
    await opened(page);
    await group(page, "Bookmarks in Obsidian").getByRole("option", { name: "My palace" }).click();
    await page.getByRole("article", { name: "Note" }).getByRole("heading", { name: "Method of loci" }).waitFor();
  }));

test("notes of one name in two vaults are not taken for each other", () =>
  visit({}, async (page) => {
    const passage = palette(page).getByRole("region", { name: "Passage" });
    for (const [vault, text] of [["Sample", "Keeping things"], ["Other", "A home in the other vault."]]) {
      await page.evaluate((name) => (location.hash = `#/search?vault=${name}`), vault);
      await page.getByRole("heading", { name: `Search ${vault}` }).waitFor({ state: "attached" });
      const field = await opened(page);
      await field.fill("Home");
      await chosen(page).getByText("Home", { exact: true }).waitFor();
      await passage.locator(".prose").getByText(text).first().waitFor();
      await page.keyboard.press("Escape");
    }
  }));
