/** The row of the settings tab that tells the state: it offers a model that reads the notes better. */

import { App as FakeApp, Setting as FakeSetting } from "obsidian-test-mocks/obsidian";
import type { App, Setting } from "obsidian";
import { expect, it } from "vitest";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import { NotewellSettingTab } from "../../plugin/src/ui/settingsTab";
import { FakeServer, HEALTH, TOKEN } from "./samples";

const REASON = "52% of the notes are in German; a reads English. b reads them: 91 MB to download, and about 20 minutes.";

async function stateRow(server: FakeServer, features: readonly string[]): Promise<HTMLElement> {
  server.routes["/api/health"] = () => ({ ...HEALTH, features });
  const endpoint = { url: "http://127.0.0.1:8765", token: TOKEN };
  const connection = new Connection({
    source: () => Promise.resolve({ endpoint, vault: { idOrName: "garden" } }),
    open: (found) => new Client(server.transport, () => undefined, found),
    random: () => 0.5,
  });
  connection.begin();
  await expect.poll(() => connection.session).not.toBeNull();
  const app = FakeApp.createConfigured__({}) as unknown as App;
  const context = { app, connection, waiting: () => 0, act: () => undefined };
  const tab = new NotewellSettingTab({ app } as never, context as never);
  const rows = tab.getSettingDefinitions().flatMap((group) => ("items" in group ? group.items : []));
  const row = rows.find((one) => one !== undefined && "name" in one && one.name === "State");
  const el = document.createElement("div");
  const setting = new FakeSetting(el) as unknown as Setting;
  (row as unknown as { render(setting: Setting): void }).render(setting);
  await expect.poll(() => el.textContent).toContain("3 notes");
  connection.end();
  return el;
}

it("says which model reads the notes better, and how to use it", async () => {
  const server = new FakeServer();
  server.routes["/api/models/suggest"] = () => ({ model: "a", suggestion: { name: "b", reason: REASON } });
  const el = await stateRow(server, [...HEALTH.features, "models_suggest"]);
  await expect.poll(() => el.textContent).toContain(REASON);
  expect(el.querySelector("code")?.textContent).toBe("notewell index --model b");
});

it("says what a service would be sent and cost, and how to allow it", async () => {
  const server = new FakeServer();
  const service = { host: "api.x.com", allowed: false, sent: "Notes are sent to api.x.com.", passages: 20, tokens: 9000, dollars: null, prices_of: "August 2026" };
  server.routes["/api/models/suggest"] = () => ({ model: "a", suggestion: null, service });
  const el = await stateRow(server, [...HEALTH.features, "models_suggest"]);
  await expect.poll(() => el.textContent).toContain("about 9,000 tokens; price: unknown (prices of August 2026)");
  expect(el.querySelector("code")?.textContent).toBe("notewell models allow api.x.com");
});

it("says nothing where the present model reads them, or the server makes no offer", async () => {
  const server = new FakeServer();
  server.routes["/api/models/suggest"] = () => ({ model: "a", suggestion: null });
  const fitting = await stateRow(server, [...HEALTH.features, "models_suggest"]);
  await expect.poll(() => server.asked("/api/models/suggest").length).toBe(1);
  expect(fitting.querySelector("code")).toBeNull();
  await stateRow(server, HEALTH.features);
  expect(server.asked("/api/models/suggest").length).toBe(1);
});
