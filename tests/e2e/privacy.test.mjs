// Everything off means nothing sent: whom the plugin asks, what it writes, and where the words of an excluded note are.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";
import { HERE } from "./support/app.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { until } from "./support/wait.mjs";

const held = useWorkspace({ isIndexed: false });

// Every switch of the plugin, off. The server on this computer is the one thing that was agreed to.
const OFF = { openInNewTab: false, followSection: false, footer: false, completeLinks: false, markMentions: false, diagnostics: false };
const OFF_HERE = { autostart: false, localText: false, loadPhone: false, allVaults: false };

// Words that are nowhere else, and are never typed: one in an excluded note, one in a note beside it.
const EXCLUDED = "quonsetplume";
const KEPT = "brindlewharf";
const NOTE = "Private/Ledger of debts.md";

async function plant(vault) {
  await mkdir(join(vault, "Private"), { recursive: true });
  await mkdir(join(vault, ".obsidian"), { recursive: true });
  await writeFile(join(vault, ".obsidian/app.json"), JSON.stringify({ userIgnoreFilters: ["Private/"] }));
  await writeFile(join(vault, NOTE), `# Ledger\n\nWhat is owed, by ${EXCLUDED} and others, for marmalade auctions.\n`);
  await writeFile(join(vault, "Auctions.md"), `# Auctions\n\nMarmalade auctions are held at ${KEPT}.\n`);
}

/** Every file below `folder` with its size and time, but for those below `others`. */
async function files(folder, others = []) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const wanted = paths.filter((path) => !others.some((other) => path.startsWith(`${other}/`)));
  const told = await Promise.all(wanted.sort().map(async (path) => [path, await stat(path)]));
  return told.map(([path, { size, mtimeMs }]) => `${relative(folder, path)} ${size} ${Math.trunc(mtimeMs)}`);
}

/** Which of the files below `folder` have a word in their bytes. */
async function having(folder, word) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const bytesOf = (path) => readFile(path).catch((error) => (error.code === "ENOENT" ? "" : Promise.reject(error))); // a database's, gone meanwhile
  const found = await Promise.all(paths.map(async (path) => ((await bytesOf(path)).includes(word) ? relative(folder, path) : null)));
  return found.filter((path) => path !== null);
}

/** Everything that the plugin's own index keeps in the app's storage, bytes as letters. */
const ownIndex = (app) =>
  app.page.evaluate(async () => {
    const asked = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
    const letters = (_, value) => (ArrayBuffer.isView(value) ? new TextDecoder("latin1").decode(value) : value);
    const found = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await asked(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        found.push(name, JSON.stringify(await asked(database.transaction(store).objectStore(store).getAll()), letters));
      }
      database.close();
    }
    return found.join("\n");
  });

/** Every request of the page's own, which the app's HTTP client does not make. */
function pageRequests(app) {
  const asked = [];
  app.context.on("request", (request) => asked.push(request.url()));
  return asked;
}

/** Counts what the plugin writes by the vault. */
function writes(app) {
  const done = [];
  for (const name of ["write", "makeFolder", "remove", "move"]) {
    const real = app.folder[name].bind(app.folder);
    app.folder[name] = (...given) => (done.push(`${name} ${given[0]}`), real(...given));
  }
  return done;
}

/** Uses every panel, as a person would who looks around. */
async function lookAround(app) {
  for (const panel of ["open-similar", "ask"]) await app.command(panel);
  await app.command("quick-search");
  await app.page.locator(".prompt-input").fill("marmalade");
  await app.page.locator(".prompt .suggestion-item").first().waitFor();
  await app.page.keyboard.press("Escape");
  await app.openNote("Auctions.md");
  await app.command("open-search");
}

const hostsOf = (app) => {
  const hosts = app.network.requests.map(({ url }) => url.hostname);
  return Object.fromEntries([...new Set(hosts)].map((host) => [host, hosts.filter((one) => one === host).length]));
};

test("with every switch off, only the server on this computer is asked, and nothing is written", async (report) => {
  const { root, vault, variables } = held.workspace;
  await plant(vault);
  // The program's folders. pip, which fetches the model, asks rustc for its version, and where rustup is installed it writes settings.
  const own = [variables.NOTEWELL_DATA_DIR, ...[".cache", ".local", ".rustup"].map((folder) => join(root, folder))];
  const before = await files(root, own);
  await held.withApp({ device: { ...HERE, ...OFF_HERE, autostart: true }, data: OFF, excluded: ["Private/"] }, async (app) => {
    const asked = pageRequests(app);
    const written = writes(app);
    await app.ready();
    const rows = await app.searchFor("marmalade auctions");
    assert.match(await rows.first().textContent(), /Auctions/);
    const paths = app.network.reply("/api/search").results.map(({ path }) => path);
    assert.ok(paths.includes("Auctions.md") && !paths.includes(NOTE), paths.join());
    await app.vault((files, path) => files.process(files.getFileByPath(path), (text) => `${text}\nMore of it.\n`), NOTE);
    const changed = written.splice(0); // that was the person
    await until("the change is sent", () => app.network.to("/api/changes").length > 0);
    await lookAround(app);
    await app.command("reindex");
    await until("it is asked to read again", () => app.network.to("/api/reindex").length > 0);
    await app.ready();
    await app.command("copy-diagnostics");
    const texts = {
      "requests and replies": app.network.requests.map(({ url, body, text }) => `${url} ${body} ${text}`).join("\n"),
      "what the program said": app.programs.said.join(""),
      "what is copied as diagnostics": await app.clipboard(),
      "settings of the vault and the device": JSON.stringify([await app.data(), await app.device()]),
      "the plugin's own index": await ownIndex(app),
      "notices": (await app.notices()).join("\n"),
    };
    const control = await having(variables.NOTEWELL_DATA_DIR, KEPT);
    report.diagnostic(`requests: ${JSON.stringify(hostsOf(app))}; by the page itself: ${asked.length}; programs: ${app.programs.started.map(({ args }) => args[0]).join()}`);
    report.diagnostic(`writes by the vault: the person's ${changed.length}, the plugin's ${written.length}`);
    report.diagnostic(`“${KEPT}” is in ${control.join()}; “${EXCLUDED}” is in ${(await having(variables.NOTEWELL_DATA_DIR, EXCLUDED)).join() || "no file of the index"}`);
    assert.deepEqual(Object.keys(hostsOf(app)), ["127.0.0.1"]);
    assert.deepEqual(asked, [], "the page asks nobody by itself");
    assert.deepEqual(written, []);
    assert.ok(app.programs.started.every(({ program }) => program === HERE.program));
    for (const [where, text] of Object.entries(texts)) assert.equal(text.includes(EXCLUDED), false, where);
    assert.ok(texts["requests and replies"].includes(KEPT), "the search finds words where they may be");
  });
  const theirs = (line) => !line.startsWith(`Sample/${NOTE} `); // the person's change
  assert.deepEqual((await files(root, own)).filter(theirs), before.filter(theirs), "no file is written beside the program's own");
  assert.deepEqual(await having(variables.NOTEWELL_DATA_DIR, EXCLUDED), []);
  assert.notDeepEqual(await having(variables.NOTEWELL_DATA_DIR, KEPT), [], "else nothing was looked at");
});

for (const kind of ["desktop", "phone"]) {
  test(`without a server a ${kind} asks nobody, starts nothing and keeps no excluded word`, async (report) => {
    const { root, vault } = held.workspace;
    await plant(vault);
    const before = await files(root);
    await held.withApp({ kind, device: { localText: true, loadPhone: false }, data: OFF, excluded: ["Private/"] }, async (app) => {
      const asked = pageRequests(app);
      const written = writes(app);
      await app.command("open-search");
      const field = app.search.getByRole("searchbox");
      await until("the text is read", async () => {
        await field.fill("");
        await field.fill("marmalade auctions");
        await app.page.waitForTimeout(300);
        return (await app.search.locator(".notewell-result").first().textContent({ timeout: 100 }).catch(() => "")).includes("Auctions");
      });
      assert.equal((await app.search.textContent()).includes("Ledger"), false);
      await lookAround(app);
      await until("the index is kept", async () => (await ownIndex(app)).includes(KEPT));
      assert.equal((await ownIndex(app)).includes(EXCLUDED), false);
      report.diagnostic(`requests: ${app.network.requests.length}, by the page itself: ${asked.length}, programs: ${app.programs.started.length + app.programs.checked.length}, writes: ${written.length}`);
      assert.deepEqual([app.network.requests, asked, written, app.programs.started, app.programs.checked], [[], [], [], [], []]);
      assert.equal(JSON.stringify([await app.data(), await app.device()]).includes(EXCLUDED), false);
    });
    assert.deepEqual(await files(root), before);
  });
}
