/** Which vaults the pages offer: those that the server answers for. */

import { expect, it } from "vitest";
import type { VaultInfo } from "../../plugin/src/replies";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { VaultsPanel } from "../../plugin/web/views/manage/vaults";

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
  const client = { knownVaults: () => Promise.resolve({ vaults: known, changeable: false }) };
  const context = new ViewContext(client as never, known, [], null as never);
  expect(context.vaults.map(({ name }) => name)).toEqual(["Home", "Plain"]);
  expect(context.vault?.name).toBe("Home");

  const panel = new VaultsPanel(context);
  panel.show();
  await expect.poll(() => panel.el.querySelectorAll("tbody tr").length).toBe(3);
  const [old, home] = panel.el.querySelectorAll("tbody tr");
  expect([old?.querySelector("a"), home?.querySelector("a")?.textContent]).toEqual([null, "Home"]);
  expect(old?.textContent).toContain("default, not served");
});
