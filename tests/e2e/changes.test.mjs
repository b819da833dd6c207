// Changes in the vault reach the index.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useApp } from "./support/fixture.mjs";
import { refusing } from "./support/network.mjs";
import { until } from "./support/wait.mjs";

const held = useApp();

/** Everything that was sent, in order. */
const sent = () =>
  held.app.network
    .to("/api/changes")
    .filter(({ status }) => status === 202)
    .flatMap(({ body }) => JSON.parse(body).changes)
    .map(({ kind, path, old_path: from }) => (from ? `${kind} ${from} ${path}` : `${kind} ${path}`));

/** Waits until a search finds a note under that path. */
async function found(query, path) {
  const { app } = held;
  await app.command("open-search");
  await app.page.mouse.move(700, 20); // nothing is held in its place under the pointer
  await app.search.getByRole("searchbox").fill(query);
  const first = app.search.locator(`.notewell-result:first-child [data-path="${path}"]`);
  await app.askUntil(`“${path}” is found`, () => first.count());
}

test("what is typed into a note is found a moment later", async () => {
  const { app } = held;
  await app.openNote("Home.md");
  await app.page.locator(".cm-content:visible").first().click();
  await app.page.keyboard.press("Control+End");
  await app.page.keyboard.type("\n\nThe quillwort grows beside the tarn.", { delay: 5 });
  await until("the change is sent", () => sent().includes("modify Home.md"));
  assert.equal(sent().filter((change) => change === "modify Home.md").length, 1, "once, not at every save");
  await found("quillwort", "Home.md");
  const bodies = app.network.to("/api/changes").map(({ body }) => body);
  assert.ok(bodies.every((body) => !body.includes("quillwort")), "a server that reads the folder gets no text");
});

test("a note is created, renamed and deleted", async () => {
  const { app } = held;
  await app.vault((vault) => vault.create("Ferns.md", "The adder's-tongue likes old meadows."));
  await found("adder's-tongue", "Ferns.md");
  // The server may have seen the file before the plugin tells of it; a name that was never sent is not renamed.
  await until("it is sent", () => sent().includes("create Ferns.md"));
  await app.vault((vault) => vault.rename(vault.getFileByPath("Ferns.md"), "Garden/Old ferns.md"));
  await found("adder's-tongue", "Garden/Old ferns.md");
  await until("its new name is sent", () => sent().includes("rename Ferns.md Garden/Old ferns.md"));
  await app.vault((vault) => vault.delete(vault.getFileByPath("Garden/Old ferns.md")));
  await until("its end is sent", () => sent().includes("delete Garden/Old ferns.md"));
});

test("renaming a folder renames its notes, each sent once", async () => {
  const { app } = held;
  const before = sent().length;
  await app.vault((vault) => vault.rename(vault.getFolderByPath("Garden"), "Allotment"));
  await until("all are sent", () => sent().length >= before + 3);
  await app.page.waitForTimeout(800);
  assert.deepEqual(sent().slice(before).sort(), [
    "rename Garden/Bed plan 2026.md Allotment/Bed plan 2026.md",
    "rename Garden/Kompost.md Allotment/Kompost.md",
    "rename Garden/Slugs.md Allotment/Slugs.md",
  ]);
  await found("leopard slug", "Allotment/Slugs.md");
});

test("changes by another program in the folder are indexed", async () => {
  const { app } = held;
  await app.folder.write("From outside.md", "A curlew calls over the mudflat.");
  await app.vault((vault) => vault.rescan());
  await found("curlew mudflat", "From outside.md");
  // The server has eyes of its own and may be faster; what the plugin tells must not be left over
  // for the next scenario.
  await until("the plugin has told of it", () => sent().includes("create From outside.md"));
});

test("changes are stored and merged while the server is away, and sent when it is back", async () => {
  const { app } = held;
  const before = sent().length;
  app.network.trouble = refusing;
  await app.command("open-search");
  await app.search.getByRole("searchbox").fill("anything at all");
  await app.search.getByText("Offline", { exact: true }).waitFor();
  await app.vault(async (vault) => {
    await vault.create("One.md", "A dipper in the beck.");
    await vault.rename(vault.getFileByPath("One.md"), "Two.md");
    await vault.create("Gone.md", "x");
    await vault.delete(vault.getFileByPath("Gone.md"));
    await vault.delete(vault.getFileByPath("From outside.md"));
    await vault.rename(vault.getFileByPath("Allotment/Slugs.md"), "Slugs.md");
    await vault.rename(vault.getFileByPath("Slugs.md"), "Allotment/Slugs and snails.md");
  });
  await app.statusBar.filter({ hasText: /waiting/ }).waitFor();
  assert.equal(sent().length, before);
  app.network.trouble = null;
  await app.tryAgain();
  await app.ready();
  await found("dipper beck", "Two.md");
  await until("they are sent", () => sent().length >= before + 3); // the server may see them first
  assert.deepEqual(sent().slice(before).sort(), [
    "create Two.md",
    "delete From outside.md",
    "rename Allotment/Slugs.md Allotment/Slugs and snails.md",
  ]);
});

test("every connection compares the vault with the server's list", async () => {
  const { app } = held;
  const [first] = app.network.to("/api/sync");
  const { files } = JSON.parse(first.body);
  const notes = await app.vault((vault) => vault.getMarkdownFiles().length);
  assert.ok(Math.abs(files.length - notes) <= 3);
  assert.ok(files.every(([path, size, mtime]) => path && size >= 0 && Number.isInteger(mtime)));
});
