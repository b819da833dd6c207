// The Ask panel: the server's own page in a frame of the app. The model is a script on loopback.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { before, test } from "node:test";
import { useWorkspace } from "./support/fixture.mjs";
import { answering } from "./support/network.mjs";
import { connectedTo, freePort, startHomeServer } from "./support/server.mjs";
import { READY_MS, until } from "./support/wait.mjs";
import { useModel } from "./web/model.mjs";

const OUT = resolve(process.env.NOTEWELL_TEST_SCREENS ?? join(import.meta.dirname, "out"));
const QUESTION = "How long does the country loaf rise?";
const ANSWER = "It rises **four hours** [1], see [[Country loaf]].";

const held = useWorkspace();
const model = useModel();

/** Opens an app whose servers have the model in their settings, or none. */
async function withApp(options, use, isSetUp = true) {
  await configure(held.workspace, isSetUp);
  await held.withApp(options, use);
}

/** Opens an app that reaches a server with the model, which the tests of the file share. */
async function withConnectedApp(options, use) {
  await configure(await held.sharedWorkspace(), true);
  await held.withConnectedApp(options, use);
}

async function configure({ root, variables }, isSetUp) {
  variables.XDG_CONFIG_HOME = join(root, "config");
  const file = join(root, "config/notewell/config.toml");
  await mkdir(dirname(file), { recursive: true });
  const settings = `[ask]\nprovider = "openai"\nbase_url = "${model.url}/v1"\nmodel = "test-model"\n`;
  await writeFile(file, isSetUp ? settings : "");
}

before(() => mkdir(OUT, { recursive: true }));

async function picture(app, name) {
  await app.page.waitForTimeout(250); // what unfolds has unfolded
  await app.page.screenshot({ path: join(OUT, `${name}.png`) });
}

async function openAsk(app) {
  await app.ready();
  await app.command("ask");
  await app.askPage.getByText("on the server’s own computer").waitFor();
}

async function ask(app, question, ...turns) {
  model.turns = turns;
  await app.askPage.getByRole("textbox", { name: "Question" }).fill(question);
  await app.page.keyboard.press("Enter");
}

async function answered(app) {
  await ask(app, QUESTION, { text: ANSWER });
  await app.askPage.getByRole("button", { name: /^Source 1:/ }).waitFor();
}

for (const look of ["light", "dark"]) {
  test(`a question is answered beside the notes, and its sources open them, ${look}`, () =>
    (look === "light" ? withApp : withConnectedApp)({ isDark: look === "dark" }, async (app) => {
      await openAsk(app);
      await picture(app, `${look}-ask-start`);
      let goOn;
      const wait = new Promise((done) => (goOn = done));
      await ask(app, QUESTION, { calls: [["search", { query: "country loaf proof" }]] }, { text: ANSWER, wait });
      await app.askPage.locator(".ask-notice", { hasText: "your question" }).waitFor();
      await app.askPage.locator(".ask-answer strong", { hasText: "four hours" }).waitFor();
      await picture(app, `${look}-ask-thinking`);
      goOn();
      const source = app.askPage.locator("[data-source]").first();
      await source.waitFor();
      await picture(app, `${look}-ask`);
      const paper = await app.askPage.locator("body").evaluate((el) => getComputedStyle(el).color);
      const [red] = /\d+/.exec(paper);
      assert.equal(Number(red) > 128, look === "dark", "its ink is of the app's theme");
      const line = Number(/line=(\d+)/.exec(await source.getAttribute("href"))?.[1] ?? 1);
      const path = new URLSearchParams((await source.getAttribute("href")).split("?")[1]).get("note");
      await source.click();
      await until("the note is open", async () => (await app.note()).path === path);
      const note = await app.note();
      assert.equal(note.line, line);
      assert.ok(note.selection.length > 0, "the passage is selected");
      await source.click({ modifiers: ["Control"] });
      await until("a tab more", async () => (await app.openNotes()).length === 2);
    }));
}

test("a conversation continues, is saved as a note, and survives a change of theme", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    await answered(app);
    await app.page.evaluate(() => {
      document.body.toggleClass("theme-light", false);
      document.body.toggleClass("theme-dark", true);
      window.host.app.workspace.trigger("css-change");
    });
    await until("it is dark too", () =>
      app.askPage.locator("html").evaluate((el) => el.style.colorScheme === "dark"),
    );
    await ask(app, "And the oven?", { text: "How hot is the oven?" }, { text: "Very hot [1]." });
    await app.askPage.getByText("Very hot").waitFor();
    await app.askPage.locator(".turn").nth(1).getByRole("button", { name: /^Source/ }).waitFor();
    await app.askPage.getByRole("button", { name: "Save as note" }).click();
    await app.askPage.getByLabel("Save this conversation as a note").fill("Answers/Loaf.md");
    await app.askPage.getByRole("button", { name: "Save", exact: true }).click();
    await app.askPage.getByText("Saved as").waitFor();
    const note = join(app.folder.root, "Answers/Loaf.md");
    assert.match(await readFile(note, "utf8"), /And the oven\?[\s\S]*Very hot/);
    await app.askPage.getByRole("button", { name: "Undo" }).click();
    await until("it is gone", () => !existsSync(note));
  }));

test("an answer can be stopped", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    await ask(app, QUESTION, { text: "It rises for", wait: new Promise(() => undefined) });
    await app.askPage.locator(".ask-answer", { hasText: "It rises" }).waitFor();
    await app.askPage.getByRole("button", { name: "Stop" }).click();
    await app.askPage.getByText("Stopped. This answer is incomplete.").waitFor();
  }));

test("the token is in no address, no cookie and no storage", () =>
  withApp({}, async (app) => {
    const addresses = [];
    const shown = new Set();
    app.page.on("request", (request) => {
      addresses.push(request.url());
      shown.add(request.headers()["authorization"]);
    });
    await openAsk(app);
    await answered(app);
    const [token] = [...shown].filter(Boolean).map((header) => header.replace("Bearer ", ""));
    assert.ok(token.length > 20);
    const kept = await app.askPage.locator("body").evaluate(() => {
      const kept = [location.href];
      try {
        kept.push(document.cookie, JSON.stringify([localStorage, sessionStorage]));
      } catch {
        // a browser that lets no frame keep anything
      }
      return kept.join();
    });
    assert.ok(addresses.some((url) => url.endsWith("/embed/ask")));
    assert.ok(!addresses.some((url) => url.includes(token)) && !kept.includes(token));
    assert.deepEqual(await app.context.cookies(), []);
  }));

test("it works in a window of its own, and unloading leaves nothing", () =>
  withApp({}, async (app) => {
    await openAsk(app);
    const popup = await app.moveToWindow("notewell-ask");
    const page = popup.frameLocator("iframe");
    await page.getByText("on the server’s own computer").waitFor();
    model.turns = [{ text: ANSWER }];
    await page.getByRole("textbox", { name: "Question" }).fill(QUESTION);
    await popup.keyboard.press("Enter");
    await page.locator("[data-source]").first().click();
    await until("the note is open in the first window", async () => (await app.note()).path !== "Home.md");
    await app.unload();
    assert.equal(await popup.locator("iframe").count().catch(() => 0), 0);
    assert.equal(await app.page.locator("iframe").count(), 0);
  }));

test("a page of another origin gets no token, and its messages are ignored", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    const evil = "http://evil.localhost/";
    const script = "<script>window.got = []; onmessage = (e) => got.push(JSON.stringify(e.data)); parent.postMessage({path: 'Mind/Ebbinghaus and the leaky bucket.md'}, '*')</script>";
    await app.context.route(`${evil}**`, (route) => route.fulfill({ contentType: "text/html", body: `<body>evil${script}` }));
    await app.askPage.locator("body").evaluate((_, url) => void location.replace(url), evil);
    await app.askPage.getByText("evil").waitFor();
    await app.page.waitForTimeout(300);
    assert.deepEqual(await app.askPage.locator("body").evaluate(() => window.got), []);
    assert.deepEqual(await app.openNotes(), ["Home.md"]);
    // The browser says that it kept the greeting from the wrong origin.
    assert.ok(app.problems.splice(0).every((text) => /postMessage|target origin/.test(text)));
  }));

test("a window that knows no token sees and opens nothing", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    const url = await app.ask.locator("iframe").getAttribute("src");
    const heard = await app.page.evaluate(async (src) => {
      const frame = document.createElement("iframe");
      frame.id = "guessing";
      frame.src = src;
      document.body.append(frame);
      await new Promise((done) => (frame.onload = done));
      const { port1, port2 } = new MessageChannel();
      const said = [];
      port1.onmessage = ({ data }) => said.push(data);
      frame.contentWindow.postMessage({ token: "guessed", vault: "x", isDark: false }, "*", [port2]);
      await new Promise((done) => setTimeout(done, 500));
      return said;
    }, url);
    await app.page.frameLocator("#guessing").getByText("The token is not valid").waitFor();
    assert.deepEqual(heard, ["here"]);
    app.problems.splice(0); // its refusal
  }));

test("a window of another origin may not frame the page", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    const src = await app.ask.locator("iframe").getAttribute("src");
    const elsewhere = createServer((_, response) => response.end(`<!doctype html><iframe src="${src}"></iframe>`));
    await once(elsewhere.listen(0, "127.0.0.1"), "listening");
    const page = await app.context.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
    await until("it is refused", () => said.some((text) => text.includes("frame-ancestors")));
    await page.close();
    elsewhere.close();
    app.problems.splice(0); // that refusal
  }));

test("in a tab of its own the whole interface is shown", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    const page = await app.context.newPage();
    await page.goto(await app.ask.locator("iframe").getAttribute("src"));
    await page.waitForURL(/\/#\/ask$/);
    await page.close();
    app.problems.splice(0); // nobody is signed in there
  }));

test("missing servers and features are described as in the other panels", () =>
  withApp({}, async (app) => {
    await app.ready();
    const health = app.network.reply("/api/health");
    await app.unload();
    app.problems.splice(0);
    const without = { ...health, features: health.features.filter((name) => name !== "ask_view") };
    const trouble = (request) => (request.url.pathname === "/api/health" ? answering(without)() : undefined);
    await withApp({ trouble }, async (old) => {
      await old.ready();
      await old.command("ask");
      await old.ask.getByText("This server cannot answer questions").waitFor();
      await old.ask.getByText("uv tool install --reinstall .").waitFor();
      assert.equal(await old.ask.locator("iframe").count(), 0);
      await picture(old, "light-ask-old-server");
    });
  }));

test("it recovers when the server restarts, and follows to another server", async () => {
  const port = await freePort();
  await configure(held.workspace, true);
  let server = await startHomeServer(held.workspace, [held.workspace.vault], port);
  const comingAndGoing = withApp(connectedTo(server), async (app) => {
    await openAsk(app);
    await answered(app);
    await server.end();
    await app.ask.getByText("Offline").waitFor({ timeout: READY_MS });
    await app.askPage.getByText("four hours").waitFor();
    await picture(app, "light-ask-offline");
    server = await startHomeServer(held.workspace, [held.workspace.vault], port);
    await app.ready(); // it tries again by itself
    await app.askPage.getByText("four hours").waitFor();
    await ask(app, "And the oven?", { text: "How hot is the oven?" }, { text: "Very hot [1]." });
    await app.askPage.getByText("Very hot").waitFor();
    app.problems.splice(0); // the frame lost its server
  });
  await comingAndGoing.finally(() => server.end());
});

test("on a phone, and where no model is set up", async () => {
  await withConnectedApp({ kind: "phone" }, async (app) => {
    await openAsk(app);
    await answered(app);
    await picture(app, "narrow-ask");
  });
  const withoutModel = async (app) => {
    await app.ready();
    await app.command("ask");
    await app.askPage.getByRole("heading", { name: "No language model is set up" }).waitFor();
    await app.askPage.getByText("ollama pull").waitFor();
    await picture(app, "light-ask-off");
    app.problems.splice(0); // the browser tells of the refusal that is looked at
  };
  await withApp({}, withoutModel, false);
});
