// No rule of axe-core is broken in any view, in either colour scheme, on a desktop and on a phone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";

const SAVED = "# A day\n\n## Gleanings\n\n- [Bees at night](https://bees.example/night)\n  How they sleep.\n- https://bare.example/page\n";
const { visit } = usePages({}, { sample: { "Daily/2026-03-02.md": SAVED } });

const VIEWS = [
  ["start", "#/search?vault=Sample", ".start"],
  ["list", "#/search?q=bread+tag:recipe&vault=Sample", "[data-result]"],
  ["note", "#/search?q=bread&vault=Sample&note=Kitchen/Country+loaf.md", ".reader h1"],
  ["why", "#/search?q=memory&vault=Sample&note=Mind/Method+of+loci.md&why=yes", ".reasons li"],
  ["timeline", "#/search?q=garden&vault=Sample&view=timeline", ".column-bar"],
  ["results as a graph", "#/search?q=garden&vault=Sample&view=graph", ".graph-stage canvas"],
  ["graph", "#/graph?path=Home.md&vault=Sample", ".graph-stage canvas"],
  ["index", "#/manage?vault=Sample", ".buttons button"],
  ["files", "#/manage/ledger?vault=Sample", ".is-named tbody tr"],
  ["vaults", "#/manage/vaults?vault=Sample", ".is-named tbody tr"],
  ["figures", "#/manage/stats?vault=Sample", ".shares"],
  ["searches", "#/manage/log?vault=Sample", ".is-named .panel-body > *"],
  ["care", "#/manage/care?vault=Sample", ".tend h3"],
  ["saved links", "#/manage/gleanings?vault=Sample", ".gleaning"],
  ["runs", "#/manage/runs?vault=Sample", ".is-named tbody tr"],
  ["models", "#/manage/engine?vault=Sample", ".panel tbody tr"],
  ["answers", "#/manage/answers?vault=Sample", ".service-form"],
  ["memories", "#/manage/memory?vault=Sample", ".is-named .settings"],
  ["people", "#/manage/people?vault=Sample", ".panel section p"],
  ["who did what", "#/manage/audit?vault=Sample", ".is-named :is(tbody tr, .empty)"],
  ["settings", "#/manage/config?vault=Sample", ".is-named .settings"],
];

for (const [look, options] of [
  ["desktop, light", { ...DESKTOP, colorScheme: "light" }],
  ["desktop, dark", { ...DESKTOP, colorScheme: "dark" }],
  ["phone, light", { ...PHONE, colorScheme: "light" }],
]) {
  test(`${look}: no violation`, () =>
    visit({ ...options, reducedMotion: "reduce" }, async (page) => {
      const found = [];
      for (const [name, hash, sign] of VIEWS) {
        await page.goto(`${new URL(page.url()).origin}/${hash}`);
        await page.locator(sign).first().waitFor();
        await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
        await page.evaluate(() => document.querySelectorAll(".why details").forEach((one) => (one.open = true)));
        found.push(...(await violations(page)).map((text) => `${name}: ${text}`));
      }
      await page.keyboard.press("Escape");
      await page.locator(".help-button").click();
      await page.locator("dialog[open]").waitFor();
      found.push(...(await violations(page)).map((text) => `help: ${text}`));
      assert.deepEqual(found, []);
    }));
}

test("the page for signing in: no violation", () =>
  visit({ signedIn: false }, async (page, watched) => {
    await page.getByLabel("Token").waitFor();
    assert.deepEqual(await violations(page), []);
    watched.problems.length = 0; // that nobody is signed in is what is looked at
  }));
