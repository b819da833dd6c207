// Pairing links: nothing is sent before a click, a hostile link offers nothing, a used or expired code is refused; the web
// pages list who was let in, and end an access.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { launchBrowser } from "./support/browser.mjs";
import { COMMAND } from "./support/command.mjs";
import { useWorkspace } from "./support/fixture.mjs";
import { refusing } from "./support/network.mjs";
import { freePort, startHomeServer } from "./support/server.mjs";
import { until } from "./support/wait.mjs";
import { violations } from "./web/axe.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
const held = useWorkspace();
let server;

before(async () => {
  await mkdir(OUT, { recursive: true });
  const { vault, variables } = await held.sharedWorkspace();
  server = await startHomeServer({ variables }, [vault], await freePort());
});
after(() => server?.end());

/** What `notewell pair` prints for Obsidian, as the parts of a link; `args` are added to the command. */
async function link(...args) {
  const { variables } = await held.sharedWorkspace();
  const command = ["pair", "--json", "--url", `http://127.0.0.1:${server.port}`, ...args];
  const made = JSON.parse(execFileSync(COMMAND, command, { env: variables, encoding: "utf8" }));
  return made.obsidian ? Object.fromEntries(new URL(made.obsidian).searchParams) : made;
}

/** Opens a link, as the system does for `obsidian://notewell-pair?…`. */
const follow = (app, given) =>
  app.page.evaluate((parts) => void window.host.app.protocolHandlers.get("notewell-pair")({ action: "notewell-pair", ...parts }), given);
const question = (app) => app.page.locator(".modal").filter({ hasText: "Connect to" });
const said = (app, words) => until(`it says ${words}`, async () => (await app.notices()).some((notice) => notice.includes(words)));
const shoot = (app, name) => app.page.screenshot({ path: join(OUT, `pairing-${name}.png`) });

for (const [look, options] of [["light", {}], ["dark", { isDark: true }], ["phone", { kind: "phone" }]]) {
  test(`a link asks, connects after a click, and works once (${look})`, () =>
    held.withApp({ device: {}, ...options }, async (app) => {
      const given = await link();
      await follow(app, given);
      await question(app).waitFor();
      const asked = await question(app).textContent();
      for (const part of [`127.0.0.1:${server.port}`, "one-time code", "Agree only if you made this link yourself"]) assert.ok(asked.includes(part), asked);
      assert.ok(!asked.includes(given.code), "the code is not shown");
      assert.equal(app.network.requests.length, 0, "nothing is sent before the click");
      await shoot(app, `question-${look}`);
      await question(app).getByRole("button", { name: "Connect", exact: true }).click();
      await said(app, "Connected as");
      assert.equal((await app.device()).mode, "remote");
      await follow(app, given); // a replay, which would replace a connection as well
      const again = question(app).getByRole("button", { name: "Replace and connect" });
      await again.waitFor();
      await shoot(app, `replace-${look}`);
      await again.click();
      await said(app, "Pairing failed: This pairing code is not valid");
      await shoot(app, `refused-${look}`);
    }));
}

test("a code that was cancelled, as one whose time is over, lets nobody in, and the connection stays none", () =>
  held.withApp({ device: {} }, async (app) => {
    const given = await link();
    assert.deepEqual(await link("--cancel"), { cancelled: 1 });
    await follow(app, given);
    await question(app).getByRole("button", { name: "Connect", exact: true }).click();
    await said(app, "Pairing failed: This pairing code is not valid");
    assert.notEqual((await app.device()).mode, "remote");
  }));

test("no answer at all changes nothing: “Cancel”, and a host that is not there", () =>
  held.withApp({ device: {}, trouble: refusing }, async (app) => {
    const given = { url: "https://unknown.example", code: "abcdefghijklmnopqrstuv", name: "box" };
    await follow(app, given);
    await question(app).waitFor();
    await app.page.keyboard.press("Escape");
    await question(app).waitFor({ state: "detached" });
    assert.equal(app.network.requests.length, 0);
    await follow(app, given);
    await question(app).getByRole("button", { name: "Connect", exact: true }).click();
    await said(app, "Pairing failed");
    assert.deepEqual([...new Set(app.network.requests.map(({ url }) => url.host))], ["unknown.example"]);
    assert.notEqual((await app.device()).mode, "remote");
  }));

test("a hostile link offers nothing, and its name cannot pose as the app's words", () =>
  held.withApp({ device: {} }, async (app) => {
    const code = "abcdefghijklmnopqrstuv";
    for (const url of ["javascript:alert(1)", "https://notes.home@evil.example", "https://evil.example/path", "file:///etc/passwd"]) {
      const before = (await app.notices()).length;
      await follow(app, { url, code });
      await until("it is refused", async () => (await app.notices()).length > before);
    }
    assert.equal(await question(app).count(), 0);
    await follow(app, { url: "http://evil.example", code, name: `<img src=x onerror=alert(1)>\u202e${"x".repeat(300)}` });
    await question(app).waitFor();
    assert.equal(await question(app).locator("img").count(), 0);
    assert.ok((await question(app).textContent()).includes("The connection is not encrypted"));
    await shoot(app, "hostile");
    assert.equal(app.network.requests.length, 0);
  }));

test("a link lets a browser in after a click, whatever foreign pages load meanwhile", async () => {
  const url = `http://127.0.0.1:${server.port}`;
  const given = await link();
  const guesses = Array.from({ length: 30 }, (_, n) => [`/?code=guess-${n}&name=x`, `/?token=guess-${n}`, `/api/docs?key=guess-${n}`]).flat();
  const embedded = guesses.map((path) => `<img src="${url}${path}"><iframe src="${url}${path}"></iframe>`).join("");
  const forms = `<form method="post" action="${url}/"><input name="code" value="guess"><input name="name" value="x"></form>`;
  const foreign = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(`<title>Foreign</title>${embedded}${forms}`));
  await new Promise((listening) => foreign.listen(0, "localhost", listening));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${foreign.address().port}/`, { waitUntil: "load" });
    await page.evaluate(() => document.forms[0].submit());
    await page.waitForURL(`${url}/`);
    await page.getByText("foreign_origin").waitFor();
    await page.goto("about:blank"); // else only the fragment of what was refused would change
    await page.goto(`${url}/#/pair?${new URLSearchParams({ code: given.code, name: "box", scope: "write" })}`);
    await page.getByLabel("Name of this device").fill("My laptop");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("combobox", { name: "Search your notes" }).waitFor();
    assert.equal(page.url(), `${url}/`, "the code leaves the address");
    const [cookie] = await page.context().cookies();
    assert.ok(cookie.httpOnly && cookie.sameSite === "Strict" && cookie.expires > 0);
    await page.reload();
    await page.getByRole("combobox", { name: "Search your notes" }).waitFor();
    await page.goto(`${url}/#/pair?${new URLSearchParams({ code: given.code })}`);
    await page.getByText("This browser is signed in already, as “My laptop”.").waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This link has expired or was used already. You were signed in already.").waitFor();
  } finally {
    await browser.close();
    foreign.close();
  }
});

test("the web pages list a device that was let in, end its access, and tell of both in the audit log", async () => {
  const url = `http://127.0.0.1:${server.port}`;
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/?token=${server.token}#/manage/devices`);
    await page.getByRole("button", { name: "Make a link" }).click();
    const made = new URL(await page.locator(".pair-link code").first().textContent());
    const code = new URLSearchParams(made.hash.slice(made.hash.indexOf("?"))).get("code");
    const body = JSON.stringify({ code, name: "My tablet" });
    const redeemed = await fetch(`${url}/api/pair/redeem`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const headers = { Authorization: `Bearer ${(await redeemed.json()).token}` };
    const mine = async () => (await fetch(`${url}/api/session`, { headers })).status;
    assert.equal(await mine(), 200);
    await page.reload();
    await page.getByRole("row", { name: /^My tablet app or program read and write/ }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: join(OUT, "pairing-devices.png"), fullPage: true });
    await page.getByRole("button", { name: "End access… My tablet" }).click();
    await page.getByRole("button", { name: "Really end? My tablet" }).click();
    await page.getByText("My tablet has no access any more").waitFor();
    assert.equal(await mine(), 401);
    await page.getByRole("heading", { name: "Access log" }).click();
    await page.getByRole("row", { name: /this computer Ended the access of a device/ }).waitFor();
    await page.getByRole("row", { name: /a new device Signed in by a pairing link/ }).first().waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: join(OUT, "pairing-audit.png"), fullPage: true });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: join(OUT, "pairing-audit-phone.png") });
  } finally {
    await browser.close();
  }
});
