// Pictures of the web interface over the sample vault; docs/images has those that the README shows:
// NOTEWELL_TEST_PICTURES=docs/images node --test tests/e2e/web/pictures.test.mjs

import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const { visit } = usePages();
const DARK = { colorScheme: "dark" };

before(() => mkdir(OUT, { recursive: true }));

const PICTURES = [
  ["web-search", DESKTOP, "#/search?q=how+memory+fades&vault=Sample&note=Mind/Ebbinghaus+and+the+leaky+bucket.md", ".rail .near li"],
  ["web-explore", { ...DESKTOP, ...DARK }, "#/explore?q=how+memory+fades&vault=Sample", ".inspector .near"],
  ["web-pipeline", DESKTOP, "#/pipeline?q=bread+tag:recipe&vault=Sample", ".stage"],
  ["web-past", DESKTOP, "#/past?q=learning&vault=Sample", ".column-bar"],
  ["web-graph", DESKTOP, "#/graph?path=Mind/Method+of+loci.md&vault=Sample", ".graph-stage canvas"],
  ["web-manage", DESKTOP, "#/manage/stats?vault=Sample", ".shares"],
  ["web-phone", PHONE, "#/search?q=how+memory+fades&vault=Sample", "[data-result]"],
  ["web-phone-note", { ...PHONE, ...DARK }, "#/search?q=memory&vault=Sample&note=Mind/Method+of+loci.md", ".reader h1"],
  ["web-phone-explore", PHONE, "#/explore?q=memory&vault=Sample", ".mixed"],
  ["web-phone-past", PHONE, "#/past?q=learning&vault=Sample", ".column-bar"],
  ["web-phone-manage", { ...PHONE, ...DARK }, "#/manage?vault=Sample", ".buttons button"],
];

test("every view, as a picture", async () => {
  for (const [name, look, hash, sign] of PICTURES) {
    await visit({ ...look, hash, reducedMotion: "reduce" }, async (page) => {
      await page.locator(sign).first().waitFor();
      await page.reload(); // as it is once the server is warm
      await page.locator(sign).first().waitFor();
      await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
      await page.evaluate(() => document.activeElement?.blur());
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(OUT, `${name}.png`) });
    });
  }
});
