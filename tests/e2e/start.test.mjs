// Starting the sidecar on this computer.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeDesk, openApp } from "./support/app.mjs";
import { launchBrowser } from "./support/browser.mjs";

let browser;
let desk;

before(async () => {
  browser = await launchBrowser();
  desk = await makeDesk();
});
after(async () => {
  await browser?.close();
  await desk?.remove();
});

test("it starts the sidecar, indexes the vault and gets ready", async () => {
  const app = await openApp(browser, desk);
  await app.ready();
  assert.deepEqual(app.programs.started.at(-1).args, ["serve", desk.vault, "--port", "0", "--handshake"]);
  const rows = await app.searchFor("sourdough that is kept in the fridge");
  assert.match(await rows.first().textContent(), /Starter that sleeps in the cold/);
  await app.close();
});
