// Typing with the helper is never worse than without: no empty list between two keys, and a first note that stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { answering } from "./support/network.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();

const QUERIES = ["sourdough", "bicycle", "method of loci", "spaced repetition", "kompost", "country loaf", "slugs", "bottom bracket", "forgetting curve", "memory palace"];

/** Notes every state that the list of results goes through: how many rows, and the first of them. */
async function watchList(app) {
  await app.command("open-search");
  await app.search.locator(".notewell-results").evaluate((list) => {
    window.listStates = [];
    const look = () => {
      const rows = list.querySelectorAll(".notewell-result");
      const first = rows[0]?.querySelector("[data-path]").dataset.path ?? "";
      window.listStates.push([rows.length, first, list.closest("[data-type]").querySelector("input").value]);
    };
    new MutationObserver(look).observe(list, { childList: true, subtree: true });
  });
}

/** Types a query at a pace, waits for the answer to all of it, and gives the states of the list meanwhile. */
async function type(app, query, pace) {
  const field = app.search.getByRole("searchbox");
  await field.fill("");
  await until("the list is empty", async () => (await app.search.locator(".notewell-result").count()) === 0);
  await app.page.evaluate(() => window.listStates.splice(0));
  const before = app.network.to("/api/search").length;
  await field.pressSequentially(query, { delay: pace });
  const isFinal = ({ url, status }) => status !== 0 && url.searchParams.get("q") === query;
  await until(`“${query}” is answered`, () => app.network.to("/api/search").slice(before).some(isFinal));
  await app.search.locator('.notewell-results[aria-busy="false"]').waitFor({ state: "attached" });
  const states = await app.page.evaluate(() => window.listStates.splice(0));
  return states.slice(states.findIndex(([rows]) => rows > 0));
}

for (const [who, pace] of [["a quick typist", 90], ["one who pauses at every key", 320]]) {
  test(`ten queries of ${who}: the list is never empty, and its first note changes twice at most`, async (report) => {
    await watchList(held.app);
    for (const query of QUERIES) {
      const states = await type(held.app, query, pace);
      const firsts = states.map(([, first]) => first).filter((first, at, all) => first !== all[at - 1]);
      report.diagnostic(`${query}: ${firsts.join(" → ")}`);
      assert.ok(states.length > 0 && states.every(([rows]) => rows > 0), `${query}: ${JSON.stringify(states)}`);
      assert.ok(firsts.length <= 3, `${query}: ${firsts.join(" → ")}`);
    }
  });
}

test("a correction and a cut of the server take no note away that begins like what is typed", async () => {
  const { app } = held;
  await app.searchFor("bread");
  const reply = app.network.reply("/api/search");
  const [pattern] = reply.results;
  const far = { ...pattern, path: "Music/Pitch.md", title: "Pitch accent", passages: [] };
  for (const [corrected, match] of [[{ text: "sound", from: ["sourd"] }, "strong"], [null, "weak"]]) {
    const results = [{ ...far, match }, { ...pattern, path: "Kitchen/Starter that sleeps in the cold.md", title: "Starter", passages: [], match: "weak" }];
    app.network.trouble = ({ url }) => (url.pathname === "/api/search" ? answering({ ...reply, query: "sourd", corrected, total: 2, results })() : undefined);
    const field = app.search.getByRole("searchbox");
    await field.fill("");
    await field.pressSequentially("sourd", { delay: 20 });
    const asked = app.network.to("/api/search").length;
    await until("the server has answered", () => app.network.to("/api/search").some(({ url, status }) => status && url.searchParams.get("q") === "sourd"));
    await app.search.locator('.notewell-results[aria-busy="false"]').waitFor({ state: "attached" });
    assert.ok(asked > 0);
    const shown = await app.search.locator(".notewell-result .tree-item-inner > span").allTextContents();
    assert.ok(shown.includes("Starter that sleeps in the cold") && shown.includes("Country loaf"), shown.join());
    assert.notEqual(shown[0], "Pitch accent");
    app.network.trouble = null;
  }
});
