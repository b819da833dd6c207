// The web interface in a real browser, on a real server over a copy of the sample vault.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { launchBrowser } from "../support/browser.mjs";
import { copyIndexedSample } from "../support/sample.mjs";
import { serve } from "./server.mjs";
import { READY_MS, SHOWN_MS, until } from "../support/wait.mjs";

export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/**
 * A server and a browser for the tests of a file. `notes` are written into a second vault, "Other";
 * `sample` are more files of the first. `settings` returns the text of the server's configuration.
 */
export function usePages(notes = {}, { sample: more = {}, settings = () => "" } = {}) {
  const held = {};
  before(async () => {
    held.root = await realpath(await mkdtemp(join(tmpdir(), "notewell-web-")));
    const [sample, other] = [join(held.root, "Sample"), join(held.root, "Other")];
    await copyIndexedSample(sample, join(held.root, "data"));
    await mkdir(other);
    await writeFile(join(other, "Alone.md"), "# Alone\n\nA note about bees in another vault.\n");
    for (const [path, text] of Object.entries(notes)) await writeFile(join(other, path), text);
    for (const [path, text] of Object.entries(more)) await put(join(sample, path), text);
    await put(join(held.root, "config/notewell/config.toml"), settings());
    await Promise.all([
      serve(held.root, sample, other).then((server) => (held.server = server)),
      launchBrowser().then((browser) => (held.browser = browser)),
    ]);
    held.url = `http://127.0.0.1:${held.server.port}`;
    for (const vault of ["Sample", "Other"]) await until("the notes are indexed", () => isReady(held, vault), READY_MS);
  });
  after(async () => {
    await held.browser?.close();
    await held.server?.end();
    await rm(held.root, { recursive: true, force: true });
  });
  /** Opens a page that is signed in, and holds it to the rules for all pages when it is closed. `prepare` gets it empty. */
  held.visit = async (options, use) => {
    const { hash = "#/search?vault=Sample", signedIn = true, prepare, ...look } = options;
    const context = await held.browser.newContext({ ...DESKTOP, ...look });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: held.url });
    const page = await context.newPage();
    page.setDefaultTimeout(SHOWN_MS);
    const watched = watch(page, held.url);
    try {
      await prepare?.(page);
      await page.goto(signedIn ? `${held.url}/?token=${held.server.token}${hash}` : `${held.url}/${hash}`);
      if (signedIn) await page.waitForFunction(() => localStorage.getItem("notewell-page-key"));
      await use(page, watched);
      assert.deepEqual(watched.problems, [], "nothing went wrong in the console");
      assert.deepEqual(watched.foreign, [], "no other server was asked");
    } catch (error) {
      console.log(`${page.url()} showed:\n${await page.locator("body").innerText().catch(() => "nothing")}`);
      throw error;
    } finally {
      await context.close();
    }
  };
  return held;
}

async function put(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** What a page says in its console, and whom it asks. */
function watch(page, url) {
  const watched = { problems: [], foreign: [] };
  page.on("console", (message) => {
    // What Chromium says of drawing by software is not about the page.
    if (message.text().includes("GL Driver Message")) return;
    if (["error", "warning"].includes(message.type())) watched.problems.push(message.text());
  });
  page.on("pageerror", (error) => watched.problems.push(error.stack));
  page.on("dialog", (dialog) => {
    watched.problems.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`)) watched.foreign.push(request.url());
  });
  return watched;
}

async function isReady({ url, server }, vault) {
  const answer = await fetch(`${url}/api/status?vault=${vault}`, { headers: { Authorization: `Bearer ${server.token}` } });
  const { notes, queue } = await answer.json();
  return notes > 0 && queue.pending === 0;
}

/** Types a query and waits for its results. */
export async function search(page, words) {
  await page.getByRole("combobox", { name: "Search your notes" }).fill(words);
  await page.waitForFunction((q) => new URLSearchParams(location.hash.split("?")[1]).get("q") === q, words);
  await page.locator("[data-result]").first().waitFor();
  return page.locator("[data-result]");
}
