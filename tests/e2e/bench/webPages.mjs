// What the web pages cost in a vault of thousands of notes, measured in a real browser on a real
// server: while the vault is indexed for the first time, and afterwards.
//
//   node tests/e2e/bench/webPages.mjs FOLDER [--out tests/e2e/bench/results] [--data FOLDER] [--while-indexing]
//
// after `npm run build:web`. Server, browser and this program share the machine. `--data` keeps the
// index for the next run, which then leaves out what is measured while indexing. `--while-indexing`
// measures that alone, in a minute or two, and leaves when it is done.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { launchBrowser } from "../support/browser.mjs";
import { COMMAND, ROOT } from "../support/command.mjs";
import { READY_MS, until } from "../support/wait.mjs";
import { startMeter } from "../web/meter.mjs";

const WINDOW = { viewport: { width: 1440, height: 900 } };
const QUERIES = 30;
const MB = 1_000_000;
const DRAG_MS = 5_000;
const KEY_MS = 180;
const BY_LETTER = 10; // queries
const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" }, data: { type: "string" }, "while-indexing": { type: "boolean", default: false } } });

/** The first words of names all over the vault: the same ones in every run, each once. */
function queries(folder) {
  const notes = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".md")).sort();
  const spread = Array.from({ length: 4 * QUERIES }, (_, n) => basename(notes[Math.floor((n * notes.length) / (4 * QUERIES))], ".md"));
  const words = spread.map((name) => (name.match(/\p{L}{3,}/gu) ?? []).slice(0, 2).join(" "));
  return [...new Set(words.filter((word) => word))].slice(0, QUERIES);
}

/** Starts `notewell serve` with the models of this computer and settings of its own. */
async function serve(home, vault) {
  const models = execFileSync(COMMAND, ["models", "path", "all-MiniLM-L6-v2"], { encoding: "utf8" }).trim();
  const places = {
    NOTEWELL_CONFIG: join(home, "config.toml"),
    NOTEWELL_DATA_DIR: join(home, "data"),
    NOTEWELL_STATE_DIR: join(home, "state"),
    NOTEWELL_MODEL_DIR: resolve(models, "../.."),
  };
  writeFileSync(places.NOTEWELL_CONFIG, "");
  const child = spawn(COMMAND, ["serve", vault, "--port", "0", "--handshake"], { env: { ...process.env, ...places }, stdio: ["pipe", "pipe", "ignore"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const end = async () => {
    const closed = once(child, "close");
    child.stdin.end();
    await closed;
  };
  return { ...JSON.parse(line), end };
}

async function status({ port, token }) {
  const reply = await fetch(`http://127.0.0.1:${port}/api/status`, { headers: { Authorization: `Bearer ${token}` } });
  return reply.json();
}

/** In the page: milliseconds from a key to the drawn results of what is typed then, a key each `keyMs`. */
async function typingTimes([wanted, keyMs]) {
  const field = document.querySelector("#q");
  const list = document.querySelector('ol[aria-label="Results"]');
  const times = [];
  for (const query of wanted) {
    await new Promise((resolve) => setTimeout(resolve, keyMs));
    const began = performance.now();
    const answered = new Promise((resolve, reject) => {
      const seen = new MutationObserver(() => {
        if (list.hasAttribute("aria-busy")) return;
        seen.disconnect();
        resolve();
      });
      seen.observe(list, { attributes: true, attributeFilter: ["aria-busy"] });
      setTimeout(() => reject(new Error(`no answer to ${query}`)), 20_000);
    });
    field.value = query;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await answered;
    times.push(performance.now() - began);
  }
  return times;
}

/**
 * Types queries letter by letter, a key each KEY_MS, as people do: how often the list of notes is empty after a
 * first letter has found some, and how often the first note changes in a query.
 */
async function typedByLetter(page, wanted) {
  const field = page.getByRole("combobox", { name: "Search your notes" });
  const seen = { keys: 0, empty: [], changes: [], most: "" };
  for (const query of wanted) {
    await field.fill("");
    await page.waitForTimeout(2 * KEY_MS);
    const tops = [];
    for (const letter of query) {
      await field.press(letter === " " ? "Space" : letter);
      await page.waitForTimeout(KEY_MS);
      seen.keys += 1;
      const top = await page.evaluate(() => document.querySelector(".results [data-result]")?.dataset.result ?? null);
      if (top === null && tops.length > 0) seen.empty.push(await field.inputValue());
      if (top !== null && top !== tops.at(-1)) tops.push(top);
    }
    seen.changes.push(Math.max(0, tops.length - 1));
    if (tops.length - 1 >= Math.max(...seen.changes)) seen.most = query;
  }
  return seen;
}

/** In the page: frames that are drawn, and the longest task, until `stop`. */
function countFrames() {
  const seen = { frames: 0, longest: 0, began: performance.now(), isOver: false };
  window.seenFrames = seen;
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (seen.longest = Math.max(seen.longest, duration)))).observe({ entryTypes: ["longtask"] });
  const next = () => {
    seen.frames += 1;
    if (!seen.isOver) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** Frames a second while the whole graph is dragged to and fro. */
async function draggedFrames(page) {
  const { x, y, width, height } = await page.locator(".graph-drawn").boundingBox();
  const [left, top] = [x + width - 30, y + height / 2]; // where no note lies: the whole picture is dragged
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.evaluate(countFrames);
  const began = performance.now();
  for (let step = 0; performance.now() - began < DRAG_MS; step += 1) {
    await page.mouse.move(left - 150 + 150 * Math.cos(step / 10), top + 80 * Math.sin(step / 13));
    await page.waitForTimeout(8);
  }
  const { frames, longest, seconds } = await page.evaluate(() => {
    window.seenFrames.isOver = true;
    return { ...window.seenFrames, seconds: (performance.now() - window.seenFrames.began) / 1000 };
  });
  await page.mouse.up();
  return { rate: frames / seconds, longest };
}

async function liveMegabytes(page) {
  const inspector = await page.context().newCDPSession(page);
  for (let again = 0; again < 2; again += 1) await inspector.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await inspector.send("Runtime.getHeapUsage");
  await inspector.detach();
  return (usedSize + backingStorageSize) / MB;
}

const say = (what) => console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
const at = (share, times) => [...times].sort((one, other) => one - other)[Math.min(times.length - 1, Math.floor(share * times.length))];

/** Opens the search and types all queries. */
async function typed(page, wanted) {
  await page.getByRole("combobox", { name: "Search your notes" }).waitFor();
  await page.getByText("Describe what you look for").waitFor();
  return page.evaluate(typingTimes, [wanted, KEY_MS]);
}

async function firstLoad(browser, address) {
  const meter = await startMeter();
  const context = await browser.newContext({ ...WINDOW, proxy: { server: meter.url } });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole("combobox", { name: "Search your notes" }).waitFor();
  const paintedMs = await page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });
      }),
  );
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForTimeout(500);
  const { bytes } = meter.take();
  await context.close();
  meter.end();
  return { bytes, paintedMs };
}

/** The whole graph: how long until it rests, and how it follows the hand. */
async function graph(page, base) {
  const began = performance.now();
  await page.goto(`${base}/#/graph?size=20000`);
  await page.locator(".graph-drawn canvas").first().waitFor();
  const drawnMs = performance.now() - began;
  const notes = Number((await page.locator(".graph-list [role=status]").textContent()).replaceAll(/[,.]/g, "").match(/\d+/)?.[0]);
  say("drawn");
  await page.locator(".graph-drawn[data-at-rest]").waitFor({ timeout: READY_MS });
  const restedMs = performance.now() - began;
  say("at rest; dragging");
  const resting = await draggedFrames(page);
  say(`dragged: ${JSON.stringify(resting)}`);
  return { notes, drawnMs, restedMs, resting, megabytes: await liveMegabytes(page) };
}

const number = (value) => value.toLocaleString("en");
const isDone = ({ state, semantic, progress: { phase } }) => state === "ready" && semantic === "ready" && phase === "idle";

/** The table's rows of one state of the index: typing, the first load, and the graph. */
async function rowsOf(page, browser, server, wanted, when) {
  const base = `http://127.0.0.1:${server.port}`;
  say(`typing ${when}`);
  const times = await typed(page, wanted);
  const letters = await typedByLetter(page, wanted.slice(0, BY_LETTER));
  if (letters.empty.length > 0) say(`empty after: ${letters.empty.join(", ")}`);
  const megabytes = await liveMegabytes(page);
  say(`median ${Math.round(at(0.5, times))} ms, p95 ${Math.round(at(0.95, times))} ms, ${megabytes.toFixed(1)} MB; first load`);
  const load = await firstLoad(browser, `${base}/?token=${server.token}#/search`);
  say(`${load.bytes} bytes, ${Math.round(load.paintedMs)} ms; the graph`);
  const drawn = await graph(page, base);
  return [
    [`from a key to the results ${when}, median`, at(0.5, times), "ms", ""],
    ["… p95", at(0.95, times), "ms", ""],
    [`${BY_LETTER} queries, ${letters.keys} keys, one each ${KEY_MS} ms: empty lists ${when}`, letters.empty.length, "", 0],
    [`… changes of the first note in a query, at most (${letters.most})`, Math.max(...letters.changes), "", 2],
    ["… on average", letters.changes.reduce((sum, each) => sum + each, 0) / letters.changes.length, "", ""],
    [`first load ${when}: bytes received`, load.bytes, "", 60_000],
    ["… largest contentful paint", load.paintedMs, "ms", 1_000],
    [`memory of the page with results ${when}`, megabytes, "MB", ""],
    [`${number(drawn.notes)} notes in the graph ${when}: first picture`, drawn.drawnMs, "ms", ""],
    ["… at rest", drawn.restedMs, "ms", ""],
    ["… frames a second while dragged, at rest", drawn.resting.rate, "", 15],
    ["… longest task while dragged", drawn.resting.longest, "ms", ""],
    ["… memory of the page", drawn.megabytes, "MB", ""],
  ];
}

/** What is measured while the vault is indexed for the first time, and how far that was before and after. */
async function whileIndexing(page, browser, server, wanted) {
  await until("some notes are read", async () => (await status(server)).notes > QUERIES, READY_MS);
  const before = await status(server);
  const rows = await rowsOf(page, browser, server, wanted, "while indexing");
  const after = await status(server);
  if (isDone(after)) say("The index was complete before the last figure.");
  const far = ({ notes, vectors }) => `${number(notes)} notes, ${number(vectors)} vectors`;
  return [["index when it began", far(before), "", ""], ["index when it ended", far(after), "", ""], ...rows];
}

async function measure(folder, home) {
  const isNew = !existsSync(join(home, "data"));
  if (values["while-indexing"] && !isNew) throw new Error(`${home} has an index already: --while-indexing begins without one.`);
  const server = await serve(home, folder);
  const browser = await launchBrowser();
  const base = `http://127.0.0.1:${server.port}`;
  const wanted = queries(folder);
  const context = await browser.newContext(WINDOW);
  const page = await context.newPage();
  try {
    await page.goto(`${base}/?token=${server.token}#/search`);
    const meanwhile = isNew ? await whileIndexing(page, browser, server, wanted) : [];
    if (values["while-indexing"]) return meanwhile;
    await until("the vault is indexed", async () => isDone(await status(server)), 4 * READY_MS);
    await page.goto("about:blank");
    await page.goto(`${base}/#/search`);
    return [...meanwhile, ...(await rowsOf(page, browser, server, wanted, "at rest"))];
  } finally {
    await browser.close();
    await server.end();
  }
}

const home = values.data ? resolve(values.data) : mkdtempSync(join(tmpdir(), "notewell-bench-"));
mkdirSync(home, { recursive: true });
const rows = await measure(resolve(positionals[0]), home);
if (!values.data) rmSync(home, { recursive: true, force: true });
const commit = execFileSync("git", ["-C", ROOT, "rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const shown = (value) => (typeof value === "number" ? String(value < 10 ? Number(value.toFixed(1)) : Math.round(value)) : value);
const table = [
  `The web pages, commit ${commit}, ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model}), no graphics card, Node ${process.version}`,
  "",
  "| what | measured | aim |",
  "| --- | ---: | ---: |",
  ...rows.map(([what, value, unit, aim]) => `| ${what} | ${shown(value)} ${unit} | ${aim === "" ? "" : `${aim} ${unit}`} |`),
  "",
].join("\n");
console.log(table);
if (values.out) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, `${commit}-web.md`), table);
}
