// Notes that could not be indexed: they are counted, listed with their reasons, and tried again.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { useWorkspace } from "./support/fixture.mjs";
import { connectedTo, startServer } from "./support/server.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace();

/** Permissions bind everybody but root, unless root is started without the right to ignore them. */
const BOUND = process.getuid() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

test("notes that cannot be read are counted, listed and tried again", { skip: cannotBeBound() }, async () => {
  const { workspace } = held;
  const server = await startServer(workspace, [workspace.vault], BOUND);
  const scenario = held.withApp(connectedTo(server), async (app) => {
    await app.ready();
    for (const name of ["Locked.md", "Shut.md"]) await addUnreadable(workspace, name);
    await app.command("reindex");
    await app.says("2 errors");
    await app.statusBar.click();
    await app.page.getByRole("menu").getByText("Show notes with errors").click();
    const dialog = app.page.getByRole("dialog");
    const row = (name) => dialog.locator(".setting-item").filter({ hasText: name });
    await row("Locked.md").getByText(/cannot be read.*\d+ tr(y|ies)/s).waitFor();
    await row("Shut.md").waitFor();

    await chmod(join(workspace.vault, "Locked.md"), 0o644);
    await dialog.getByRole("button", { name: "Retry all" }).click();
    await until("it is said", async () => (await app.notices()).includes("Trying again."));
    await app.says("1 error");
    await app.command("errors");
    await row("Shut.md").waitFor();
    assert.equal(await row("Locked.md").count(), 0, "what was read is listed no more");

    await chmod(join(workspace.vault, "Shut.md"), 0o644);
    await app.vault((vault) => vault.rescan());
    await row("Shut.md").getByLabel("Open note").click();
    await until("it is open", async () => (await app.note()).path === "Shut.md");
    await app.says(/^Notewell: ready$/); // the change of its permissions is seen, or it is tried again by itself
    await app.searchFor("hidden wombat");
    const paths = app.network.reply("/api/search").results.map(({ path }) => path);
    assert.ok(paths.includes("Locked.md") && paths.includes("Shut.md"));
  });
  await scenario.finally(() => server.end());
});

/** Puts a note into the vault that nobody may read, in one step: nobody sees it half made. */
async function addUnreadable(workspace, name) {
  const made = join(workspace.root, name);
  await writeFile(made, "The hidden wombat digs.", { mode: 0o000 });
  await rename(made, join(workspace.vault, name));
}

function cannotBeBound() {
  if (BOUND.length === 0) return false;
  try {
    execFileSync(BOUND[0], [...BOUND.slice(1), "true"], { stdio: "ignore" });
    return false;
  } catch {
    return "root may read everything here";
  }
}
