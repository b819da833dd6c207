/** A query that is being typed: its last word may be unfinished. */

import { expect, it } from "vitest";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { Why } from "../../plugin/web/parts/why";
import type { Result } from "../../plugin/src/contract";
import { steadied } from "../../plugin/web/parts/resultGroups";
import { aReply, aResult, aVault, FakeServer, TOKEN } from "../plugin/samples";

it("is searched with an unfinished last word until it is settled", async () => {
  const server = new FakeServer();
  server.routes["/api/search"] = () => aReply([]);
  const client = new WebClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN });
  const context = new ViewContext(client, [aVault({ default: true })], [], null as never);
  const asked = (): (string | null)[] => server.asked("/api/search").map(({ url }) => new URL(url).searchParams.get("typing"));

  location.hash = "#/search?q=be&why=yes";
  context.keep({ isTyped: true });
  void new Why(context).show("A.md");
  await expect.poll(asked).toEqual(["true"]);

  let isTold = false;
  window.addEventListener("hashchange", () => (isTold = true), { once: true });
  context.settle();
  expect(isTold).toBe(true); // the views ask again
  expect(context.typing).toEqual({});
  void new Why(context).show("A.md");
  await expect.poll(asked).toEqual(["true", null]);
});

it("keeps the note that is first while another matches no better", () => {
  const [bees, hives] = [aResult("Bees.md", { match: "related" }), aResult("Hives.md", { match: "related" })];
  const order = (before: string[], now: Result[]): string[] => steadied({ ...aReply(now), query: "wax" }, aReply(before.map((path) => aResult(path)))).results.map(({ path }) => path);
  expect(order(["Bees.md"], [hives, bees])).toEqual(["Bees.md", "Hives.md"]);
  expect(order(["Bees.md"], [{ ...hives, match: "strong" }, bees])).toEqual(["Hives.md", "Bees.md"]);
  expect(order(["Ants.md"], [hives, bees])).toEqual(["Hives.md", "Bees.md"]);
});
