// The app in a page, with the built plugin in it, over a copy of the sample vault.

import assert from "node:assert/strict";
import { access, mkdtemp, readdir, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildHost } from "../../host/build.mjs";
import { COMMAND, ROOT } from "./command.mjs";
import { Folder } from "./folder.mjs";
import { Network } from "./network.mjs";
import { Programs } from "./programs.mjs";
import { copyIndexedSample, copySample } from "./sample.mjs";
import { READY_MS, SHOWN_MS, until } from "./wait.mjs";

const PAGE = "http://localhost/"; // as the app's on Android, which may show the server's page in a frame

/** Files of the computer, whatever the vault. */
const computer = {
  async stat(path) {
    const found = await stat(path);
    return { isFile: found.isFile(), size: found.size };
  },
  realPath: (path) => realpath(path),
  entries: (folder) => readdir(folder),
  readText: (path) => readFile(path, "utf8"),
};

export const DEVICE_KEY = "notewell-device";
export const HERE = { mode: "local", program: COMMAND, startAgreed: true };

const prepared = process.env.NOTEWELL_TEST_HOST; // where `run.mjs` tells its files what it bundled
const sources = Promise.all([
  prepared ? readFile(prepared, "utf8") : buildHost(),
  readFile(join(ROOT, "tests/host/app.css"), "utf8"),
  readFile(join(ROOT, "main.js"), "utf8"),
  readFile(join(ROOT, "styles.css"), "utf8"),
  readFile(join(ROOT, "manifest.json"), "utf8").then(JSON.parse),
]);

/** A temporary folder with a vault, a copy of the sample, and its index or room for one. */
export async function makeWorkspace({ name = "Sample", isIndexed = true } = {}) {
  await access(COMMAND); // named by NOTEWELL_TEST_COMMAND; better said here than as a server that never comes
  const root = await realpath(await mkdtemp(join(tmpdir(), "notewell-e2e-")));
  const vault = join(root, name);
  const data = join(root, "data");
  await (isIndexed ? copyIndexedSample(vault, data) : copySample(vault));
  const variables = { ...process.env, HOME: root, NOTEWELL_DATA_DIR: data };
  return { root, vault, variables, remove: () => rm(root, { recursive: true, force: true }) };
}

/**
 * Opens the app. `options`: `kind` ("desktop" or "phone"), `isDark`, `language`, `device`, `data`, `secrets`,
 * `open` (notes), `panels`, `path` (where the page's programs are looked for), `trouble` on the
 * network, `madeUp` (entries of the vault that are not there), `variables` of the
 * page's environment, `excluded` (as in the app's settings),
 * `isEnabledByUser` (switched on just now), `context` (that of an earlier app, whose
 * page was closed: what it kept on the device is still there), `code` (of another plugin in this one's place).
 */
export async function openApp(browser, workspace, options = {}) {
  const { kind = "desktop", isDark = false, device = HERE, data = null, secrets = {} } = options;
  const viewport = kind === "phone" ? { width: 390, height: 780 } : { width: 1280, height: 800 };
  const context = options.context ?? (await browser.newContext({ viewport, hasTouch: kind === "phone" }));
  // The page comes from no server, so that the browser takes it for one of the public network.
  const permissions = ["clipboard-read", "clipboard-write", "local-network-access"];
  await context.grantPermissions(permissions, { origin: PAGE });
  const page = await context.newPage();
  page.setDefaultTimeout(SHOWN_MS);
  const app = new AppPage(context, page, workspace);
  app.network.trouble = options.trouble ?? null;
  app.folder.madeUp = options.madeUp ?? [];
  await app.connect();
  const [host, css, code, pluginCss, manifest] = await sources;
  await page.route(`${PAGE}**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><meta charset=utf-8><title>App</title>" }),
  );
  await page.goto(PAGE);
  await page.addStyleTag({ content: css });
  await page.evaluate((environment) => (window.environment = environment), {
    kind,
    isDark,
    language: options.language ?? "en",
    vaultName: "Sample",
    folder: workspace.vault,
    home: workspace.root,
    variables: { PATH: options.path ?? dirname(COMMAND), ...options.variables },
    plugin: { manifest: { ...manifest, dir: ".obsidian/plugins/notewell" }, code: options.code ?? code, css: pluginCss },
    data,
    device: { [DEVICE_KEY]: device },
    secrets,
    excluded: options.excluded ?? [],
    isEnabledByUser: options.isEnabledByUser ?? false,
    open: options.open ?? ["Home.md"],
    panels: options.panels ?? [],
  });
  await page.addScriptTag({ content: host });
  const began = performance.now();
  await page.evaluate(() => window.startHost());
  app.startedMs = performance.now() - began;
  app.loadMs = await page.evaluate(() => window.host.loadMs);
  return app;
}

export class AppPage {
  /** What went to the console as an error, and what nobody caught. */
  problems = [];
  network = new Network();
  #isClosing = false;

  constructor(context, page, workspace) {
    this.context = context;
    this.page = page;
    this.folder = new Folder(workspace.vault);
    this.programs = new Programs(workspace.variables, (...news) => this.#tell(news));
    this.statusBar = page.locator(".status-bar-item");
    this.search = page.locator('[data-type="notewell-search"]');
    this.similar = page.locator('[data-type="notewell-similar"]');
    this.ask = page.locator('[data-type="notewell-ask"]');
    // Of the context: second windows have problems of their own.
    context.on("weberror", (failure) => this.problems.push(failure.error().stack ?? String(failure.error())));
    context.on("console", (message) => {
      if (message.type() === "error") this.problems.push(message.text());
    });
  }

  /** Serves the page what `bridge.ts` names. */
  async connect() {
    const { folder, programs, network } = this;
    await this.page.exposeFunction("bridgeCall", (name, args) => {
      const server = [folder, programs, network, computer].find((candidate) => typeof candidate[name] === "function");
      return server[name](...args);
    });
  }

  async #tell(news) {
    if (this.#isClosing) return;
    try {
      await this.page.evaluate(([number, event, value]) => window.host.childEvent(number, event, value), news);
    } catch (error) {
      if (!this.page.isClosed()) throw error; // else nobody is left to be told
    }
  }

  async command(id) {
    await this.page.evaluate((full) => window.host.app.commands.run(full), `notewell:${id}`);
  }

  isPossible(id) {
    return this.page.evaluate((full) => window.host.app.commands.isPossible(full), `notewell:${id}`);
  }

  async ready() {
    // Phones have the status bar's item, and do not show it.
    const item = this.statusBar.filter({ hasText: /^Notewell: ready$/ });
    try {
      await item.waitFor({ state: "attached", timeout: READY_MS });
    } catch (error) {
      const states = await this.statusBar.allTextContents();
      const requests = this.network.requests.map(({ method, url, status }) => `${method} ${url.pathname} ${status}`);
      const found = [`It said “${states.join()}”.`, "Its programs:", this.programs.said.join(""), "Its requests:", ...requests.slice(-20)];
      throw new Error(found.join("\n"), { cause: error });
    }
  }

  /** Waits until the status bar says `text`; the person comes back to the window again and again,
   * so that the plugin asks the server at once and not at its next poll. */
  async says(text) {
    await until(`the status bar says “${text}”`, async () => {
      await this.page.evaluate(() => window.dispatchEvent(new Event("focus")));
      const said = await this.statusBar.allTextContents();
      return said.some((one) => (text instanceof RegExp ? text.test(one) : one.includes(text)));
    }, READY_MS);
  }

  /** Presses “Try again” in the search panel, unless the plugin did so by itself in time. */
  async tryAgain() {
    await Promise.any([this.search.getByRole("button", { name: "Try again" }).click(), this.ready()]);
  }

  /** Opens the search panel and types. Returns the rows of the final answer to this query; there may be none. */
  async searchFor(query) {
    await this.command("open-search");
    const field = this.search.getByRole("searchbox");
    const before = this.network.to("/api/search").length;
    await this.page.mouse.move(0, 0); // a list that is pointed at keeps its order when a better one comes
    await field.fill(query);
    const isFinal = ({ url: { searchParams: given }, status }) =>
      status !== 0 && given.get("q") === query && given.get("mode") === "hybrid";
    const rows = this.search.locator('.notewell-results[aria-busy="false"] .notewell-result');
    const failure = this.search.getByText("No answer").first();
    const nothing = this.search.getByText(/No notes found|Nothing matches well/).first();
    const settled = rows.first().or(nothing).or(failure).first();
    for (let tries = 0; ; tries += 1) {
      await until(`“${query}” is answered`, () => this.network.to("/api/search").slice(before).some(isFinal));
      await settled.waitFor();
      if (tries === 3 || !(await failure.isVisible())) break;
      await field.press("Enter"); // the plugin gave up before a busy machine answered
    }
    await settled.waitFor();
    return rows;
  }

  /** Asks again until `isShown`, and awaits each answer: whoever asks a busy machine again sooner never gets one. */
  async askUntil(what, isShown) {
    await until(what, async () => {
      await this.search.getByRole("searchbox").press("Enter");
      await this.page.waitForTimeout(300);
      await this.search.locator('.notewell-results[aria-busy="false"]').waitFor({ state: "attached" });
      return isShown();
    }, READY_MS);
  }

  /** Opens the settings, gives `change` the row of that name, and closes them. */
  async setting(name, change) {
    await this.command("settings");
    const title = this.page.locator(".setting-item-name").filter({ hasText: new RegExp(`^${name}$`) });
    await change(this.page.locator(".mod-settings .setting-item").filter({ has: title }));
    await this.page.keyboard.press("Escape");
  }

  openNote(path) {
    return this.page.evaluate((note) => window.host.openNote(note), path);
  }

  /** The note used last, what is selected in it, and in which line; empty where none is open. */
  note() {
    return this.page.evaluate(() => {
      const { workspace } = window.host.app;
      const file = workspace.getActiveFile();
      const shows = ({ view }) => view.file === file;
      const { view } = workspace.getLeavesOfType("markdown").findLast(shows) ?? {};
      if (!view) return {};
      const { editor } = view;
      return {
        path: view.file?.path,
        text: editor.getValue(),
        selection: editor.getSelection(),
        line: editor.getCursor("from").line + 1,
      };
    });
  }

  /** The notes that are open in tabs, in order. */
  openNotes() {
    return this.page.evaluate(() =>
      window.host.app.workspace.getLeavesOfType("markdown").map(({ view }) => view.file?.path),
    );
  }

  notices() {
    return this.page.evaluate(() => window.host.notices);
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  device() {
    return this.page.evaluate((key) => window.host.app.loadLocalStorage(key), DEVICE_KEY);
  }

  data() {
    return this.page.evaluate(() => window.host.stored.data);
  }

  /** Runs `change` on the page's vault, as a person's file explorer would. */
  vault(change, ...given) {
    const source = `(async () => (${change})(window.host.app.vault, ...${JSON.stringify(given)}))()`;
    return this.page.evaluate(source);
  }

  /** Opens what `action` opens in a second window. Returns its page. */
  async secondWindow(action) {
    const [popup] = await Promise.all([this.context.waitForEvent("page"), action()]);
    popup.setDefaultTimeout(SHOWN_MS);
    return popup;
  }

  /** Moves a panel into a window of its own. */
  moveToWindow(type) {
    return this.secondWindow(() =>
      this.page.evaluate((wanted) => {
        const { workspace } = window.host.app;
        workspace.moveLeafToPopout(workspace.getLeavesOfType(wanted)[0]);
      }, type),
    );
  }

  /** The panels as the app would keep them when it is closed. */
  panels() {
    return this.page.evaluate(() => window.host.app.workspace.panels());
  }

  async unload() {
    await this.page.evaluate(() => window.host.plugin.unload());
  }

  /** Ends the app and what it started, and fails if anything went wrong unseen. */
  async close() {
    this.#isClosing = true;
    await this.context.close();
    await this.programs.end();
    assert.deepEqual(this.problems, [], "nothing went wrong in the console");
  }
}
