// What the plugin costs alone, without any server, in a vault of thousands of notes, measured in a
// real browser:
//
//   node tests/e2e/bench/largeVault.mjs FOLDER [--out tests/e2e/bench/results] [--kind phone]
//
// after `npm run build && tsc -p tests/host`. Each figure is beside its aim. Times are of this
// machine; the page that replaces Obsidian reads notes through the test process, more slowly than the app.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../support/app.mjs";
import { launchBrowser } from "../support/browser.mjs";
import { ROOT } from "../support/command.mjs";
import { until } from "../support/wait.mjs";

const QUERIES = 60;
const MB = 1_000_000;
const NOTHING = 'const { Plugin } = require("obsidian"); module.exports = class extends Plugin {};';
const LIMITS = { desktop: 100, phone: 20 };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, kind: { type: "string", default: "desktop" } },
});

/** Words of the vault's own notes, two by two: the same ones in every run. */
function queries(folder) {
  const notes = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".md")).sort();
  const texts = Array.from({ length: QUERIES }, (_, n) => readFileSync(join(folder, notes[Math.floor((n * notes.length) / QUERIES)]), "utf8"));
  return texts.map((text) => (text.match(/\p{L}{4,}/gu) ?? ["plugin", "theme"]).slice(-2).join(" "));
}

/** In the page: how long each query takes from the key to the drawn list, the wait for a pause in typing included. */
async function searchTimes(wanted) {
  const field = document.querySelector('[data-type="notewell-search"] input');
  const list = document.querySelector('[data-type="notewell-search"] .notewell-results');
  const times = [];
  for (const query of wanted) {
    const began = performance.now();
    const answered = new Promise((resolve) => {
      const seen = new MutationObserver(() => {
        if (list.getAttribute("aria-busy") !== "false" || performance.now() - began < 5) return;
        seen.disconnect();
        resolve();
      });
      seen.observe(list, { attributes: true, childList: true, subtree: true });
    });
    field.value = query;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await answered;
    times.push(performance.now() - began);
  }
  return times;
}

/** In the page: how long quick search takes from the key to names that begin so, in one task. */
function nameTimes(wanted) {
  const input = document.querySelector(".prompt-input");
  return wanted.map((query) => {
    const began = performance.now();
    input.value = query;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.querySelectorAll(".prompt .suggestion-title").forEach((el) => el.textContent);
    return performance.now() - began;
  });
}

function watchTasks() {
  window.longTasks = [];
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ["longtask"] });
}

async function liveMegabytes(app) {
  const inspector = await app.context.newCDPSession(app.page);
  for (let again = 0; again < 2; again += 1) await inspector.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await inspector.send("Runtime.getHeapUsage");
  await inspector.detach();
  return (usedSize + backingStorageSize) / MB;
}

/** What the page takes with the same vault and a plugin that does nothing. */
async function withoutPlugin(browser, workspace, kind) {
  const app = await openApp(browser, workspace, { device: {}, open: [], kind, code: NOTHING });
  const megabytes = await liveMegabytes(app);
  await app.close();
  return megabytes;
}

/** Opens the app and waits until all text is read. */
async function readWhole(browser, workspace, options) {
  const app = await openApp(browser, workspace, { device: {}, open: [], ...options });
  const began = performance.now();
  await app.page.evaluate(watchTasks);
  await app.command("open-search");
  const first = await app.page.evaluate(firstFullText);
  await app.search.getByRole("searchbox").fill("");
  await until("all notes are read", async () => {
    const text = (await app.search.textContent()) ?? "";
    return /Your [\d,.]+ notes/.test(text) && !text.includes("so far");
  }, 300_000);
  const wholeMs = performance.now() - began;
  return { app, first, wholeMs, longTasks: await app.page.evaluate(() => window.longTasks) };
}

/** In the page: milliseconds until a word of a note's text, not of its name, is found. */
async function firstFullText() {
  const began = performance.now();
  const field = document.querySelector('[data-type="notewell-search"] input');
  for (;;) {
    field.value = "because";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve, 120));
    if (document.querySelector('[data-type="notewell-search"] .search-result-file-matched-text')) return performance.now() - began;
    if (performance.now() - began > 120_000) throw new Error("No text was found.");
  }
}

const at = (share, times) => [...times].sort((one, other) => one - other)[Math.min(times.length - 1, Math.floor(share * times.length))];
const longest = (times) => Math.max(0, ...times);

async function measure(folder, kind) {
  const browser = await launchBrowser();
  const home = mkdtempSync(join(tmpdir(), "notewell-bench-"));
  const workspace = { root: home, vault: folder, variables: {} };
  try {
    const { app, first, wholeMs, longTasks } = await readWhole(browser, workspace, { kind });
    const notes = await app.page.evaluate(() => window.host.app.vault.getMarkdownFiles().length);
    const wanted = queries(folder);
    await app.page.evaluate(searchTimes, wanted.slice(0, 5));
    const words = await app.page.evaluate(searchTimes, wanted);
    await app.command("quick-search");
    const names = await app.page.evaluate(nameTimes, wanted.map((query) => query.slice(0, 3)));
    await app.page.keyboard.press("Escape");
    const megabytes = (await liveMegabytes(app)) - (await withoutPlugin(browser, workspace, kind));
    const openedMs = app.startedMs;
    await app.page.close();
    const again = await readWhole(browser, workspace, { kind, context: app.context });
    const rows = [
      ["notes in the vault", notes, "", ""],
      ["the page opens the vault", openedMs, "ms", ""],
      ["the plugin's onload", app.loadMs, "ms", 10],
      ["a name in quick search, p95", at(0.95, names), "ms", 50],
      ["words in the panel, median", at(0.5, words), "ms", ""],
      ["words in the panel, p95", at(0.95, words), "ms", 200],
      ["first result from a text", first, "ms", ""],
      ["all text is read", wholeMs, "ms", 60_000],
      ["longest task meanwhile", longest(longTasks), "ms", 50],
      ["memory of the plugin", megabytes, "MB", LIMITS[kind]],
      ["second start: all text is known", again.wholeMs, "ms", 2_000],
      ["longest task meanwhile, second start", longest(again.longTasks), "ms", 50],
    ];
    await again.app.close();
    return rows;
  } finally {
    await browser.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const rows = await measure(resolve(positionals[0]), values.kind);
const commit = execFileSync("git", ["-C", ROOT, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const shown = (value) => (typeof value === "number" ? String(value < 10 ? Number(value.toFixed(1)) : Math.round(value)) : value);
const table = [
  `The plugin alone (${values.kind}), commit ${commit}, ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}`,
  "",
  "| what | measured | aim |",
  "| --- | ---: | ---: |",
  ...rows.map(([what, value, unit, aim]) => `| ${what} | ${shown(value)} ${unit} | ${aim === "" ? "" : `${aim} ${unit}`} |`),
  "",
].join("\n");
console.log(table);
if (values.out) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, `${commit}-${values.kind}.md`), table);
}
