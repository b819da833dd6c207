// The Ask panel, a view of the app. The model is a script on loopback.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { before, test } from "node:test";
import { useWorkspace } from "./support/fixture.mjs";
import { answering } from "./support/network.mjs";
import { connectedTo, freePort, startHomeServer } from "./support/server.mjs";
import { READY_MS, until } from "./support/wait.mjs";
import { violations } from "./web/axe.mjs";
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
  const settings = `[ask]\nprovider = "openai"\nbase_url = "${model.url}/v1"\nmodel = "test-model"\nweb = true\n`;
  await writeFile(file, isSetUp ? settings : "");
  return file;
}

before(() => mkdir(OUT, { recursive: true }));

async function picture(app, name) {
  await app.page.waitForTimeout(250); // what unfolds has unfolded
  await app.page.screenshot({ path: join(OUT, `${name}.png`) });
}

async function openAsk(app) {
  await app.ready();
  await app.command("ask");
  await app.ask.getByText("on the server's own computer").waitFor();
}

async function ask(app, question, ...turns) {
  model.turns = turns;
  await app.ask.getByRole("textbox", { name: "Question" }).fill(question);
  await app.page.keyboard.press("Enter");
}

async function answered(app) {
  await ask(app, QUESTION, { text: ANSWER });
  await app.ask.getByRole("button", { name: /^Source 1:/ }).waitFor();
}

for (const look of ["light", "dark"]) {
  test(`a question is answered beside the notes, and its sources open them, ${look}`, () =>
    (look === "light" ? withApp : withConnectedApp)({ isDark: look === "dark" }, async (app) => {
      await openAsk(app);
      await picture(app, `${look}-ask-start`);
      let goOn;
      const wait = new Promise((done) => (goOn = done));
      await ask(app, QUESTION, { calls: [["search", { query: "country loaf proof" }]] }, { text: ANSWER, wait });
      await app.ask.getByText("your question, this conversation").waitFor();
      await app.ask.locator(".notewell-answer strong", { hasText: "four hours" }).waitFor();
      await app.ask.getByText("Searched “country loaf proof”").waitFor();
      await picture(app, `${look}-ask-thinking`);
      goOn();
      const source = app.ask.locator(".notewell-after .notewell-sources a").first();
      await source.waitFor();
      await picture(app, `${look}-ask`);
      assert.deepEqual(await violations(app.page, ".notewell-ask"), [], "axe");
      const path = await source.getAttribute("data-path");
      await source.click();
      await until("the note is open", async () => (await app.note()).path === path);
      assert.notEqual((await app.note()).selection, "", "the passage is selected");
      assert.ok(app.network.to("/api/ask")[0].body.includes('"stream":"poll"'));
    }));
}

test("a conversation continues, is found again, and is saved as a note", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    await answered(app);
    await ask(app, "And the oven?", { text: "How hot is the oven?" }, { text: "Very hot [1]." });
    await app.ask.locator(".notewell-turn").nth(1).getByRole("button", { name: /^Source/ }).waitFor();
    await app.ask.getByRole("button", { name: "New conversation" }).click();
    await until("it is gone", async () => (await app.ask.locator(".notewell-turn").count()) === 0);
    await app.ask.getByRole("button", { name: "Earlier conversations" }).click();
    await app.page.getByText(`${QUESTION} (2 questions)`).click();
    await app.ask.getByText("Very hot").waitFor();
    await app.ask.getByRole("button", { name: "Save as note" }).click();
    const path = "Answers/How long does the country loaf rise.md";
    await until("the note is open", async () => (await app.note()).path === path);
    assert.match(await readFile(join(app.folder.root, path), "utf8"), /And the oven\?[\s\S]*Very hot \[1\]\.\n\n- \[1\] \[\[/);
  }));

test("what a note talked the model into is harmless as it is drawn and saved, and a made-up page is asked for", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    const page = "https://words-of-notes.elsewhere.invalid/?d=loaf";
    const text = `Four hours [1]. ![map](${page}) <img src="${page}"><iframe src="${page}"></iframe>\n\n\`\`\`dataviewjs\napp\n\`\`\``;
    await ask(app, QUESTION, { calls: [["read_web_page", { url: page }]] }, { text });
    await app.ask.getByText("The model asks to read a page of words-of-notes.elsewhere.invalid").waitFor();
    await app.ask.locator("code", { hasText: page }).waitFor();
    await picture(app, "light-ask-permission");
    assert.deepEqual(await violations(app.page, ".notewell-ask"), [], "axe");
    await app.ask.getByRole("button", { name: "Do not read it" }).click();
    await app.ask.getByRole("button", { name: /^Source 1:/ }).waitFor();
    const answer = app.ask.locator(".notewell-answer");
    assert.equal(await answer.locator("img, iframe").count(), 0);
    assert.equal(await answer.locator(`a[href="${page}"]`).first().innerText(), page, "it is shown whole");
    assert.match(await answer.innerText(), /<img src=/);
    assert.equal(await answer.locator("code.language-dataviewjs").count(), 0);
    assert.match(JSON.stringify(model.asked.at(-1)), /the person did not allow it/);
    await picture(app, "light-ask-harmless");
    await app.ask.getByRole("button", { name: "Save as note" }).click();
    await until("the note is open", async () => (await app.note()).path.startsWith("Answers/"));
    const saved = await readFile(join(app.folder.root, (await app.note()).path), "utf8");
    assert.doesNotMatch(saved, /!\[|<img|<iframe|dataviewjs/);
    assert.ok(saved.includes(`<${page}>`));
  }));

test("an answer can be stopped, and the model is stopped with it", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    await ask(app, QUESTION, { text: "It rises for", wait: new Promise(() => undefined) });
    await app.ask.locator(".notewell-answer", { hasText: "It rises" }).waitFor();
    await app.ask.getByRole("button", { name: "Stop" }).click();
    await app.ask.getByText("Stopped. This answer is incomplete.").waitFor();
    await until("the server knows", () => app.network.to("/api/ask/stop").length === 1);
  }));

test("it works in a window of its own, and unloading leaves nothing", () =>
  withConnectedApp({}, async (app) => {
    await openAsk(app);
    const popup = await app.moveToWindow("notewell-ask");
    await popup.getByText("on the server's own computer").waitFor();
    model.turns = [{ text: ANSWER }];
    await popup.getByRole("textbox", { name: "Question" }).fill(QUESTION);
    await popup.keyboard.press("Enter");
    await popup.locator(".notewell-after .notewell-sources a").first().click();
    await until("the note is open in the first window", async () => (await app.note()).path !== "Home.md");
    await app.unload();
    assert.equal(await popup.locator(".notewell-ask").count().catch(() => 0), 0);
  }));

test("a server that is too old is described as in the other panels", () =>
  withConnectedApp({}, async (app) => {
    await app.ready();
    const health = app.network.reply("/api/health");
    await app.unload();
    const without = { ...health, features: health.features.filter((name) => name !== "ask_events") };
    const trouble = (request) => (request.url.pathname === "/api/health" ? answering(without)() : undefined);
    await withConnectedApp({ trouble }, async (old) => {
      await old.ready();
      await old.command("ask");
      await old.ask.getByText("This server cannot answer questions").waitFor();
      await old.ask.getByText("uv tool install --reinstall .").waitFor();
    });
  }));

test("a conversation outlives a restart of the server", async () => {
  const port = await freePort();
  await configure(held.workspace, true);
  let server = await startHomeServer(held.workspace, [held.workspace.vault], port);
  const comingAndGoing = withApp(connectedTo(server), async (app) => {
    await openAsk(app);
    await answered(app);
    await server.end();
    await app.ask.getByText("Offline").waitFor({ timeout: READY_MS });
    await app.ask.getByText("four hours").waitFor();
    server = await startHomeServer(held.workspace, [held.workspace.vault], port, server.token);
    await app.ready(); // it tries again by itself
    await ask(app, "And the oven?", { text: "How hot is the oven?" }, { text: "Very hot [1]." });
    await app.ask.getByText("Very hot").waitFor();
  });
  await comingAndGoing.finally(() => server.end());
});

test("on a phone", () =>
  withConnectedApp({ kind: "phone" }, async (app) => {
    await openAsk(app);
    await answered(app);
    await picture(app, "narrow-ask");
  }));

test("without a model, a page of the server uses the program that runs on the computer after a click", async (context) => {
  const ollama = createServer((_, response) => response.end('{"data": [{"id": "qwen3:8b"}, {"id": "nomic-embed-text"}]}'));
  const isFree = await new Promise((done) => {
    ollama.once("error", () => done(false));
    ollama.listen(11434, "127.0.0.1", () => done(true));
  });
  if (!isFree) return context.skip("something listens on Ollama's port on this computer");
  const withoutModel = async (app) => {
    await app.ready();
    await app.command("ask");
    await app.ask.getByText("No language model is set up").waitFor();
    await picture(app, "light-ask-off");
    await app.page.evaluate(() => (window.open = (address) => ((window.opened = address), null)));
    await app.ask.getByRole("button", { name: "Choose one" }).click();
    const page = await app.context.newPage();
    await page.goto(await app.page.evaluate(() => window.opened));
    await page.getByRole("button", { name: /Ollama/ }).click();
    await page.getByText("It answers from now on").waitFor();
    await page.close();
    await app.ask.getByRole("button", { name: "Look again" }).click();
    await app.ask.getByText("on the server's own computer").waitFor();
    const file = join(held.workspace.root, "data/config.toml");
    assert.match(await readFile(file, "utf8"), /base_url = "http:\/\/127\.0\.0\.1:11434\/v1"/);
  };
  await withApp({}, withoutModel, false).finally(() => ollama.close());
});
