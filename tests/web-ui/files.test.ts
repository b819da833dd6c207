/** Files that are no notes in a list of results, and the model that is offered for a vault's languages. */

import { afterEach, expect, it } from "vitest";
import { resultRow } from "../../plugin/web/parts/resultRow";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { ModelsPanel } from "../../plugin/web/views/manage/models";
import { SettingsPanel } from "../../plugin/web/views/manage/settings";
import { aResult, aVault, FakeServer, TOKEN } from "../plugin/samples";

const server = new FakeServer();
const client = new WebClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN });
const features = ["models", "models_suggest"];
const contextOf = (known = features): ViewContext => new ViewContext(client, [aVault({ default: true })], known, null as never);

afterEach(() => {
  server.seen.length = 0;
});

it("says the page of a PDF and the notes that embed it, and opens it in Obsidian at the page", () => {
  const uri = "obsidian://open?vault=garden&file=paper.pdf%23page%3D3";
  const result = aResult("Papers/paper.pdf", { page: 3, heading: null, embedded_in: ["Reading.md"], uri });
  const row = resultRow(contextOf(), result, { opened: () => undefined, isCurrent: false });
  expect(row.querySelector(".where")?.textContent).toBe("page 3");
  expect(row.querySelector(".meta")?.textContent).toContain("in paper.pdf, embedded in Reading");
  expect(row.querySelector('[aria-label="Open page 3 in Obsidian"]')?.getAttribute("href")).toBe(uri);
});

it("says nothing of the kind for a note", () => {
  const row = resultRow(contextOf(), aResult("Bees.md"), { opened: () => undefined, isCurrent: false });
  expect(row.textContent).not.toMatch(/page|embedded|Bees\.md/);
  expect(row.querySelector('[aria-label="Open in Obsidian"]')).not.toBeNull();
});

it("offers the model that reads the vault's languages, with the command", async () => {
  const reason = "52% of the notes are in German; a reads English. b reads them: 91 MB to download, and about 20 minutes.";
  server.routes["/api/models"] = () => ({ vault: "garden", configured: "a", answering: "a", models: [] });
  server.routes["/api/models/suggest"] = () => ({ vault: "garden", model: "a", languages: [], suggestion: { name: "b", download_mb: 91, minutes: 20, reason }, service: null });
  const panel = new ModelsPanel(contextOf());
  panel.show();
  await expect.poll(() => panel.el.textContent).toContain(reason);
  expect(panel.el.querySelector("code")?.textContent).toBe("notewell index --model b");

  server.routes["/api/models/suggest"] = () => ({ vault: "garden", model: "a", languages: [], suggestion: null, service: null });
  panel.show();
  await expect.poll(() => panel.el.querySelector("code")).toBeNull();
  expect(panel.el.textContent).toContain("Configured");
});

it("tells the time and quality of models where they are measured", async () => {
  const model = { name: "a", dimensions: 384, max_tokens: 256, languages: ["en"], licence: "MIT", download_mb: 91, runtime: "onnx", configured: true, present: true };
  const other = { ...model, name: "b", time: 2.2, quality: { de: 0.92, zh: 0.94 } };
  server.routes["/api/models"] = () => ({ vault: "garden", configured: "a", answering: "a", models: [model, other] });
  const panel = new ModelsPanel(contextOf(["models"]));
  panel.show();
  await expect.poll(() => panel.el.querySelectorAll("tbody tr").length).toBe(2);
  const rows = [...panel.el.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")].slice(2, 4).map((cell) => cell.textContent));
  expect(rows).toEqual([["–", "–"], ["good in German and Chinese", "2.2×"]]);
});

it("names settings in words, by what they are about, also where an older server does not say what they take", async () => {
  const one = { value: [], running: [], default: [], source: "default", writable: true, reason: null };
  const settings = ["vault.exclude", "limits.connections", "new.key"].map((key) => ({ ...one, key }));
  server.routes["/api/config"] = () => ({ vault: "garden", file: null, restart: false, settings: [...settings, { ...one, key: "limits.waiting", source: "user" }] });
  const panel = new SettingsPanel(contextOf(["config"]));
  panel.show();
  const names = (inside: string): string[] => [...panel.el.querySelectorAll(inside)].map((el) => el.textContent);
  await expect.poll(() => names(".settings > div > :first-child")).toEqual(["Leave out these files and folders", "Open connections", "Requests that wait", "new.key"]);
  expect(names("h3")).toEqual(["Which files are read", "Limits of requests", "new"]);
});

it("says what a service is sent and costs, and an administrator allows it", async () => {
  const service = { host: "api.x.com", allowed: false, sent: "Notes are sent to api.x.com.", passages: 20, tokens: 9000, dollars: 0.18, prices_of: "August 2026" };
  const suggested = { vault: "garden", model: "a", languages: [], suggestion: null, service };
  server.routes["/api/models"] = () => ({ vault: "garden", configured: "a", answering: null, models: [] });
  server.routes["/api/models/suggest"] = () => suggested;
  server.routes["/api/models/allow"] = () => ({ vault: "garden", host: "api.x.com", allowed: true });
  const context = contextOf([...features, "allow_host"]);
  context.mayAdminister = false;
  const reading = new ModelsPanel(context);
  reading.show();
  await expect.poll(() => reading.el.textContent).toContain("about 9,000 tokens; price: $0.18 (prices of August 2026)");
  expect(reading.el.querySelector("code")?.textContent).toBe("notewell models allow api.x.com");

  const notices: string[] = [];
  context.showNotice = (text): void => void notices.push(text);
  context.mayAdminister = true;
  const panel = new ModelsPanel(context);
  panel.show();
  await expect.poll(() => panel.el.querySelector("button")?.textContent).toBe("Allow sending to api.x.com");
  panel.el.querySelector("button")?.click();
  await expect.poll(() => server.asked("/api/models/allow").length).toBe(1);
  expect(JSON.parse(server.asked("/api/models/allow")[0]?.body ?? "{}")).toEqual({ vault: "v1", host: "api.x.com", allowed: true });
  await expect.poll(() => notices).toEqual(["Notes may be sent to api.x.com"]);
});

it("asks no server for an offer that does not make one", async () => {
  const panel = new ModelsPanel(contextOf(["models"]));
  panel.show();
  await expect.poll(() => panel.el.textContent).toContain("Configured");
  expect(server.asked("/api/models/suggest")).toEqual([]);
});
