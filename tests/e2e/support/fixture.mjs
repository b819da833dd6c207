// One browser and one vault for the tests of a file, and the app in them.

import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { makeWorkspace, openApp } from "./app.mjs";
import { launchBrowser } from "./browser.mjs";
import { connectedTo, startServer } from "./server.mjs";

/**
 * Each test opens its own app, with `withApp(options, use)`. `workspace` are the options of its
 * making. `withConnectedApp` opens one over another workspace, whose server the tests of the file
 * share: two servers cannot serve one vault.
 */
export function useWorkspace(workspace = {}) {
  const held = {};
  let shared = null;
  let server = null;
  before(() => begin(held, workspace));
  after(async () => {
    await (await server)?.end();
    await (await shared)?.remove();
    await end(held);
  });
  held.withApp = (options, use) => withApp(held.browser, held.workspace, options, use);
  held.sharedWorkspace = () => (shared ??= makeWorkspace(workspace));
  held.connected = async () => {
    const { vault, variables } = await held.sharedWorkspace();
    return connectedTo(await (server ??= startServer({ variables }, [vault])));
  };
  held.withSharedApp = async (options, use) => withApp(held.browser, await held.sharedWorkspace(), options, use);
  held.withConnectedApp = async (options, use) =>
    withApp(held.browser, await held.sharedWorkspace(), { ...(await held.connected()), ...options }, use);
  return held;
}

async function withApp(browser, workspace, options, use) {
  const app = await openApp(browser, workspace, options);
  try {
    await use(app);
  } catch (error) {
    const problems = await app.close().catch((problem) => problem.message);
    if (problems) error.message += `\n${problems}`;
    throw error;
  }
  await app.close();
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

async function begin(held, workspace) {
  await Promise.all([
    launchBrowser().then((browser) => (held.browser = browser)),
    makeWorkspace(workspace).then((made) => (held.workspace = made)),
  ]);
}

async function end(held) {
  await held.browser?.close();
  await held.workspace?.remove();
}
