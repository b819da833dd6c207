/** The panel of the gardener: a plan made, reviewed, and applied with a way back. */

import { App as FakeApp } from "obsidian-test-mocks/obsidian";
import type { App } from "obsidian";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import type { PlanReply } from "../../plugin/src/contract";
import { Settings } from "../../plugin/src/settings";
import { TendView } from "../../plugin/src/ui/tendView";
import type { ViewContext } from "../../plugin/src/ui/viewContext";
import { memoryIndex } from "./memoryVault";
import { FakeServer, HEALTH, problem, TOKEN } from "./samples";

const asked = vi.hoisted(() => ({ questions: [] as string[][], isAgreed: true }));
vi.mock("../../plugin/src/ui/dialogs", async (load) => ({
  ...(await load<object>()),
  confirm: (_: unknown, question: string[]) => {
    asked.questions.push(question);
    return Promise.resolve(asked.isAgreed);
  },
}));

const ID = "20261122-103000";
const ROUTE = `/api/garden/plans/${ID}`;
const suggestion = {
  id: "a",
  check: "broken_links",
  path: "Bees.md",
  title: "[[Bes]] → Bees",
  evidence: "Line 3 links to Bes, which is no note.",
  confidence: 0.95,
  edit: [],
  diff: "--- Bees.md\n+++ Bees.md\n@@ -1 +1 @@\n-See [[Bes]].\n+See [[Bees]].\n",
  state: "open",
  why: "",
} as const;
const PLAN: PlanReply = {
  vault: "garden",
  id: ID,
  created: "2026-11-22T10:30:00+00:00",
  note: null,
  checks: ["broken_links"],
  suggestions: [suggestion, { ...suggestion, id: "b", title: "[[Hve]] → Hive" }],
  counts: { open: 2 },
  more: 0,
};

const SUMMARY = { id: ID, created: PLAN.created, note: null, checks: PLAN.checks, counts: PLAN.counts, more: 0 };
const MODEL = {
  host: "models.example",
  local: false,
  model: "big",
  notes: 12,
  waiting: 40,
  tokens: 9000,
  dollars: 0.02,
  prices_of: "2026-11",
  sent: "paths and beginnings of notes",
};

let server: FakeServer;
let connection: Connection;
let context: ViewContext;
let plan: PlanReply;
/** What the server has when the panel opens. */
let plans: readonly unknown[];
let features: string[];

beforeEach(() => {
  vi.useFakeTimers();
  plan = PLAN;
  plans = [];
  Object.assign(asked, { questions: [], isAgreed: true });
  features = [...HEALTH.features, "garden_plans"];
  server = new FakeServer();
  server.routes["/api/health"] = () => ({ ...HEALTH, features });
  server.routes["/api/garden/plans"] = ({ method }) => (method === "POST" ? plan : { vault: "garden", plans, checks: [] });
  server.routes["/api/garden/model"] = () => MODEL;
  server.routes[ROUTE] = () => plan;
  server.routes[`${ROUTE}/apply`] = ({ body }) => {
    const { only } = JSON.parse(body ?? "{}") as { only: readonly string[] };
    plan = { ...plan, suggestions: plan.suggestions.map((one) => (only.includes(one.id) ? { ...one, state: "applied" } : one)) };
    return { vault: "garden", plan: ID, applied: only, refused: [], undo: 3 };
  };
  server.routes[`${ROUTE}/undo`] = () => {
    plan = PLAN;
    return { vault: "garden", plan: ID, applied: ["a"], refused: [], undo: 4 };
  };
  server.routes[`${ROUTE}/reject`] = () => ({ vault: "garden", plan: ID, rejected: ["a", "b"], deleted: true });
  connection = new Connection({
    source: () => Promise.resolve({ endpoint: { url: "http://127.0.0.1:8765", token: TOKEN }, vault: { idOrName: "garden" } }),
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  context = {
    app: FakeApp.createConfigured__({ files: { "Bees.md": "# Bees" } }) as unknown as App,
    connection,
    settings: new Settings({ loadVault: () => Promise.resolve(null), saveVault: () => Promise.resolve(), loadDevice: () => null, saveDevice: () => undefined }),
    local: memoryIndex({}),
    pair: () => Promise.resolve(),
    look: () => Promise.resolve({ program: null, isRunning: false }),
    releases: null,
    waiting: () => 0,
    act: () => undefined,
    can: () => true,
  };
});
afterEach(() => {
  connection.end();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function open(known: readonly unknown[] = []): Promise<TendView> {
  plans = known;
  const view = new TendView(context.app.workspace.getLeaf(true), context);
  await (view as unknown as { onOpen(): Promise<void> }).onOpen();
  connection.begin();
  await settle();
  return view;
}

/** The plans that were made, as they were asked for. */
const made = (): unknown[] => server.asked("/api/garden/plans").flatMap(({ method, body }) => (method === "POST" ? [JSON.parse(body ?? "") as unknown] : []));

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(300);

async function press(el: HTMLElement, name: string): Promise<void> {
  const found = Array.from(el.querySelectorAll("button")).find((one) => one.textContent === name || one.getAttribute("aria-label") === name);
  if (!found) throw new Error(`no button “${name}” in ${el.textContent}`);
  found.focus();
  found.click();
  await settle();
}

describe("the panel of the gardener", () => {
  it("makes a plan when asked, and shows reason, sureness and change", async () => {
    const { contentEl } = await open();
    expect(server.seen.some(({ method, url }) => method === "POST" && url.includes("/garden/"))).toBe(false);
    await press(contentEl, "Make a plan");
    expect(contentEl.querySelectorAll(".notewell-suggestion")).toHaveLength(2);
    expect(contentEl.textContent).toContain("which is no note");
    expect(contentEl.textContent).toContain("95 % sure");
    expect(contentEl.querySelector("ins")?.textContent).toBe("See [[Bees]].");
  });

  it("applies what was accepted, and takes it back from the notice", async () => {
    const view = await open([SUMMARY]);
    await press(view.contentEl, "Accept: [[Bes]] → Bees");
    expect(server.asked(`${ROUTE}/apply`)).toHaveLength(0);
    await press(view.contentEl, "Apply 1 suggestion");
    expect(JSON.parse(server.asked(`${ROUTE}/apply`)[0]?.body ?? "{}")).toMatchObject({ only: ["a"] });
    expect(view.contentEl.querySelector('[data-state="applied"]')).not.toBeNull();
    await press(view.contentEl, "Take back: [[Bes]] → Bees");
    expect(server.asked(`${ROUTE}/undo`)).toHaveLength(1);
    expect(view.contentEl.querySelector('[data-state="applied"]')).toBeNull();
  });

  it("accepts all of a kind, and rejects a whole plan, which is gone then", async () => {
    const view = await open([SUMMARY]);
    await press(view.contentEl, "Accept all 2: Broken links");
    await press(view.contentEl, "Accept all 2: Broken links");
    asked.isAgreed = false;
    await press(view.contentEl, "Reject the whole plan…");
    expect(server.asked(`${ROUTE}/reject`)).toHaveLength(0);
    asked.isAgreed = true;
    plans = [];
    await press(view.contentEl, "Reject the whole plan…");
    expect(asked.questions.at(-1)?.[1]).toBe("Really reject 2 suggestions for good?");
    expect(server.asked(`${ROUTE}/reject`)).toHaveLength(1);
    expect(view.contentEl.querySelectorAll(".notewell-suggestion")).toHaveLength(0);
    expect(view.contentEl.textContent).toContain("No note is changed");
  });

  it("leaves the focus in the plan when the button that had it is gone", async () => {
    const view = await open([SUMMARY]);
    document.body.append(view.contentEl);
    const focused = (): boolean => view.contentEl.querySelector(".notewell-plan") === document.activeElement;
    expect(focused()).toBe(false);
    await press(view.contentEl, "Accept: [[Bes]] → Bees");
    expect(document.activeElement?.getAttribute("aria-pressed")).toBe("true");
    await press(view.contentEl, "Apply 1 suggestion");
    expect(focused()).toBe(true);
    expect(view.contentEl.querySelector(".notewell-decision")?.getAttribute("aria-live")).toBe("polite");
    view.contentEl.remove();
  });

  it("leaves the plan and its marks as they were when the server refuses", async () => {
    server.routes[`${ROUTE}/apply`] = () => problem(500, "internal", "It failed.");
    const view = await open([SUMMARY]);
    await press(view.contentEl, "Accept: [[Bes]] → Bees");
    await press(view.contentEl, "Apply 1 suggestion");
    expect(view.contentEl.querySelectorAll('[data-state="open"]')).toHaveLength(2);
    await press(view.contentEl, "Apply 1 suggestion");
    expect(server.asked(`${ROUTE}/apply`)).toHaveLength(2);
  });

  it("shows what was applied where the rejection after it fails, and keeps the mark of that", async () => {
    server.routes[`${ROUTE}/reject`] = () => problem(500, "internal", "It failed.");
    const view = await open([SUMMARY]);
    await press(view.contentEl, "Accept: [[Bes]] → Bees");
    await press(view.contentEl, "Reject: [[Hve]] → Hive");
    await press(view.contentEl, "Apply 1 suggestion, reject 1");
    expect([...view.contentEl.querySelectorAll(".notewell-suggestion")].map((el) => el.getAttribute("data-state"))).toEqual(["applied", "open"]);
    expect(view.contentEl.querySelector(".notewell-decision")?.textContent).toContain("Reject 1 suggestion");
  });

  it("asks the language model after saying what it is sent, where, and at which price", async () => {
    const { contentEl } = await open();
    asked.isAgreed = false;
    await press(contentEl, "Ask the language model too");
    expect(asked.questions[0]?.[1]).toBe(
      "big would read 12 of 40 notes, about 9,000 tokens, at models.example, outside the server’s computer. " +
        "Price: $0.02 at most (prices of 2026-11). Sent are paths and beginnings of notes.",
    );
    expect(made()).toEqual([]);
    asked.isAgreed = true;
    await press(contentEl, "Ask the language model too");
    expect(made()).toEqual([{ vault: "v1", checks: [], model: true, host: "models.example" }]);
    expect(contentEl.querySelectorAll(".notewell-suggestion")).toHaveLength(2);
  });

  it("asks nothing where the language model has seen every note, and tells why where there is none", async () => {
    const { contentEl } = await open();
    server.routes["/api/garden/model"] = () => ({ ...MODEL, notes: 0 });
    await press(contentEl, "Ask the language model too");
    server.routes["/api/garden/model"] = () => problem(400, "ask_off", "No language model is configured.");
    await press(contentEl, "Ask the language model too");
    expect(asked.questions).toEqual([]);
    expect(contentEl.textContent).toContain("No note is changed");
  });

  it("says that an old server makes no suggestions", async () => {
    features = HEALTH.features;
    const { contentEl } = await open();
    expect(contentEl.textContent).toContain("This server makes no suggestions");
    expect(server.seen.some(({ url }) => url.includes("/garden/"))).toBe(false);
  });
});
