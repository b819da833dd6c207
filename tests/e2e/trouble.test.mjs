// What goes wrong, and how it gets well again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorkspace } from "./support/fixture.mjs";
import { MadeUpServer } from "./support/madeUp.mjs";
import { answering, hanging, refusing } from "./support/network.mjs";
import { READY_MS, until } from "./support/wait.mjs";

const held = useWorkspace();

/** Trouble on one route only. */
const onRoute = (route, trouble) => (request) =>
  request.url.pathname === route ? trouble(request) : undefined;

const is = (text) => (app) => app.search.getByText(text).first().waitFor();

test("a server at an address is used with the token from the app's secrets", async () => {
  const { secrets } = await held.connected();
  await held.withConnectedApp({}, async (app) => {
    await app.ready();
    assert.equal(app.programs.started.length, 0, "nothing is started here");
    assert.ok((await app.searchFor("bread")).first());
    const stored = JSON.stringify([await app.device(), await app.data()]);
    assert.equal(stored.includes(secrets["home-server"]), false, "the token is in no settings");
  });
});

test("a wrong token is reported, and the right one is accepted", async () => {
  const { secrets } = await held.connected();
  await held.withConnectedApp({ secrets: { "home-server": "wrong" } }, async (app) => {
    await app.command("open-search");
    await is("The server requires a token")(app);
    const count = app.network.requests.length;
    await app.page.waitForTimeout(2_500);
    assert.ok(app.network.requests.length - count < 8, "it is not asked all the time");
    await app.page.evaluate(
      ([name, token]) => window.host.app.secretStorage.setSecret(name, token),
      ["home-server", secrets["home-server"]],
    );
    await app.tryAgain();
    await app.ready();
  });
});

const health = (changes) => ({ status: "ok", version: "9.9.9", api: 1, features: [], auth: "token", ...changes });

for (const [name, changes, text] of [
  ["newer", { api: 2 }, "This plugin is too old"],
  ["older", { api: 0 }, "The server is too old"],
  ["of the same contract that lacks a part", { features: ["vaults"] }, "The server is too old"],
]) {
  test(`a server ${name} is met with what to do`, async () => {
    const trouble = onRoute("/api/health", answering(health(changes)));
    await held.withConnectedApp({ trouble }, async (app) => {
      await app.command("open-search");
      await is(text)(app);
      await is("9.9.9")(app);
      app.network.trouble = null;
      await app.tryAgain();
      await app.ready();
    });
  });
}

test("another program at the address is not taken for the server", async () => {
  await held.withConnectedApp({ open: ["Home.md"] }, async (app) => {
    await app.command("open-search");
    await app.ready();
    app.network.trouble = answering("<html>A router's page</html>");
    await app.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await is("Not a Notewell server")(app);
    app.network.trouble = null;
    await app.tryAgain();
    await app.ready();
  });
});

test("invalid and empty replies to a search are reported, and change nothing else", async () => {
  await held.withConnectedApp({}, async (app) => {
    await app.ready();
    await app.searchFor("bread");
    const shown = await app.search.locator(".notewell-result").count();
    for (const body of ["{", "null", "[]", { results: "none" }, ""]) {
      app.network.trouble = onRoute("/api/search", answering(body));
      await app.search.getByRole("searchbox").press("Enter");
      await is("The request failed")(app);
      assert.equal(await app.search.locator(".notewell-result").count(), shown, "what was shown stays");
      app.network.trouble = null;
      await app.search.getByRole("searchbox").press("Enter");
      await app.search.getByText("The request failed").first().waitFor({ state: "detached" });
    }
  });
});

test("after a crash during a request the server is found again", async () => {
  await held.withConnectedApp({}, async (app) => {
    await app.ready();
    await app.command("open-search");
    app.network.trouble = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return refusing();
    };
    await app.search.getByRole("searchbox").fill("bread");
    await is("Offline")(app);
    app.network.trouble = refusing;
    const count = app.network.requests.length;
    await app.page.waitForTimeout(4_000);
    assert.ok(app.network.requests.length - count < 6, "it is asked less and less");
    app.network.trouble = null;
    await app.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await app.ready();
    await app.search.locator(".notewell-result").first().waitFor();
  });
});

test("late replies to earlier searches are dropped", async () => {
  await held.withConnectedApp({}, async (app) => {
    await app.ready();
    await app.command("open-search");
    app.network.trouble = async ({ url }) => {
      if (url.searchParams.get("q") === "slugs") await new Promise((resolve) => setTimeout(resolve, 1_500));
      return undefined;
    };
    const field = app.search.getByRole("searchbox");
    await field.fill("slugs");
    await until("it is asked", () => app.network.to("/api/search").length > 0);
    await field.fill("sourdough starter in the fridge");
    await app.search.getByText("Starter that sleeps in the cold").first().waitFor();
    const isLate = ({ url, status }) => url.searchParams.get("q") === "slugs" && status !== 0;
    await until("the late answer is in", () => app.network.to("/api/search").some(isLate));
    await app.page.waitForTimeout(200);
    assert.match(await app.search.locator(".notewell-result").first().textContent(), /Starter that sleeps/);
  });
});

test("a slow reply is awaited, however often the index changes", async () => {
  const server = new MadeUpServer();
  const { trouble, ...options } = server.options;
  const slow = async (request) => {
    server.status = { ...server.status, state: "indexing", generation: server.status.generation + 1 };
    if (request.url.pathname === "/api/search") await new Promise((resolve) => setTimeout(resolve, 3_000));
    return trouble(request);
  };
  await held.withApp({ ...options, trouble: slow }, async (app) => {
    await until("it is connected", () => app.network.to("/api/status").length > 0);
    await app.searchFor("bread");
    await app.page.waitForTimeout(4_000);
    const asked = app.network.to("/api/search").length;
    assert.ok(asked <= 6, `it was asked ${asked} times`);
  });
});

test("a server that never replies does not block typing", async () => {
  await held.withConnectedApp({}, async (app) => {
    await app.ready();
    await app.command("open-search");
    app.network.trouble = onRoute("/api/search", hanging);
    await app.search.getByRole("searchbox").fill("bread");
    await app.openNote("Home.md");
    await app.page.locator(".cm-content:visible").first().click();
    await app.page.keyboard.type("still typing");
    assert.ok((await app.note()).text.includes("still typing"));
    await app.search.getByText("The request failed").first().waitFor({ timeout: READY_MS });
  });
});

test("10,000 results and snippets of 1 MB do not block the window", async () => {
  await held.withConnectedApp({}, async (app) => {
    await app.ready();
    await app.searchFor("bread");
    const reply = app.network.reply("/api/search");
    const [pattern] = reply.results;
    const short = { ...pattern, passages: [], snippet: "bread", highlights: [] };
    const many = Array.from({ length: 10_000 }, (_, n) => ({ ...short, path: `Many/${n}.md`, title: `Many ${n}` }));
    const big = "long ".repeat(200_000);
    const results = [{ ...pattern, snippet: big, highlights: [[0, 4], [999_990, 1_000_000], [-5, 1e9]] }, ...many];
    app.network.trouble = onRoute("/api/search", answering({ ...reply, total: results.length, results }));
    await app.search.getByRole("searchbox").press("Enter");
    await app.search.getByText("Many 10", { exact: true }).waitFor();
    assert.ok((await app.search.locator(".notewell-result").count()) <= 200);
    const text = await app.search.locator(".notewell-snippet").first().textContent();
    assert.ok(text.length < 2_000);
    await app.search.getByText("Many 10", { exact: true }).click();
    await until("it is said that there is no such note", async () =>
      (await app.notices()).some((notice) => notice.includes("no longer in this vault")),
    );
  });
});
