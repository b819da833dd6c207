/** The panels of runs and of saved links, over a server that answers from lists. */

import { afterEach, describe, expect, it } from "vitest";
import type { GleaningStatus, GleaningView, RunView } from "../../plugin/src/contract";
import type { HttpClient } from "../../plugin/src/http";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { parseAddress } from "../../plugin/web/lib/address";
import { GleaningsPanel } from "../../plugin/web/views/manage/gleanings";
import { RunsPanel } from "../../plugin/web/views/manage/history";

const RUN: RunView = {
  id: "7",
  kind: "maintain",
  trigger: "schedule",
  started: "2026-03-02T10:00:00+00:00",
  ended: null,
  result: "running",
  counts: { checked: 3, dead: 0 },
  errors: [{ path: "Daily/A.md", why: "<b>it cannot be read</b>" }],
};
const LINK: GleaningView = {
  id: "0123456789ab",
  title: "Bees at night",
  url: "https://bees.example/night?a=1",
  domain: "bees.example",
  description: "How they sleep.",
  created: "2026-03-02",
  source: "Daily/2026-03-02.md",
  line: 5,
  days: ["Daily/2026-03-02.md"],
  status: "active",
  reason: "",
  note: null,
};
const HOSTILE: GleaningView = { ...LINK, id: "ba9876543210", title: "Not the web", url: "javascript:alert(1)", status: "inactive" };

/** A server with one run and some links; it keeps the requests that change something. */
class Server {
  readonly asked: string[] = [];
  readonly bodies: unknown[] = [];
  run = RUN;

  constructor(readonly links: GleaningView[] = []) {}

  context({ mayWrite = true } = {}): ViewContext {
    const client = new WebClient((request) => Promise.resolve(this.#answer(request)), () => undefined, { url: "", token: "" });
    const vault = { id: "home", name: "Home", path: "/notes", default: true, open: true, source: "folder" as const, served: true };
    const context = new ViewContext(client, [vault], ["runs", "gleanings"], { show: () => undefined } as never);
    context.mayWrite = mayWrite;
    return context;
  }

  #answer({ method, url, body }: Parameters<HttpClient["transport"]>[0]): { status: number; text: string } {
    const { pathname, searchParams } = new URL(url, "http://server");
    if (method === "POST") {
      this.asked.push(pathname);
      this.bodies.push(JSON.parse(body ?? "null"));
    }
    return { status: 200, text: JSON.stringify(this.#reply(pathname, searchParams, JSON.parse(body ?? "{}") as Record<string, unknown>)) };
  }

  #reply(path: string, query: URLSearchParams, body: Record<string, unknown>): unknown {
    if (path === "/api/runs") return { vault: "Home", runs: [this.run], next: [{ what: "extract", at: "2026-03-02T23:00:00+00:00" }] };
    if (path.startsWith("/api/runs/")) return (this.run = { ...this.run, result: "cancelled", ended: "2026-03-02T10:00:04+00:00" });
    if (path === "/api/gleanings/stats") return this.#stats();
    if (path === "/api/gleanings/extract") return { vault: "Home", run: "8", files: 1, found: 1, created: body["dry_run"] ? 0 : 1, skipped: 0, ids: [LINK.id], errors: 1, undo: body["dry_run"] ? null : 4 };
    if (path.endsWith("/status")) return { vault: "Home", gleaning: { ...LINK, status: body["status"] }, history: [] };
    const status = query.get("status");
    const fitting = this.links.filter((link) => !status || link.status === status);
    return { vault: "Home", gleanings: fitting, total: fitting.length };
  }

  #stats(): unknown {
    const of = (status: GleaningStatus): number => this.links.filter((link) => link.status === status).length;
    const statuses = { active: of("active"), inactive: of("inactive"), hidden: of("hidden") };
    return { vault: "Home", total: this.links.length, extracted: 0, statuses, domains: [{ domain: "bees.example", count: this.links.length }] };
  }
}

afterEach(() => {
  location.hash = "";
  document.body.replaceChildren();
});

async function shownRuns(server: Server, mayWrite = true): Promise<RunsPanel> {
  const panel = new RunsPanel(server.context({ mayWrite }));
  document.body.append(panel.el);
  panel.show();
  await expect.poll(() => panel.el.querySelector("tbody tr")).not.toBeNull();
  panel.leave();
  return panel;
}

async function shownLinks(server: Server, hash = "#/manage/gleanings", mayWrite = true): Promise<GleaningsPanel> {
  location.hash = hash;
  const panel = new GleaningsPanel(server.context({ mayWrite }));
  document.body.append(panel.el);
  panel.show(parseAddress(hash));
  await expect.poll(() => panel.el.querySelector(".gleaning, .empty")).not.toBeNull();
  return panel;
}

function press(el: HTMLElement, label: string): void {
  const found = [...el.querySelectorAll("button")].find((one) => one.textContent === label);
  expect(found, label).toBeDefined();
  found?.click();
}

describe("runs", () => {
  it("are told in plain words, with what is due next; errors are text behind details", async () => {
    const { el } = await shownRuns(new Server());
    const row = el.querySelector("tbody tr");
    expect(row?.textContent).toContain("Checking saved links");
    expect(row?.textContent).toContain("links checked: 3");
    expect(row?.textContent).not.toContain("dead");
    expect(row?.querySelector("details li")?.textContent).toBe("Daily/A.md: <b>it cannot be read</b>");
    expect(el.querySelector(".facts-list")?.textContent).toContain("Making notes of saved links");
  });

  it("are cancelled by their id, and not by who may only read", async () => {
    const server = new Server();
    const panel = await shownRuns(server);
    press(panel.el, "Cancel");
    await expect.poll(() => panel.el.querySelector("tbody")?.textContent).toContain("cancelled");
    panel.leave();
    expect(server.asked).toEqual(["/api/runs/7/cancel"]);
    expect(server.bodies).toEqual([{ vault: "home" }]);
    expect(panel.el.querySelector("tbody button")).toBeNull();
    expect((await shownRuns(new Server(), false)).el.querySelector("button")).toBeNull();
  });
});

describe("saved links", () => {
  it("lead to the web alone; a dead one leads to the archive", async () => {
    const dead: GleaningView = { ...LINK, id: "aaaaaaaaaaaa", status: "inactive", reason: "404 twice" };
    const { el } = await shownLinks(new Server([LINK, dead, HOSTILE]));
    const outward = [...el.querySelectorAll<HTMLAnchorElement>("a[target=_blank]")].map((a) => `${a.textContent} ${a.getAttribute("href")}`);
    expect(outward).toEqual([
      `Bees at night ${LINK.url}`,
      `Bees at night ${LINK.url}`,
      `find it in the archive https://web.archive.org/web/*/${LINK.url}`,
    ]);
    expect(el.textContent).toContain("404 twice");
    expect([...el.querySelectorAll(".chip")].map((chip) => chip.textContent)).toEqual(["all 3", "active 1", "dead 2", "hidden 0"]);
  });

  it("are filtered by status, and get one", async () => {
    const server = new Server([LINK, HOSTILE]);
    const { el } = await shownLinks(server, "#/manage/gleanings?status=active");
    expect(el.querySelectorAll(".gleaning")).toHaveLength(1);
    press(el, "Hide");
    await expect.poll(() => el.querySelector(".gleaning .meta")?.textContent).toContain("hidden");
    expect(server.asked).toEqual([`/api/gleanings/${LINK.id}/status`]);
    expect(server.bodies).toEqual([{ vault: "home", status: "hidden" }]);
  });

  it("become notes only after it was told how many", async () => {
    const server = new Server([LINK]);
    const { el } = await shownLinks(server);
    press(el, "Make notes of saved links…");
    await expect.poll(() => el.textContent).toContain("1 note would be made");
    expect(el.textContent).toContain("1 entry cannot be read.");
    expect(server.bodies).toEqual([{ vault: "home", dry_run: true }]);
    press(el, "Make 1 note");
    await expect.poll(() => el.textContent).toContain("1 note was made.");
    press(el, "Undo");
    await expect.poll(() => server.asked.at(-1)).toBe("/api/writes/undo");
    expect(server.bodies.slice(1)).toEqual([{ vault: "home", dry_run: false }, { vault: "home", number: 4 }]);
  });

  it("are only read by who may only read; none is told with an example", async () => {
    const read = await shownLinks(new Server([LINK]), "#/manage/gleanings", false);
    expect(read.el.querySelector("button")).toBeNull();
    expect((await shownLinks(new Server())).el.textContent).toContain("## Gleanings");
  });
});
