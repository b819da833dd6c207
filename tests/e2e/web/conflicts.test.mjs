// A conflict copy in the browser: found on the page Maintenance, compared, made one note, taken back.

import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { until } from "../support/wait.mjs";
import { violations } from "./axe.mjs";
import { PHONE, usePages } from "./pages.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const NAME = "Hives.sync-conflict-20261122-103000-ABCDEFG.md";
const NOTE = "# Hives\n\nA hive stands in the shade.\n\n- feed in March\n";
const COPY = "# Hives\n\nA hive stands in the shade. The queen lays eggs.\n\n- feed in April\n";
const held = usePages({ "Hives.md": NOTE, [NAME]: COPY, "Links.md": `See [[${NAME.slice(0, -3)}]].\n` });
const read = (name) => readFile(join(held.root, "Other", name), "utf8");
const isThere = (name) => access(join(held.root, "Other", name)).then(() => true, () => false);

test("a conflict copy becomes a part of its note, and one press takes it back", () =>
  held.visit({ hash: "#/manage/conflicts?vault=Other" }, async (page) => {
    await page.getByRole("link", { name: "Hives.md" }).click();
    await page.getByText("The queen lays eggs.").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByLabel(/- feed in April/u).check();
    await page.screenshot({ path: join(OUT, "web-conflict.png"), fullPage: true });
    await page.getByRole("button", { name: "Make one note of the two" }).click();
    await page.getByText("The copy is now part of the note.").waitFor();
    assert.equal(await read("Hives.md"), COPY);
    assert.equal(await read("Links.md"), "See [[Hives]].\n");
    assert.equal(await isThere(NAME), false);
    await page.getByRole("button", { name: "Take back" }).click();
    await until("both are there again", async () => (await isThere(NAME)) && (await read("Hives.md")) === NOTE);
    assert.equal(await read(NAME), COPY);
  }));

test("a phone shows both versions without scrolling sideways", () =>
  held.visit({ ...PHONE, hash: `#/manage/conflicts?vault=Other&note=Hives.md&copy=${NAME}`, colorScheme: "dark" }, async (page) => {
    await page.getByText("The queen lays eggs.").waitFor();
    await page.screenshot({ path: join(OUT, "web-conflict-phone.png"), fullPage: true });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }));
