// The quick search, all by keyboard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();
const QUERY = "how memory fades";

/** Opens the dialog and waits for what it finds. Returns the results. */
async function find(query) {
  const { app } = held;
  await app.command("quick-search");
  await app.page.locator(".prompt-input").fill(query);
  const results = await until("the server's answer is shown", async () => {
    const answered = app.network.to("/api/search").some(({ status, url }) => status !== 0 && url.searchParams.get("q") === query);
    const found = answered ? app.network.reply("/api/search").results : [];
    const shown = await app.page.locator(".prompt .suggestion-title").allTextContents();
    return found.length > 1 && found.slice(0, 2).every(({ title }, at) => title === shown[at]) && found;
  });
  return results;
}

const selected = () => held.app.page.locator(".prompt .suggestion-item.is-selected .suggestion-title");
const press = (key) => held.app.page.keyboard.press(key);

test("arrows choose, Enter opens at the passage", async () => {
  const { app } = held;
  const results = await find(QUERY);
  await press("ArrowDown");
  assert.equal(await selected().textContent(), results[1].title);
  await press("ArrowUp");
  await press("Control+j");
  assert.equal(await selected().textContent(), results[1].title);
  await press("Control+p");
  assert.equal(await selected().textContent(), results[0].title);
  await press("ArrowDown");
  await press("Enter");
  await until("it is open", async () => (await app.note()).path === results[1].path);
  assert.equal((await app.note()).line, results[1].line);
  assert.equal(await app.page.locator(".prompt").count(), 0);
});

test("how well notes match is said once for those that match alike", async () => {
  const results = await find(QUERY);
  const said = await held.app.page.locator(".prompt .suggestion-item").evaluateAll((items) => items.map((item) => item.querySelector(".suggestion-flair")?.textContent ?? ""));
  const words = { strong: "strong match", related: "related", weak: "weak" };
  const wanted = results.map(({ match }, at) => (match === results[at - 1]?.match ? "" : words[match]));
  assert.deepEqual(said.slice(0, 2), wanted.slice(0, 2));
  await press("Escape");
});

test("Ctrl+Enter opens a tab, Ctrl+O one in the background", async () => {
  const { app } = held;
  const before = await app.openNotes();
  const results = await find("true a wheel");
  await press("Control+Enter");
  await until("a tab is open", async () => (await app.openNotes()).length === before.length + 1);
  // The better answers may have arrived between the look at the list and the key.
  const front = await until("it is in front", async () => {
    const { path } = await app.note();
    return results.some((one) => one.path === path) && path;
  });
  const others = await find("pitch accent");
  await press("Control+o");
  await until("a tab is open", async () => (await app.openNotes()).length === before.length + 2);
  assert.equal((await app.note()).path, front, "the note in front stays");
  // As above: it may be one of the better answers. A tab is there before its note is.
  const shown = await app.page.locator(".prompt .suggestion-title").allTextContents();
  const known = [...others.map(({ path }) => path), ...shown.map((title) => `/${title.trim()}.md`)];
  await until("it has one of the notes", async () => {
    const open = await app.openNotes();
    return open.some((path) => path && path !== front && known.some((end) => `/${path}`.endsWith(end)));
  });
  await press("Escape");
});

test("Alt+Enter inserts a link", async () => {
  const { app } = held;
  await app.openNote("Home.md");
  const [best] = await find(QUERY);
  await press("Alt+Enter");
  await until("the link is written", async () => (await app.note()).text.includes(`[[${best.title}#`));
});

test("Tab searches within the note, Ctrl+G hides excerpts", async () => {
  const { app } = held;
  const [best] = await find(QUERY);
  await press("Tab");
  const titles = app.page.locator(".prompt .suggestion-title");
  await until("only its passages show", async () => {
    const shown = await titles.allTextContents();
    return shown.length > 0 && shown.every((title) => title === best.title);
  });
  await press("Tab");
  await until("all notes show again", async () => new Set(await titles.allTextContents()).size > 1);
  await press("Control+g");
  await app.page.locator(".prompt .notewell-snippet").first().waitFor({ state: "detached" });
  await press("Escape");
});

test("Shift+Enter creates the missing note", async () => {
  const { app } = held;
  await find("A note: that/is missing?");
  await press("Shift+Enter");
  await until("it is open", async () => (await app.note()).path === "A note that is missing.md");
  await app.vault((vault) => vault.delete(vault.getFileByPath("A note that is missing.md")));
});

test("the selected text is searched for, and earlier searches are offered", async () => {
  const { app } = held;
  await find(QUERY);
  await press("Enter");
  await app.openNote("Home.md");
  await app.page.evaluate(() => {
    const { workspace } = window.host.app;
    workspace.setActiveLeaf(workspace.getMostRecentLeaf());
    const { editor } = workspace.activeEditor;
    editor.setSelection({ line: 0, ch: 0 }, { line: 0, ch: 0 });
    editor.replaceSelection("pitch accent");
    editor.setSelection({ line: 0, ch: 0 }, { line: 0, ch: 12 });
  });
  await app.command("quick-search");
  const field = app.page.locator(".prompt-input");
  assert.equal(await field.inputValue(), "pitch accent");
  await press("Alt+ArrowUp");
  assert.equal(await field.inputValue(), QUERY);
  await press("Escape");
  assert.equal(await app.page.locator(".prompt").count(), 0);
});

test("before a letter is typed: what belongs to the paragraph with the cursor, then what was opened lately", async () => {
  const { app } = held;
  await app.openNote("People/Mara Lindqvist.md");
  await app.openNote("Kitchen/Country loaf.md");
  await app.command("quick-search");
  const rows = () => app.page.locator(".prompt .suggestion-item");
  const answered = await until("the server answered", async () => {
    const last = app.network.to("/api/note/around").at(-1);
    return last?.status === 200 && last.url.searchParams.get("path") === "Kitchen/Country loaf.md" && app.network.reply("/api/note/around").results;
  });
  assert.ok(answered.length >= 3 && answered.every(({ path }) => path !== "Kitchen/Country loaf.md"));
  await until("they are shown first", async () => {
    const shown = await app.page.locator(".prompt .suggestion-title").allTextContents();
    return answered.every(({ title }, at) => title === shown[at]) && shown.includes("Mara Lindqvist");
  });
  const said = await rows().evaluateAll((items) => items.map((item) => item.querySelector(".suggestion-flair")?.textContent ?? "").filter(Boolean));
  assert.deepEqual(said, ["For this paragraph", "Lately"]);
  await press("Alt+Enter");
  await until("it is linked", async () => (await app.note()).text.includes(`[[${answered[0].title}`));
});
