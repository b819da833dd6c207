// One browser and one vault for the tests of a file, and the app in them.

import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { makeWorkspace, openApp } from "./app.mjs";
import { launchBrowser } from "./browser.mjs";

/** Each test opens its own app, with `withApp(options, use)`. */
export function useWorkspace() {
  const held = {};
  before(() => begin(held));
  after(() => end(held));
  held.withApp = async (options, use) => {
    const app = await openApp(held.browser, held.workspace, options);
    try {
      await use(app);
    } catch (error) {
      const problems = await app.close().catch((problem) => problem.message);
      if (problems) error.message += `\n${problems}`;
      throw error;
    }
    await app.close();
  };
  return held;
}

/** One app that is ready, shared by the tests of the file as `app`. */
export function useApp(options) {
  const held = {};
  before(async () => {
    await begin(held);
    held.app = await openApp(held.browser, held.workspace, options);
    await held.app.ready();
  });
  afterEach(async () => {
    held.app.network.trouble = null;
    await held.app.page.keyboard.press("Escape");
    assert.deepEqual(held.app.problems.splice(0), [], "nothing went wrong in the console");
  });
  after(async () => {
    await held.app?.close();
    await end(held);
  });
  return held;
}

async function begin(held) {
  held.browser = await launchBrowser();
  held.workspace = await makeWorkspace();
}

async function end(held) {
  await held.browser?.close();
  await held.workspace?.remove();
}
