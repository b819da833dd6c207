// What meaning without a server costs and finds, in a real browser:
//
//   node tests/e2e/bench/phoneIndex.mjs VAULT QUERIES [--passages 10000]
//
// after `npm run build && tsc -p tests/host`. VAULT has a phone index, QUERIES is a file of judged queries
// (tests/eval/everyday). The index is opened in a Web Worker, where each query is asked five times, once over as many
// passages as are wanted; then the first ten paraphrases are asked in the plugin, with the file and without it.

import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../support/app.mjs";
import { launchBrowser } from "../support/browser.mjs";
import { ROOT } from "../support/command.mjs";
import { until } from "../support/wait.mjs";

const PAGE = "http://localhost/";
const TIMES = 5;
const [FEW, MANY] = [5, 10];
const { values, positionals } = parseArgs({ allowPositionals: true, options: { passages: { type: "string", default: "10000" } } });
const vault = resolve(positionals[0]);
const queries = readFileSync(positionals[1], "utf8").trim().split("\n").map((line) => JSON.parse(line));

const WORKER = `
import { nearnessTo } from "./plugin/src/local/meaning.ts";
import { opened } from "./plugin/src/local/phoneFile.ts";

const finished = (steps) => { for (;;) { const next = steps.next(); if (next.done) return next.value; } };
const timed = (act) => { const began = performance.now(); return [act(), performance.now() - began]; };
self.onmessage = ({ data: { bytes, queries, passages, times } }) => {
  const [file, openMs] = timed(() => finished(opened(bytes)));
  const { count } = file.passages;
  const vectors = [], searches = [];
  let silent = 0;
  for (let n = 0; n < times * queries.length; n += 1) {
    const [known, vectorMs] = timed(() => file.table.vector(queries[n % queries.length]));
    vectors.push(vectorMs);
    if (!known) { silent += 1; continue; }
    const [, ms] = timed(() => finished(nearnessTo(file, known.vector)));
    searches.push((ms * passages) / count); // in proportion: the file has about as many
  }
  self.kept = file;
  self.postMessage({ openMs, vectors, searches, count, silent: silent / times, bytes: file.bytes });
};`;

async function worker() {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    write: false,
    minify: true,
  });
  return outputFiles[0].text;
}

/** The figures of the worker; and the memory that the same code takes in a page, which alone can be asked for it. */
async function measured(browser) {
  const page = await (await browser.newContext()).newPage();
  const code = await worker();
  const bodies = { "/file": readFileSync(join(vault, "notewell-phone-index.bin")), "/worker.js": code };
  await page.route(`${PAGE}**`, (route) => route.fulfill({ contentType: "text/html", body: bodies[new URL(route.request().url()).pathname] ?? "" }));
  await page.goto(PAGE);
  const asked = { queries: queries.map(({ text }) => text), passages: Number(values.passages), times: TIMES };
  const figures = await page.evaluate(async (wanted) => {
    const bytes = await (await fetch("/file")).arrayBuffer();
    const inWorker = new Worker("/worker.js");
    const answer = new Promise((resolve, reject) => Object.assign(inWorker, { onmessage: ({ data }) => resolve(data), onerror: reject }));
    inWorker.postMessage({ ...wanted, bytes }, [bytes]);
    return answer.finally(() => inWorker.terminate());
  }, asked);
  await page.addScriptTag({ content: code });
  const before = await liveBytes(page);
  await page.evaluate(async (wanted) => {
    window.postMessage = () => {};
    window.onmessage({ data: { ...wanted, bytes: await (await fetch("/file")).arrayBuffer() } });
  }, { ...asked, times: 1 });
  const memory = (await liveBytes(page)) - before;
  await page.context().close();
  return { ...figures, memory };
}

async function liveBytes(page) {
  const inspector = await page.context().newCDPSession(page);
  for (let again = 0; again < 2; again += 1) await inspector.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = await inspector.send("Runtime.getHeapUsage");
  await inspector.detach();
  return usedSize + backingStorageSize;
}

/** The places of the notes that paraphrases ask for; 0: not in the list. */
async function places(browser, paraphrases, loadPhone) {
  const app = await openApp(browser, { root: vault, vault, variables: {} }, { kind: "phone", device: { loadPhone }, open: [] });
  app.page.setDefaultTimeout(120_000); // a busy machine reads a large vault slowly
  const field = app.search.getByRole("searchbox");
  const info = app.search.locator(".notewell-words-only").first();
  const ask = async (query) => {
    await field.fill(query);
    await app.search.locator('.notewell-results[aria-busy="false"]').waitFor({ state: "attached" });
    await info.waitFor();
    return info.textContent();
  };
  await app.command("open-search");
  await until("all notes are read", async () => !/read/.test(await ask("because")), 120_000);
  const found = [];
  for (const { text, best, right } of paraphrases) {
    const said = await ask(text);
    const titles = await app.search.locator(".notewell-result .tree-item-inner > span").allTextContents();
    const wanted = [...best, ...right].map((path) => basename(path, ".md"));
    found.push({ place: titles.findIndex((title) => wanted.includes(title)) + 1, isByMeaning: said.includes("by meaning") });
  }
  await app.close();
  return found;
}

const at = (share, times) => [...times].sort((one, other) => one - other)[Math.floor(share * (times.length - 1))].toFixed(2);
const within = (found, most) => found.filter(({ place }) => place > 0 && place <= most).length;
const browser = await launchBrowser();
try {
  const { openMs, vectors, searches, count, silent, bytes, memory } = await measured(browser);
  const paraphrases = queries.filter(({ kind }) => kind === "paraphrase").slice(0, MANY);
  const meaning = await places(browser, paraphrases, true);
  const words = await places(browser, paraphrases, false);
  const rows = [
    ["passages", count],
    ["bytes of the file", bytes],
    ["memory while it is open, MB", (memory / 1e6).toFixed(1)],
    ["opened and checked, ms", openMs.toFixed(0)],
    ["a query's vector, ms: median, p95", `${at(0.5, vectors)}, ${at(0.95, vectors)}`],
    [`its comparison with ${values.passages} passages, ms: median, p95`, `${at(0.5, searches)}, ${at(0.95, searches)}`],
    ["queries of which the table says nothing", `${silent} of ${queries.length}`],
    ["paraphrases asked; answered by meaning too", `${paraphrases.length}; ${meaning.filter(({ isByMeaning }) => isByMeaning).length}`],
    [`their note is among the first ${FEW}, ${MANY}`, `${within(meaning, FEW)}, ${within(meaning, MANY)} (places ${meaning.map(({ place }) => place).join(" ")})`],
    ["the same by words alone", `${within(words, FEW)}, ${within(words, MANY)}`],
  ];
  console.log([`| ${basename(vault)} | |`, "| --- | ---: |", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n"));
} finally {
  await browser.close();
}
