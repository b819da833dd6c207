// The server's port comes to belong to something else while the plugin is at work.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { makeWorkspace, openApp } from "./support/app.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { connectedTo, freePort, startHomeServer } from "./support/server.mjs";
import { READY_MS, until } from "./support/wait.mjs";

/** What the tests with a real server share: an app that is ready, and a server that comes and goes at one port. */
const home = {};
// Before the browser and the folder are gone, so before theirs.
after(async () => {
  await home.app?.close();
  await home.server?.end();
});
const held = useWorkspace();
const WRITES = ["/api/changes", "/api/sync", "/api/reindex", "/api/guard"];

const says = (app, text) => app.search.getByText(text).first().waitFor({ timeout: READY_MS });

/** Something else that listens on `port`, answers everything with `body`, and counts. */
async function stranger(port, body, status = 200) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(status, { "Content-Type": "text/html" }).end(body);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const end = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { end, asked: () => asked };
}

/** What they share, made for the first of them. */
function atHome() {
  return (home.made ??= (async () => {
    home.port = await freePort();
    home.app = await openApp(held.browser, held.workspace, connectedTo(await again()));
    await home.app.ready();
    await home.app.command("open-search");
    return home;
  })());
}

/** Starts the server, or starts it again. */
async function again() {
  const { workspace } = held;
  home.server = await startHomeServer(workspace, [workspace.vault], home.port, home.server?.token);
  return home.server;
}

const kill = () => home.server.end("SIGKILL");

const writes = (app) => app.network.requests.filter(({ url }) => WRITES.includes(url.pathname));
const sent = (app) => app.network.to("/api/changes").filter(({ status }) => status === 202).map(({ body }) => body).join();

test("a router's page at the address is no server: polled ever less often, sent nothing, dropped at once", async () => {
  const { app, port } = await atHome();
  await kill();
  const router = await stranger(port, "<!doctype html><title>A router</title>");
  await app.vault((vault) => vault.create("While away.md", "The numbat eats termites."));
  await says(app, "Not a Notewell server");
  await app.statusBar.filter({ hasText: "1 waiting" }).waitFor();
  const before = router.asked();
  await app.page.waitForTimeout(6_000);
  assert.ok(router.asked() - before <= 4, `it was asked ${router.asked() - before} times in 6 s`);
  await router.end();
  await again();
  await app.tryAgain();
  await app.ready();
  await until("what was kept is sent", () => sent(app).includes("While away.md"));
});

test("a reply outside the contract is not taken for a server", () => {
  const answers = [["<html>", 200], ["", 200], ["{}", 200], ['{"status":"ok"}', 200], ["Bad gateway", 502], ["\u0000\ufffd", 418]];
  let answer = answers[0];
  const trouble = () => ({ status: answer[1], headers: {}, text: answer[0] });
  return held.withApp({ ...connectedTo({ port: 1, token: "x" }), trouble }, async (app) => {
    await app.command("open-search");
    for (answer of answers) {
      const before = app.network.requests.length;
      await app.page.evaluate(() => window.dispatchEvent(new Event("focus")));
      await until("it is asked again", () => app.network.requests.length > before);
      await app.page.waitForTimeout(100);
      await says(app, "Not a Notewell server");
    }
    await app.page.waitForTimeout(3_000);
    assert.ok(app.network.requests.length <= 3 * answers.length, "it is asked less and less");
    assert.deepEqual(writes(app), []);
  });
});

test("a server that accepts the token but serves another vault gets nothing of this one", async () => {
  const { app, port } = await atHome();
  await kill();
  const other = await makeWorkspace({ name: "Other" });
  other.variables.NOTEWELL_DATA_DIR = held.workspace.variables.NOTEWELL_DATA_DIR;
  const stranger = await startHomeServer(other, [other.vault], port);
  const from = writes(app).length;
  await app.vault((vault) => vault.create("Private.md", "Not for other vaults."));
  await says(app, "Vault not found");
  await says(app, /It serves: Other\./);
  assert.deepEqual(writes(app).slice(from).filter(({ status }) => status !== 0 && status < 400), []);
  await stranger.end();
  await other.remove();
  await again();
  await app.tryAgain();
  await app.ready();
  await until("its own server gets it", () => sent(app).includes("Private.md"));
});

test("a server that was killed and restarted is found automatically", async () => {
  await atHome();
  await held.withApp(connectedTo(home.server), async (app) => {
    await app.ready();
    await app.command("open-search");
    await kill();
    await app.search.getByRole("searchbox").fill("bread");
    await says(app, "Offline");
    await again();
    await app.ready();
    await app.search.locator(".notewell-result").first().waitFor();
  });
});
