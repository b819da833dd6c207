// A question that waits: kept below a search, answered by a note that is written later, told on the first page.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { usePages } from "./pages.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const ASKED = "how long does the queen bee live";
const held = usePages({ "Hives.md": "# Hives\n\nA hive stands in the shade of the old tree.\n" });

test("a kept question is answered by a note of later, and told on the first page", () =>
  held.visit({ hash: `#/search?vault=Other&q=${encodeURIComponent(ASKED)}` }, async (page) => {
    await page.getByRole("button", { name: "Tell me when a note answers this" }).click();
    await page.getByRole("link", { name: "The question is kept" }).waitFor();
    await writeFile(join(held.root, "Other", "Queens.md"), "# Queen bees\n\nA queen bee lives for three to five years.\n");
    const asks = async () => {
      const reply = await fetch(`${held.url}/api/questions?vault=Other`, { headers: { Authorization: `Bearer ${held.server.token}` } });
      return (await reply.json()).new;
    };
    for (let tries = 0; tries < 240 && (await asks()) === 0; tries += 1) await new Promise((resolve) => setTimeout(resolve, 250));
    await page.goto(`${held.url}/#/search?vault=Other`);
    await page.getByRole("link", { name: "1 answer to a question of yours" }).click();
    await page.getByText("A queen bee lives for three to five years.").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: join(OUT, "web-questions.png"), fullPage: true });
    assert.equal(await asks(), 0);
  }));
