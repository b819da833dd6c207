// Pictures of every view, light, dark and as narrow as a phone, to look at after a change of what is shown.

import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { before, test } from "node:test";
import { HERE } from "./support/app.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { MadeUpServer } from "./support/madeUp.mjs";
import { answering, refusing } from "./support/network.mjs";
import { violations } from "./web/axe.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
const held = useWorkspace();
const taken = new Set();

before(() => mkdir(OUT, { recursive: true }));

/** Takes pictures under names that begin with each of `looks`. */
const camera = (app, looks = ["light", "dark"]) => async (name) => {
  await app.page.waitForTimeout(150); // a list settles
  for (const look of looks) {
    await app.page.evaluate((isDark) => {
      document.body.classList.toggle("theme-dark", isDark);
      document.body.classList.toggle("theme-light", !isDark);
    }, look.startsWith("dark"));
    const file = `${look}-${name}.png`;
    await app.page.screenshot({ path: join(OUT, file) });
    taken.add(file);
  }
};

// Made palettes besides the app's own two: what themes may set, in which the app's own words can be read.
const PALETTES = {
  light: ["light", {}],
  dark: ["dark", {}],
  "low contrast": ["light", palette("#f2f0ec", "#ebe8e2", "#55524d", "#605c55", "#a8a49c", "#5546a8", "#ffffff", "#9b2430")],
  sepia: ["light", palette("#f4ecd8", "#ede3cb", "#4b3b2a", "#5f4d39", "#9c8a70", "#7a4110", "#ffffff", "#8d1f1a")],
  "high contrast": ["dark", palette("#000000", "#0a0a0a", "#ffffff", "#e0e0e0", "#c0c0c0", "#ffd60a", "#000000", "#ff8a80")],
};

function palette(primary, secondary, normal, muted, faint, accent, onAccent, error) {
  return {
    "--background-primary": primary,
    "--background-secondary": secondary,
    "--background-secondary-alt": secondary,
    "--interactive-normal": primary,
    "--interactive-accent": accent,
    "--text-normal": normal,
    "--text-muted": muted,
    "--text-faint": faint,
    "--text-accent": accent,
    "--text-on-accent": onAccent,
    "--text-error": error,
  };
}

/** Texts within `parts` that cannot be read well, by palette. */
async function unreadable(page, parts) {
  const found = [];
  for (const [name, [look, colours]] of Object.entries(PALETTES)) {
    await page.evaluate(([theme, variables]) => {
      document.body.removeAttribute("style");
      document.body.classList.toggle("theme-dark", theme === "dark");
      document.body.classList.toggle("theme-light", theme === "light");
      for (const [variable, value] of Object.entries(variables)) document.body.style.setProperty(variable, value);
    }, [look, colours]);
    for (const part of parts) found.push(...(await violations(page, part, ["color-contrast"])).map((text) => `${name}, ${part}: ${text}`));
  }
  await page.evaluate(() => document.body.removeAttribute("style"));
  return found;
}

test("on a desktop", () =>
  held.withApp({ open: ["Mind/Ebbinghaus and the leaky bucket.md"] }, async (app) => {
    const shoot = camera(app);
    await app.ready();
    await app.command("open-similar");
    await app.command("open-search");
    await app.similar.locator(".notewell-result").first().waitFor();
    await shoot("start");
    const rows = await app.searchFor("sourdough starter in the fridge");
    await rows.first().locator(".collapse-icon").click();
    await shoot("search-and-similar");
    assert.deepEqual(await unreadable(app.page, ['[data-type="notewell-search"]', '[data-type="notewell-similar"]', ".status-bar"]), []);
    await rows.first().locator(".tree-item-self").click({ button: "right" });
    await shoot("result-menu");
    await app.page.keyboard.press("Escape");
    await app.search.getByRole("searchbox").fill("tag:garden");
    await app.page.locator(".suggestion-item").first().waitFor();
    await shoot("completion");
    await app.page.keyboard.press("Escape");
    await app.command("quick-search");
    await app.page.locator(".prompt-input").fill("how memory fades");
    await app.page.locator(".prompt .suggestion-item").nth(2).waitFor();
    await shoot("quick-search");
    await app.page.keyboard.press("Escape");
    await app.statusBar.click();
    await shoot("status-menu");
    await app.page.keyboard.press("Escape");
    await app.command("settings");
    await shoot("settings");
    assert.deepEqual(await unreadable(app.page, [".modal"]), []);
    await app.page.keyboard.press("Escape");
    await app.command("reindex-all");
    await shoot("question");
    await app.page.keyboard.press("Escape");
    await app.page.evaluate(() => window.host.plugin.app.setting.close());
  }));

/** A made-up server in one state of its index. */
function indexing(phase, changes = {}) {
  const server = new MadeUpServer();
  const progress = { phase, notes_read: phase === "reading" ? 812 : 2090, notes: 2090, passages_embedded: 900, passages: 9000, eta_s: 240 };
  server.status = { ...server.status, notes: 2090, state: "indexing", progress, ...changes };
  return server.options;
}

const refused = { type: "x", title: "x", status: 401, detail: "x", code: "x" };
const PHONE_INDEX = "notewell-phone-index.bin";

// Each state: its name, what makes it, what its message says, and the button of its next step.
const STATES = [
  ["no-helper", { device: {}, path: "/nowhere" }, "A free helper on this computer adds meaning", "Get the helper"],
  ["helper-found", { device: {} }, "The helper is installed", "Start"],
  ["helper-gone", { device: { ...HERE, program: "/nowhere/notewell" } }, "The helper is not where it was", "Get the helper"],
  ["stopped", { device: { ...HERE, autostart: false } }, "The helper is off", "Start"],
  ["starting", indexing("reading", { state: "starting" }), "The helper opens the index", null],
  ["indexing", indexing("reading"), "Reading 812 of 2,090 notes", "Pause"],
  ["words-ready", indexing("embedding"), "By words 100 %", "Pause"],
  ["wrong-version", { trouble: answering({ status: "ok", version: "9.9.9", api: 0, features: [], auth: "token" }) }, "The server is too old", "Try again"],
  ["token-refused", { trouble: answering(refused, 401) }, "The server requires a token", "Open settings"],
  ["vault-unknown", { ...new MadeUpServer().options, device: { ...new MadeUpServer().options.device, remoteVault: "Elsewhere" } }, "It does not serve a vault named", "Open settings"],
  ["server-gone", { trouble: refusing }, "The server does not answer", "Try again"],
  ["other-server", { trouble: answering("<html>") }, "Another program answers at that address", "Open settings"],
  ["phone-alone", { kind: "phone", device: {} }, "A computer of yours with the helper", "Connect to a computer"],
  ["phone-file", { kind: "phone", device: {}, hasFile: true }, "A file in this vault adds meaning", "Load it"],
];

test("the states before and beside a server: each says its cause, and has the next step as a button", async () => {
  for (const [name, { hasFile, ...options }, cause, step] of STATES) {
    const device = options.device ?? { mode: "remote", address: "http://home.example:8765" };
    const file = join(held.workspace.vault, PHONE_INDEX);
    if (hasFile) await writeFile(file, "vectors");
    await held.withApp({ ...options, device, open: ["Kitchen/Country loaf.md"] }, async (app) => {
      if (options.kind !== "phone") await app.command("open-similar");
      await app.command("open-search");
      const message = app.search.locator(".notewell-message").filter({ hasText: cause });
      await message.waitFor();
      if (step) await message.getByRole("button", { name: step, exact: true }).waitFor();
      assert.equal(await app.page.locator(".notewell-message").count(), 1, `${name} is told once`);
      assert.deepEqual((await app.statusBar.allTextContents()).filter((text) => text.includes("offline")), [], name);
      await camera(app, options.kind === "phone" ? ["narrow", "dark-narrow"] : undefined)(`state-${name}`);
      assert.deepEqual(await unreadable(app.page, ['[data-type="notewell-search"]']), [], name);
    });
    if (hasFile) await rm(file);
  }
});

test("in German, with the texts that the build put into the style sheet", () =>
  held.withApp({ language: "de" }, async (app) => {
    await app.command("open-search");
    await app.search.getByPlaceholder("Nach Bedeutung und Wörtern suchen …").waitFor();
    await app.statusBar.filter({ hasText: "bereit" }).waitFor();
    await camera(app)("german");
  }));

test("on a phone", () =>
  held.withConnectedApp({ kind: "phone" }, async (app) => {
    await app.ready();
    const shoot = camera(app, ["narrow"]);
    await app.searchFor("sourdough starter in the fridge");
    await shoot("search");
    await app.command("open-similar");
    await app.similar.locator(".notewell-result").first().waitFor();
    await shoot("similar");
    await app.command("quick-search");
    await app.page.locator(".prompt-input").fill("how memory fades");
    await app.page.locator(".prompt .suggestion-item").nth(2).waitFor();
    await shoot("quick-search");
    await app.page.keyboard.press("Escape");
    await app.command("settings");
    await shoot("settings");
    await app.page.keyboard.press("Escape");
  }));

test("every picture is there", async () => {
  const pictures = await readdir(OUT); // other files put theirs beside ours
  const ours = [...taken].filter((name) => pictures.includes(name));
  assert.equal(ours.filter((name) => name.startsWith("light-")).length, 21);
  assert.equal(ours.filter((name) => name.startsWith("dark-")).length, 23);
  assert.equal(ours.filter((name) => name.startsWith("narrow-")).length, 6);
});
