// Servers that the plugin shares, or did not start itself; and a server that keeps a copy.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeWorkspace, openApp } from "./support/app.mjs";
import { COMMAND } from "./support/command.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { connectedTo, startServer } from "./support/server.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace();

test("two vaults that are open at once have separate servers", async () => {
  const other = await makeWorkspace();
  other.variables.NOTEWELL_DATA_DIR = held.workspace.variables.NOTEWELL_DATA_DIR;
  await held.withApp({}, async (one) => {
    const two = await openApp(held.browser, other);
    await one.ready();
    await two.ready();
    await two.vault((vault) => vault.create("Only there.md", "A puffin on the ledge."));
    const rows = await two.searchFor("puffin ledge");
    await two.askUntil("it is found there", async () => (await rows.allTextContents()).some((text) => text.includes("Only there")));
    await one.searchFor("puffin ledge");
    const paths = one.network.reply("/api/search").results.map(({ path }) => path);
    assert.ok(!paths.includes("Only there.md"));
    await two.close();
  });
  await other.remove();
});

test("a server that runs already is used, and left running; it finds notes with odd names, which open, and those of its other vault", async () => {
  const { workspace } = held;
  const work = join(workspace.root, "Work");
  await mkdir(work);
  await writeFile(join(work, "Kakapo.md"), "The kakapo is a parrot that cannot fly.");
  const args = ["serve", workspace.vault, work, "--port", "0"];
  const child = spawn(COMMAND, args, { env: workspace.variables, stdio: ["ignore", "ignore", "pipe"] });
  try {
    await until("it serves", () => new Promise((resolve) => child.stderr.once("data", () => resolve(true))));
    await held.withApp({}, async (app) => {
      await app.ready();
      await findsOddNames(app);
      await findsInAllVaults(app);
      await opensPages(app);
    });
    assert.equal(child.exitCode, null);
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "close");
  }
});

/** Another vault of the server is searched by choice alone, its notes are told apart, and they open there. */
async function findsInAllVaults(app) {
  const rows = await app.searchFor("kakapo parrot");
  const isShown = async () => (await rows.allTextContents()).some((text) => text.includes("Kakapo"));
  assert.equal(await isShown(), false);
  await app.search.getByRole("button", { name: "Search all vaults of the server" }).click();
  await app.askUntil("it is found in the other vault", isShown);
  const row = rows.filter({ hasText: "Kakapo" });
  assert.equal(await row.locator(".notewell-badge").first().textContent(), "Work");
  await app.page.evaluate(() => (window.open = (address) => ((window.opened = address), null)));
  await row.locator(".search-result-file-title").click();
  assert.equal(await app.page.evaluate(() => window.opened), "obsidian://open?vault=Work&file=Kakapo");
  assert.equal((await app.device()).allVaults, true);
}

/** The pages for what has no panel open in the browser, signed in. */
async function opensPages(app) {
  await app.openNote("Trips/Shikoku by bicycle.md");
  for (const [command, heading] of [["tend", "Maintenance"], ["open-graph", "Graph"]]) {
    await app.command(command);
    const page = await app.context.newPage();
    await page.goto(await app.page.evaluate(() => window.opened));
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await page.close();
  }
}

test("a mirror server gets the notes once a person agrees, and asks before it removes many", async () => {
  const workspace = await makeWorkspace({ isIndexed: false });
  workspace.variables.NOTEWELL_CONFIG = join(workspace.root, "config.toml");
  await writeFile(workspace.variables.NOTEWELL_CONFIG, '[memory]\nfolder = "Memory"\n');
  const server = await startServer(workspace, ["--mirror", "Sample"]);
  try {
    await growAndShrink(workspace, server);
  } finally {
    await server.end();
    await workspace.remove();
  }
});

/** Declines, agrees with many notes, and comes back without them. */
async function growAndShrink(workspace, server) {
  const contents = (app) =>
    app.network
      .to("/api/changes")
      .flatMap(({ body }) => JSON.parse(body).changes)
      .filter(({ content }) => content !== undefined);
  const dialog = (app) => app.page.getByRole("dialog");

  const declining = await openApp(held.browser, workspace, connectedTo(server));
  await dialog(declining).getByText("Send notes to your server?").waitFor();
  await dialog(declining).getByRole("button", { name: "Not now" }).click();
  await declining.page.waitForTimeout(500);
  assert.deepEqual(contents(declining), []);
  await declining.close();

  const agreeing = await openApp(held.browser, workspace, connectedTo(server));
  for (let n = 0; n < 90; n += 1) await agreeing.folder.write(`Many/Note ${n}.md`, `Many notes, number ${n}.`);
  await agreeing.vault((vault) => vault.rescan());
  await dialog(agreeing).getByRole("button", { name: "Send notes" }).click();
  await until("all are sent", () => new Set(contents(agreeing).map(({ path }) => path)).size >= 45 + 90);
  await agreeing.ready();
  await takeMemory(workspace, agreeing, dialog(agreeing));
  const rows = await agreeing.searchFor("sourdough starter in the fridge");
  const isShown = async () => (await rows.allTextContents()).some((text) => text.includes("Starter that sleeps in the cold"));
  await agreeing.askUntil("it is indexed there", isShown);
  const device = await agreeing.device();
  await agreeing.close();

  await agreeing.folder.remove("Many");
  const returning = await openApp(held.browser, workspace, { ...connectedTo(server), device });
  await dialog(returning).getByText(/90 of \d+ notes are missing/).waitFor();
  await dialog(returning).getByRole("button", { name: "Remove from index" }).click();
  await until("they are forgotten", () => returning.network.to("/api/guard").length === 1);
  await returning.ready();
  await returning.close();
}

/** A memory that the server writes to its copy reaches the vault, once a person agrees. */
async function takeMemory(workspace, app, dialog) {
  execFileSync(COMMAND, ["memory", "store", "The spare key is under the bucket."], { env: workspace.variables });
  await dialog.getByText("Add the server's notes to this vault?").waitFor();
  await dialog.getByRole("button", { name: "Add notes" }).click();
  const memories = () => readdir(join(workspace.vault, "Memory")).catch(() => []);
  await until("the memory is in the vault", async () => (await memories()).length === 1);
  await until("it is confirmed", () => app.network.to("/api/changes/confirm").length > 0);
}

async function findsOddNames(app) {
  const names = ["50% off & more", "naïve (draft)", "e\u0301tude", "what's “this”", "'--flag", "plus+sign 100%25"];
  for (const [n, name] of names.entries()) {
    await app.vault((vault, path, text) => vault.create(path, text), `${name}.md`, `The zorilla number ${n} sleeps.`);
  }
  await app.command("open-search");
  await app.page.mouse.move(700, 20);
  await app.search.getByRole("searchbox").fill("zorilla");
  const isAnswered = () => app.network.to("/api/search").some(({ status }) => status !== 0);
  const found = () =>
    isAnswered() ? app.network.reply("/api/search").results.filter(({ snippet }) => snippet.includes("zorilla")) : [];
  await app.askUntil("all are found", () => found().length === names.length);
  for (const { path } of found()) {
    await app.search.locator(`[data-path="${quoted(path)}"]`).click();
    await until(`“${path}” is open`, async () => (await app.note()).path.normalize("NFC") === path);
  }
  for (const name of names) await app.vault((vault, path) => vault.delete(vault.getFileByPath(path)), `${name}.md`);
}

/** A text within quotes of a selector. */
function quoted(text) {
  return text.replace(/["\\]/g, "\\$&");
}
