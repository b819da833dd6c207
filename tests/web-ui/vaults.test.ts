/** Which vaults the pages offer: those that the server answers for. */

import { expect, it } from "vitest";
import type { VaultInfo } from "../../plugin/src/replies";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { resultRow } from "../../plugin/web/parts/resultRow";
import { VaultsPanel } from "../../plugin/web/views/manage/vaults";
import { aReply, aResult, FakeServer, TOKEN } from "../plugin/samples";

const vault = (name: string, more: Partial<VaultInfo> = {}): VaultInfo => ({
  id: name.toLowerCase(),
  name,
  path: `/notes/${name}`,
  default: false,
  open: true,
  source: "folder",
  served: undefined,
  ...more,
});

it("offers no vault that is known and not served, and says so where all are listed", async () => {
  const known = [vault("Old", { served: false, open: false, default: true }), vault("Home", { served: true }), vault("Plain")];
  const reply = { status: 200, text: JSON.stringify({ vaults: known.map((one) => ({ ...one, served: one.served ?? true })), changeable: false, notice: "It was taken from its copy." }) };
  const client = new WebClient(() => Promise.resolve(reply), () => undefined, { url: "", token: "" });
  const context = new ViewContext(client, known, [], null as never);
  expect(context.vaults.map(({ name }) => name)).toEqual(["Home", "Plain"]);
  expect(context.vault?.name).toBe("Home");

  const panel = new VaultsPanel(context);
  panel.show();
  await expect.poll(() => panel.el.querySelectorAll("tbody tr").length).toBe(3);
  const [old, home] = panel.el.querySelectorAll("tbody tr");
  expect([old?.querySelector("a"), home?.querySelector("a")?.textContent]).toEqual([null, "Home"]);
  expect(old?.textContent).toContain("default, not served");
  expect(panel.el.querySelector("[role=note]")?.textContent).toContain("It was taken from its copy.");
});

it("searches all vaults, says where a result is from, and reads it in its own vault", async () => {
  const server = new FakeServer();
  server.routes["/api/search"] = () => aReply([aResult("Bees.md", { vault: "Work" })]);
  const client = new WebClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN });
  const context = new ViewContext(client, [vault("Home", { default: true }), vault("Work")], [], null as never);
  location.hash = "#/search?q=bees&in=all";
  expect(context.isEverywhere).toBe(true);
  const { results } = await client.findEverywhere("bees", { limit: 5 });
  expect(new URL(server.seen[0]?.url ?? "").searchParams.get("vault")).toBe("all");

  const row = resultRow(context, results[0] as never, { opened: () => undefined, isCurrent: false, why: null });
  expect(row.querySelector(".meta")?.textContent).toContain("Work");
  const hrefs = [...row.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  expect(hrefs[0]).toBe("#/search?vault=Work&in=all&q=bees&note=Bees.md&line=5");
  expect(hrefs.filter((href) => href?.startsWith("#")).every((href) => href?.includes("vault=Work"))).toBe(true);

  location.hash = "#/search?q=bees&in=all&like=Bees.md"; // similar notes are those of one vault
  expect(context.isEverywhere).toBe(false);
  location.hash = "#/manage?in=all";
  expect(context.isEverywhere).toBe(false);
});
