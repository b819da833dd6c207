// The app's command line, with a server and without one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp, useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();
const alone = useWorkspace();
const run = (command, given = {}) => held.app.page.evaluate(([name, flags]) => window.host.app.runCli(name, flags), [command, given]);

test("notes are searched, and the best comes first", async () => {
  await until("the server answers", async () => (await run("notewell:status")).includes("notes"));
  const printed = await run("notewell", { query: "how memory fades", limit: "2" });
  assert.match(printed, /^Mind\/.+\.md:\d+\n {2}\S/);
  const { results } = JSON.parse(await run("notewell", { query: "how memory fades", limit: "2", format: "json" }));
  assert.equal(results.length, 2);
  assert.ok(results.every(({ path, line, match }) => path.endsWith(".md") && line > 0 && match));
});

test("similar notes are those of the note that is named, or is open", async () => {
  const { results } = JSON.parse(await run("notewell:similar", { path: "Method of loci", format: "json" }));
  assert.ok(results.length > 0 && results.every(({ title }) => title !== "Method of loci"));
  assert.equal(await run("notewell:similar", { path: "Nowhere" }), "Error: there is no note “Nowhere”.");
});

test("changed notes are read again; an empty query is told", async () => {
  assert.equal(await run("notewell:reindex"), "Reindexing has begun.");
  assert.equal(await run("notewell", { query: " " }), "Error: query= is missing.");
});

test("without a server words answer, and reindexing says so", async () => {
  await alone.withApp({ device: {} }, async (app) => {
    const ask = (command, given) => app.page.evaluate(([name, flags]) => window.host.app.runCli(name, flags), [command, given]);
    await until("the words are read", async () => (await ask("notewell", { query: "sourdough" })).includes(".md:"));
    assert.match(await ask("notewell:reindex", {}), /does not run/);
  });
});
