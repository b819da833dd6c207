// Pictures of the web interface over the sample vault; docs/images has those that the README shows:
// NOTEWELL_TEST_PICTURES=docs/images node --test tests/e2e/web/pictures.test.mjs

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const { visit } = usePages();
const DARK = { colorScheme: "dark" };
const GERMAN = { locale: "de-DE" };

before(() => mkdir(OUT, { recursive: true }));

// By look: a page of each look shows one view after the other, because each new page loads everything anew.
const LOOKS = [
  [DESKTOP, [
    ["web-search", "#/search?q=how+memory+fades&vault=Sample&note=Mind/Ebbinghaus+and+the+leaky+bucket.md", ".rail .near li"],
    ["web-past", "#/search?q=learning&vault=Sample&view=timeline", ".column-bar"],
    ["web-graph", "#/graph?path=Mind/Method+of+loci.md&vault=Sample", ".graph-stage canvas"],
    ["web-manage", "#/manage/stats?vault=Sample", ".shares"],
    ["web-palette", "#/search?q=bread&vault=Sample&note=Kitchen/Country+loaf.md", ".reader h1", openPalette],
  ]],
  [{ ...DESKTOP, ...DARK }, [["web-explore", "#/search?q=how+memory+fades&vault=Sample&note=Mind/Ebbinghaus+and+the+leaky+bucket.md&why=yes", ".reasons li"]]],
  [PHONE, [
    ["web-phone", "#/search?q=how+memory+fades&vault=Sample", "[data-result]"],
    ["web-phone-explore", "#/search?q=memory&vault=Sample&note=Mind/Method+of+loci.md&why=yes", ".reasons li"],
    ["web-phone-past", "#/search?q=learning&vault=Sample&view=timeline", ".column-bar"],
  ]],
  [{ ...PHONE, ...DARK }, [
    ["web-phone-note", "#/search?q=memory&vault=Sample&note=Mind/Method+of+loci.md", ".reader h1"],
    ["web-phone-manage", "#/manage?vault=Sample", ".buttons button"],
  ]],
  [{ ...PHONE, ...GERMAN }, [...german("web-phone-de")]],
  [{ viewport: { width: 1440, height: 900 }, ...GERMAN }, [...german("web-de")]],
];

/** The palette as it opens beside a note, with a passage. */
async function openPalette(page) {
  await page.keyboard.press("Control+k");
  await page.getByRole("group", { name: "For this passage" }).waitFor();
  await page.locator(".palette-preview .prose > *").first().waitFor();
}

/** The states that came last, in the language whose words are the longest. */
function german(name) {
  return [
    [`${name}-search`, "#/search?q=how+memory+fades&vault=Sample", "[data-result]"],
    [`${name}-all`, "#/search?q=bees&in=all", "[data-result]"],
    [`${name}-note`, "#/search?q=memory&vault=Sample&note=Mind/Method+of+loci.md", ".reader h1"],
    [`${name}-explore`, "#/search?q=memory&vault=Sample&note=Mind/Method+of+loci.md&why=yes", ".reasons li"],
    [`${name}-past`, "#/search?q=learning&vault=Sample&view=timeline", ".column-bar"],
    [`${name}-manage`, "#/manage?vault=Sample", ".buttons button"],
    [`${name}-answers`, "#/manage/answers?vault=Sample", "#ask-service"],
    [`${name}-links`, "#/manage/gleanings?vault=Sample", ".fold .empty, .gleaning"],
    [`${name}-tend`, "#/manage/tend?vault=Sample", ".tend .buttons button"],
    [`${name}-devices`, "#/manage/devices?vault=Sample", ".panel section p"],
    [`${name}-audit`, "#/manage/audit?vault=Sample", ".panel tbody tr, .fold .empty"],
    [`${name}-settings`, "#/manage/config?vault=Sample", ".settings"],
  ];
}

test("every view, as a picture", async () => {
  for (const [look, pictures] of LOOKS) {
    await visit({ ...look, hash: pictures[0][1], reducedMotion: "reduce" }, async (page) => {
      await page.locator(pictures[0][2]).first().waitFor();
      await page.reload(); // as it is once the server is warm
      for (const [name, hash, sign, prepare] of pictures) {
        await page.goto(`${new URL(page.url()).origin}/${hash}`);
        await page.locator(sign).first().waitFor();
        await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
        if (prepare) await prepare(page);
        else await page.evaluate(() => document.activeElement?.blur());
        await page.waitForTimeout(300);
        if (look.locale) assert.equal(await page.evaluate(() => document.documentElement.lang), look.locale);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wide, 0, `${name} is wider than its window`);
        await page.screenshot({ path: join(OUT, `${name}.png`) });
      }
    });
  }
});
