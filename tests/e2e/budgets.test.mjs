// What the plugin may cost, in a vault of 20,000 notes. Times are told and not judged: a busy
// machine says nothing of the plugin. What is judged are counts and bytes.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./support/command.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { MadeUpServer } from "./support/madeUp.mjs";
import { READY_MS, until } from "./support/wait.mjs";

const NOTES = 20_000;
const MB = 1_000_000;
const held = useWorkspace();

function madeUpNotes() {
  const folders = Array.from({ length: 100 }, (_, n) => `A folder with a name of some length ${n}`);
  const times = { size: 0, mtime: 1.7e12, ctime: 1.7e12 };
  const notes = Array.from({ length: NOTES }, (_, n) => `${folders[n % 100]}/A note with a title of usual length ${n}.md`);
  return [
    ...folders.map((path) => ({ path, isFolder: true, text: null, ...times })),
    ...notes.map((path) => ({ path, isFolder: false, text: "", ...times })),
  ];
}

/** The bytes that live in the page once what is garbage is gone. */
async function liveBytes(inspector) {
  await inspector.send("HeapProfiler.collectGarbage");
  await inspector.send("HeapProfiler.collectGarbage");
  return (await inspector.send("Runtime.getHeapUsage")).usedSize;
}

/** Tells the plugin that every note changed; returns how long that took. */
function changeAll(app) {
  return app.page.evaluate(() => {
    const { vault } = window.host.app;
    const started = performance.now();
    for (const file of vault.getMarkdownFiles()) vault.trigger("modify", file);
    return performance.now() - started;
  });
}

test("its state is at most 20 MB, with 20,000 changes that wait for a server included", async (t) => {
  const server = new MadeUpServer();
  server.isAway = true;
  await held.withApp({ ...server.options, madeUp: madeUpNotes() }, async (app) => {
    const inspector = await app.context.newCDPSession(app.page);
    await app.statusBar.filter({ hasText: "words only" }).waitFor();
    const empty = await liveBytes(inspector);

    server.isAway = false;
    await app.command("connect");
    await app.ready();
    const [{ body }] = await until("it compared the vault", () => app.network.to("/api/sync"));
    assert.ok(JSON.parse(body).files.length > NOTES);
    await app.page.waitForTimeout(500);
    const connected = (await liveBytes(inspector)) - empty;

    server.isAway = true;
    await app.command("open-search");
    await app.search.getByRole("searchbox").fill("anything");
    await app.search.getByText("Offline", { exact: true }).waitFor();
    const eventsMs = await changeAll(app);
    await app.statusBar.filter({ hasText: /20[ ,.]?\d{3} waiting/ }).waitFor();
    const waiting = (await liveBytes(inspector)) - empty;
    const told = [connected, waiting].map((bytes) => `${(bytes / MB).toFixed(1)} MB`);
    t.diagnostic(`connected ${told[0]}, with all changes waiting ${told[1]}; their events took ${eventsMs.toFixed(0)} ms`);
    assert.ok(connected < 20 * MB && waiting < 20 * MB, told.join());

    server.isAway = false;
    await app.command("connect");
    await until("all are sent", () => server.changes >= NOTES, READY_MS);
    await app.ready();
    const after = (await liveBytes(inspector)) - empty;
    assert.ok(after < 20 * MB, `${after} bytes stay`);

    const batches = app.network.to("/api/changes").length;
    const burstMs = await changeAll(app);
    await until("all are sent again", () => server.changes >= 2 * NOTES, READY_MS);
    const sent = app.network.to("/api/changes").length - batches;
    t.diagnostic(`as many events while it is connected took ${burstMs.toFixed(0)} ms, and ${sent} requests`);
    assert.ok(sent <= 2 * (NOTES / 200), "they go in large batches");

    // The index of words has the changed notes by now; another round of changes leaves nothing behind.
    await app.ready();
    const again = (await liveBytes(inspector)) - empty;
    assert.ok(again < after + MB, `${again} bytes stay after ${after}`);
  });
});

test("the plugin does nothing at a key press and little at a save", async (t) => {
  const server = new MadeUpServer();
  const progress = { ...server.status.progress, phase: "reading", notes_read: 100, notes: NOTES, eta_s: 600 };
  server.status = { ...server.status, state: "indexing", progress };
  await held.withApp({ ...server.options, madeUp: madeUpNotes() }, async (app) => {
    await app.statusBar.filter({ hasText: /\d\/\d/ }).waitFor();
    await app.command("open-similar");
    await app.searchFor("bread");
    await app.page.locator(".cm-content:visible").first().click();
    await app.page.waitForTimeout(3_000); // the vault is compared, the panels are at rest
    await app.page.evaluate(watchWork);
    const inspector = await app.context.newCDPSession(app.page);
    await inspector.send("Profiler.enable");
    await inspector.send("Profiler.setSamplingInterval", { interval: 200 });
    await inspector.send("Profiler.start");
    const from = app.network.requests.length;
    const started = Date.now();
    await app.page.keyboard.type("The quick brown fox jumps over the lazy dog. ".repeat(3).slice(0, 100), { delay: 30 });
    const typedMs = Date.now() - started;
    const { profile } = await inspector.send("Profiler.stop");
    const { redrawn, longTasks } = await app.page.evaluate(() => window.work);
    const routes = app.network.requests.slice(from).map(({ url }) => url.pathname);
    const polls = Math.ceil(typedMs / 1_000) + 2;
    const { longest, all } = pluginWork(profile);
    t.diagnostic(
      `in ${typedMs} ms of typing the plugin worked ${all.toFixed(1)} ms, ${longest.toFixed(1)} ms at most at a time; ` +
        `${longTasks.length} long tasks in the page; ${routes.length} requests; panels redrawn ${redrawn} times`,
    );
    assert.ok((await app.note()).text.includes("The quick brown fox"));
    assert.deepEqual(routes.filter((route) => route !== "/api/status" && route !== "/api/changes"), []);
    assert.ok(routes.length <= 2 * polls, "nothing is asked at a key");
    assert.ok(redrawn <= polls, "nothing is drawn at a key");
  });
});

/** In the page: counts how often the plugin's panels change, and the page's long tasks. */
function watchWork() {
  const work = (window.work = { redrawn: 0, longTasks: [] });
  const panels = document.querySelectorAll('[data-type^="notewell"]');
  const observer = new MutationObserver(() => (work.redrawn += 1));
  for (const panel of panels) observer.observe(panel, { subtree: true, childList: true, attributes: true, characterData: true });
  const longTasks = new PerformanceObserver((list) => work.longTasks.push(...list.getEntries().map(({ duration }) => duration)));
  longTasks.observe({ entryTypes: ["longtask"] });
}

/** Milliseconds in which code of the plugin was on the stack: in all, and at most in one stretch. */
function pluginWork({ nodes, samples, timeDeltas }) {
  const isPlugin = new Map();
  const mark = (id, within) => {
    const node = nodes.find((one) => one.id === id);
    const is = within || node.callFrame.url === "plugin.js";
    isPlugin.set(id, is);
    for (const child of node.children ?? []) mark(child, is);
  };
  mark(nodes[0].id, false);
  let [all, longest, stretch] = [0, 0, 0];
  samples.forEach((id, n) => {
    const ms = timeDeltas[n] / 1_000;
    stretch = isPlugin.get(id) ? stretch + ms : 0;
    if (isPlugin.get(id)) all += ms;
    longest = Math.max(longest, stretch);
  });
  return { all, longest };
}

test("the bundle has at most 200,000 bytes", async (t) => {
  const { size } = await stat(join(ROOT, "main.js"));
  t.diagnostic(`main.js has ${size} bytes`);
  assert.ok(size <= 200_000, `main.js has ${size} bytes`);
});
