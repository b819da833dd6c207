// The past of a vault that is a git repository: what notes once said.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, PHONE, usePages } from "./pages.mjs";
import { until } from "../support/wait.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_PICTURES ?? join(import.meta.dirname, "../out"));
const held = usePages({ "Hives.md": "# Hives\n\nThe hives stand by the pond.\n", "Frames.md": "# Frames\n\nFrames are stored dry.\n" });
const { visit } = held;

/** Commits all notes of the vault "Other", as on a day. */
function commit(subject, day) {
  const time = `${day}T12:00:00Z`;
  const env = { ...process.env, GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
  const git = (...asked) => execFileSync("git", ["-C", join(held.root, "Other"), "-c", "user.name=A", "-c", "user.email=a@b.example", ...asked], { env });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", subject);
}

test("a vault becomes a git repository", async () => {
  await mkdir(OUT, { recursive: true });
  const other = join(held.root, "Other");
  commit("Hives by the pond", "2025-03-01");
  await writeFile(join(other, "Hives.md"), "# Hives\n\nThe hives stand in the orchard.\n");
  await rm(join(other, "Frames.md"));
  commit("Hives moved", "2025-06-01");
  const headers = { Authorization: `Bearer ${held.server.token}` };
  await until("the change is indexed", async () => {
    const found = await (await fetch(`${held.url}/api/search?vault=Other&q=orchard`, { headers })).json();
    return found.results.some(({ path }) => path === "Hives.md");
  });
});

for (const [device, look] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  test(`${device}: a day is searched as it was, and what is gone is found`, () =>
    visit({ ...look, hash: "#/search?q=pond&vault=Other" }, async (page, watched) => {
      await page.getByRole("button", { name: "Search the past" }).click();
      await page.getByLabel("As of").fill("2025-04-01");
      await page.locator('[data-result="Hives.md"]', { hasText: "Hives" }).waitFor();
      await page.getByText("by the pond").first().waitFor();
      assert.match(page.url(), /as_of=2025-04-01/);
      assert.deepEqual(await violations(page), []);
      await page.screenshot({ path: join(OUT, `web-past-day-${device}.png`) });
      await page.getByRole("button", { name: /^As of/ }).click();
      await page.waitForURL((url) => !url.href.includes("as_of"));

      await page.goto(`${held.url}/#/search?q=frames+dry&vault=Other&ever=true`);
      await page.locator(".facts", { hasText: /^1 note$/ }).waitFor();
      const gone = page.locator(".result", { hasText: "no longer there" });
      await gone.getByRole("link", { name: "Frames" }).first().click();
      await page.getByText("This note is not here").waitFor();
      await page.getByText("Earlier versions").click();
      await page.locator(".versions del", { hasText: "Frames are stored dry." }).waitFor();
      await page.getByText("first written Mar 1, 2025").waitFor();
      await page.screenshot({ path: join(OUT, `web-past-gone-${device}.png`) });
      watched.problems.length = 0; // the browser tells of the note that is gone
    }));

  test(`${device}: a note tells how it changed`, () =>
    visit({ ...look, hash: "#/search?q=hives&vault=Other&note=Hives.md" }, async (page) => {
      await page.getByText("Earlier versions").click();
      await page.locator(".versions ins", { hasText: "in the orchard" }).waitFor();
      await page.locator(".versions del", { hasText: "by the pond" }).waitFor();
      assert.deepEqual(await violations(page), []);
      await page.screenshot({ path: join(OUT, `web-past-versions-${device}.png`) });
    }));
}

test("a vault without a history offers none of it", () =>
  visit({ hash: "#/search?q=bread&vault=Sample&note=Kitchen/Country+loaf.md" }, async (page) => {
    await page.locator(".reader h1").waitFor();
    assert.equal(await page.getByText("Earlier versions").count(), 0);
    assert.equal(await page.getByRole("button", { name: "Search the past" }).count(), 0);
  }));
