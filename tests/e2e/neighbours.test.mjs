// What a person sets for similar notes: what they are similar to, and which of them are shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openApp } from "./support/app.mjs";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();
const MEMORY = "Mind/Ebbinghaus and the leaky bucket.md";
const BREAD = "Kitchen/Country loaf.md";

const rowsOf = (app) => app.similar.locator('.notewell-results[aria-busy="false"] .notewell-result');
const pathsOf = (app) => rowsOf(app).locator(".tree-item-self").evaluateAll((els) => els.map((el) => el.dataset.path));
const target = (text) => held.app.similar.locator(".notewell-target", { hasText: text });

/** Opens a note and waits until the panel shows its neighbours. */
async function follow(path, app = held.app) {
  await app.command("open-similar");
  await app.openNote(path);
  const name = path.replace(/^.*\/|\.md$/g, "");
  await app.similar.locator(".notewell-target", { hasText: name }).waitFor();
  await rowsOf(app).first().waitFor();
}

/** Puts the cursor into the line that begins with `text`. */
function cursorTo(text) {
  return held.app.page.evaluate((wanted) => {
    const { workspace } = window.host.app;
    const { editor } = workspace.getMostRecentLeaf().view;
    const line = editor.getValue().split("\n").findIndex((one) => one.startsWith(wanted));
    editor.setCursor({ line, ch: 2 });
  }, text);
}

test("when it follows the section, results are similar to the section at the cursor", async () => {
  const { app } = held;
  await follow(MEMORY);
  const ofNote = await pathsOf(app);
  await app.setting("Use the current section", (row) => row.locator(".checkbox-container").click());
  await cursorTo("- **Interference");
  await target(/^Why memories fade$/).waitFor();
  await rowsOf(app).first().waitFor();
  const asked = JSON.parse(app.network.to("/api/similar").findLast(({ method }) => method === "POST").body);
  assert.match(asked.text, /^## Why memories fade/);
  assert.doesNotMatch(asked.text, /Caveats/, "it ends where the next section begins");
  assert.ok(!(await pathsOf(app)).includes(MEMORY), "the note itself is not among them");
  const count = app.network.to("/api/similar").length;
  await cursorTo("- **Missing cues");
  await app.page.waitForTimeout(1_500);
  assert.equal(app.network.to("/api/similar").length, count, "within a section nothing is asked");
  await cursorTo("Nonsense was his way");
  await target(/^Caveats$/).waitFor();
  await app.setting("Use the current section", (row) => row.locator(".checkbox-container").click());
  await app.openNote(BREAD);
  await follow(MEMORY);
  assert.deepEqual(await pathsOf(app), ofNote);
});

test("the score is shown in words, as a number, as a bar or not at all", async () => {
  const { app } = held;
  await follow(MEMORY);
  const scores = rowsOf(app).locator(".notewell-score");
  await app.setting("Score", (row) => row.locator("select").selectOption("number"));
  await rowsOf(app).locator(".notewell-score", { hasText: /^0\.\d\d$|^1\.00$/ }).first().waitFor();
  await app.setting("Score", (row) => row.locator("select").selectOption("bar"));
  await app.similar.locator(".notewell-score.mod-bar").first().waitFor();
  const width = await scores.first().evaluate((el) => el.style.getPropertyValue("--notewell-score"));
  assert.match(width, /^\d+%$/);
  assert.match(await scores.first().getAttribute("aria-label"), /\d/, "who cannot see it hears it");
  await app.setting("Score", (row) => row.locator("select").selectOption("off"));
  await scores.first().waitFor({ state: "detached" });
  assert.equal((await app.data()).score, "off");
  await app.setting("Score", (row) => row.locator("select").selectOption("number"));
  await scores.first().waitFor();
});

test("notes below the least match are left out, and weak ones shown if wanted", async () => {
  const { app } = held;
  await follow(MEMORY);
  const all = await rowsOf(app).count();
  const set = (value) => app.setting("Least match", (row) => row.locator("select").selectOption(value));
  const strong = app.network.reply("/api/similar").results.filter(({ match, path }) => match === "strong" && path !== MEMORY).length;
  await set("strong");
  await until("only strong ones are left", async () => (await rowsOf(app).count()) === strong);
  if (strong === 0) await app.similar.getByText("No note is similar enough").waitFor();
  assert.equal((await app.data()).leastMatch, "strong");
  await set("weak");
  await until("weak ones are asked for", () => app.network.to("/api/similar").some(({ url }) => url.searchParams.get("weak") === "true"));
  await until("there are at least as many as before", async () => (await rowsOf(app).count()) >= all);
  await set("related");
  await until("all are back", async () => (await rowsOf(app).count()) === all);
});

test("a note that is dropped on the panel becomes its target, and stays", async () => {
  const { app } = held;
  await follow(MEMORY);
  await app.similar.locator(".view-content").evaluate((el, path) => {
    const { app: host } = window.host;
    const dataTransfer = new DataTransfer();
    const start = new DragEvent("dragstart", { dataTransfer });
    host.dragManager.onDragStart(start, host.dragManager.dragFile(start, host.vault.getFileByPath(path)));
    el.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
    el.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    document.dispatchEvent(new DragEvent("dragend"));
  }, BREAD);
  await target("Country loaf").waitFor();
  await until("bread's neighbours show", async () => (await pathsOf(app)).some((path) => path?.startsWith("Kitchen/")));
  assert.ok(!(await pathsOf(app)).includes(BREAD));
  await app.openNote("Home.md");
  await app.page.waitForTimeout(600);
  assert.equal(await target("Country loaf").count(), 1, "it does not follow any more");
  const [{ kept }] = (await app.panels()).filter((panel) => panel.kept.type === "notewell-similar");
  assert.deepEqual(kept.state.target, { kind: "note", path: BREAD }, "and will not after a restart");
  await app.similar.getByLabel("Pin this note").click();
  await target("Home").waitFor();
});

test("a result that is dragged from the search panel becomes the target", async () => {
  const { app } = held;
  await follow(MEMORY);
  const rows = await app.searchFor("sourdough that is kept in the fridge");
  const [best] = app.network.reply("/api/search").results;
  await rows.first().locator(".tree-item-self").dragTo(app.similar.locator(".view-content"));
  await target(best.title).waitFor();
  await app.similar.getByLabel("Pin this note").click();
});

test("pinned and hidden notes stay so after a restart and a rename", async () => {
  const { app, browser, workspace } = held;
  await follow(MEMORY);
  const [first, , third] = await pathsOf(app);
  const menu = app.page.getByRole("menu");
  await app.similar.locator(`[data-path="${first}"]`).click({ button: "right" });
  await menu.getByText("Hide here").click();
  await app.similar.locator(`[data-path="${third}"]`).click({ button: "right" });
  await menu.getByText("Pin here").click();
  await until("it is kept", async () => (await app.data())?.marks?.[MEMORY]?.pinned.length === 1);
  const moved = MEMORY.replace("Mind/", "Garden/");
  await app.vault((vault, from, to) => vault.rename(vault.getFileByPath(from), to), MEMORY, moved);
  await until("the marks move", async () => (await app.data()).marks[moved]);
  const data = await app.data();
  await app.close();
  const again = await openApp(browser, workspace, { data, open: [moved] });
  held.app = again;
  await again.ready();
  await again.command("open-similar");
  await until("the pinned one is on top", async () => (await pathsOf(again))[0] === third);
  assert.ok(!(await pathsOf(again)).includes(first));
  await again.similar.getByText("Show 1 hidden").waitFor();
});
