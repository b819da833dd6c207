/** The panel of conflict copies, over a server that answers from a list. */

import { describe, expect, it } from "vitest";
import type { ConflictReply } from "../../plugin/src/contract";
import type { HttpClient } from "../../plugin/src/http";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { parseAddress } from "../../plugin/web/lib/address";
import { ConflictsPanel } from "../../plugin/web/views/manage/conflicts";

const COPY = "Bees.sync-conflict-20261122-103000.md";
const TIMES = { changed: "2026-11-20T10:00:00+00:00", copy_changed: "2026-11-22T10:30:00+00:00" };
const FOUND: ConflictReply = {
  vault: "Home",
  path: "Bees.md",
  copy: COPY,
  hash: "a".repeat(32),
  copy_hash: "b".repeat(32),
  ...TIMES,
  newer: "copy",
  differences: 2,
  parts: [
    { kind: "both", note: "# Bees\n", copy: "# Bees\n", line: 1 },
    { kind: "copy", note: "", copy: "<b>The queen</b> lays eggs.\n", line: 2 },
    { kind: "differs", note: "- feed in March\n", copy: "- feed in April\n", line: 3 },
    { kind: "differs", note: "- [ ] wax\n", copy: "- [x] wax\n", line: 4 },
  ],
  links: ["Links.md"],
};

class Server {
  readonly bodies: unknown[] = [];

  constructor(readonly conflicts = [{ path: "Bees.md", copy: COPY, ...TIMES }]) {}

  panel({ mayWrite = true } = {}): ConflictsPanel {
    const client = new WebClient((request) => Promise.resolve(this.#answer(request)), () => undefined, { url: "", token: "" });
    const vault = { id: "home", name: "Home", path: "/notes", default: true, open: true, source: "folder" as const, served: true };
    const context = new ViewContext(client, [vault], ["conflicts"], { show: () => undefined } as never);
    context.mayWrite = mayWrite;
    return new ConflictsPanel(context);
  }

  #answer({ url, body, method }: Parameters<HttpClient["transport"]>[0]): { status: number; text: string } {
    const { pathname } = new URL(url, "http://server");
    if (method === "POST") this.bodies.push(JSON.parse(body ?? "null"));
    const replies: Record<string, unknown> = {
      "/api/conflicts": { vault: "Home", conflicts: this.conflicts },
      "/api/conflict": FOUND,
      "/api/conflict/heal": { vault: "Home", path: "Bees.md", copy: COPY, diff: "", links: ["Links.md"], left: [], undo: 3 },
    };
    return { status: 200, text: JSON.stringify(replies[pathname]) };
  }
}

const settled = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 0));

async function shown(panel: ConflictsPanel, address: string): Promise<HTMLElement> {
  panel.show(parseAddress(address));
  document.body.replaceChildren(panel.el);
  await settled();
  await settled();
  return panel.el;
}

describe("conflict copies", () => {
  it("are listed with both times, each leading to its comparison", async () => {
    const el = await shown(new Server().panel(), "#/manage/conflicts");
    const link = el.querySelector("li a");
    expect(link?.textContent).toBe("Bees.md");
    expect(link?.getAttribute("href")).toContain("copy=Bees.sync-conflict");
  });

  it("say so where there are none", async () => {
    const el = await shown(new Server([]).panel(), "#/manage/conflicts");
    expect(el.textContent).toContain("No conflict copies");
  });

  it("show what differs with the later version chosen, and what one says alone as text", async () => {
    const el = await shown(new Server().panel(), `#/manage/conflicts?note=Bees.md&copy=${COPY}`);
    const chosen = [...el.querySelectorAll<HTMLInputElement>("input:checked")].map((box) => box.closest("label")?.textContent);
    expect(chosen).toHaveLength(2);
    expect(chosen[0]).toContain("- feed in April");
    expect(el.querySelector("ins")?.textContent).toBe("<b>The queen</b> lays eggs.");
    expect(el.textContent).toContain("1 note links to the copy");
  });

  it("are healed with the choices that were made", async () => {
    const server = new Server();
    const el = await shown(server.panel(), `#/manage/conflicts?note=Bees.md&copy=${COPY}`);
    const boxes = [...el.querySelectorAll<HTMLInputElement>("input[type=radio]")];
    boxes[0]?.click(); // the note's version of the first difference
    el.querySelector<HTMLButtonElement>("button.primary")?.click();
    await settled();
    await settled();
    expect(server.bodies).toEqual([{ path: "Bees.md", other: COPY, hash: FOUND.hash, other_hash: FOUND.copy_hash, choices: ["note", "copy"], vault: "home" }]);
    expect(el.querySelector("[role=status]")?.textContent).toContain("The copy is now part of the note.");
  });

  it("can be compared, and not healed, by who may only read", async () => {
    const el = await shown(new Server().panel({ mayWrite: false }), `#/manage/conflicts?note=Bees.md&copy=${COPY}`);
    expect(el.querySelector("button.primary")).toBeNull();
    expect([...el.querySelectorAll<HTMLInputElement>("input")].every((box) => box.disabled)).toBe(true);
  });
});
