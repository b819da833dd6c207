/** A base in the reader: its table, its views, and what is said where there is no table. */

import { beforeEach, expect, it } from "vitest";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { drawBase } from "../../plugin/web/parts/baseTable";
import type { BaseReply } from "../../plugin/src/contract";
import { aVault, FakeServer, TOKEN } from "../plugin/samples";

let server: FakeServer;

function context(): ViewContext {
  const client = new WebClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN });
  return new ViewContext(client, [aVault()], ["base"], null as never);
}

function aBase(part: Partial<BaseReply> = {}): BaseReply {
  const rows = [{ path: "Films/Alien.md", cells: [{ text: "Alien", path: "Films/Alien.md" }, { text: "1979", path: null }] }];
  return { vault: "garden", path: "Films.base", views: ["All", "Good"], view: "All", kind: "table", columns: ["name", "Year"], rows, total: 1, problem: null, ...part };
}

const texts = (el: HTMLElement, selector: string): string[] => [...el.querySelectorAll(selector)].map(({ textContent }) => textContent);

beforeEach(() => {
  server = new FakeServer();
});

it("draws the rows, whose names lead to the notes, and another view by a press", async () => {
  const asked: string[] = [];
  server.routes["/api/base"] = ({ url }) => {
    const view = new URL(url).searchParams.get("view") ?? "All";
    asked.push(view);
    return aBase({ view, total: view === "All" ? 1 : 0, rows: view === "All" ? aBase().rows : [] });
  };
  const el = drawBase(document.createElement("div"), context(), { path: "Films.base" });
  await expect.poll(() => texts(el, "td")).toEqual(["Alien", "1979"]);
  expect(texts(el, "th")).toEqual(["name", "Year"]);
  expect(el.querySelector("td a")?.getAttribute("href")).toContain("Films");
  expect(el.querySelectorAll("td a")).toHaveLength(1);
  [...el.querySelectorAll("button")].find(({ textContent }) => textContent === "Good")?.click();
  await expect.poll(() => el.textContent).toContain("No note belongs to “Good”");
  expect(asked).toEqual(["All", "Good"]);
});

it("has no views to choose from where one is embedded, and says why there is no table", async () => {
  const problem = "This view is shown by Obsidian alone: html() is not computed here.";
  server.routes["/api/base"] = () => aBase({ rows: [], total: 0, problem });
  const el = drawBase(document.createElement("div"), context(), { path: "Films.base", view: "All", within: "Home.md" });
  await expect.poll(() => el.textContent).toBe(problem);
  expect(el.querySelectorAll("button")).toHaveLength(0);
});
