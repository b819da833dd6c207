/** The panel for questions: when it shows the server's page, to whom it gives the token, what it opens. */

import { App as FakeApp } from "obsidian-test-mocks/obsidian";
import type { App } from "obsidian";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import { Settings } from "../../plugin/src/settings";
import { AskView } from "../../plugin/src/ui/askView";
import type { ViewContext } from "../../plugin/src/ui/viewContext";
import { memoryIndex } from "./memoryVault";
import { FakeServer, HEALTH, TOKEN } from "./samples";

const ADDRESS = "http://127.0.0.1:8765";
const WITH_PAGE = { ...HEALTH, features: [...HEALTH.features, "ask_view"] };

let server: FakeServer;
let connection: Connection;
let context: ViewContext;
let address: string;
let sent: [greeting: Record<string, unknown>, origin: string, ports: MessagePort[]][];

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  server.routes["/api/health"] = () => WITH_PAGE;
  address = ADDRESS;
  sent = [];
  const source = (): ReturnType<ConstructorParameters<typeof Connection>[0]["source"]> =>
    Promise.resolve({ endpoint: { url: address, token: TOKEN }, vault: { idOrName: "garden" } });
  connection = new Connection({
    source,
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  context = {
    app: FakeApp.createConfigured__({ files: { "Bees.md": "# Bees" } }) as unknown as App,
    connection,
    settings: new Settings({
      loadVault: () => Promise.resolve(null),
      saveVault: () => Promise.resolve(),
      loadDevice: () => null,
      saveDevice: () => undefined,
    }),
    local: memoryIndex({}),
    look: () => Promise.resolve({ program: null, isRunning: false }),
    releases: null,
    waiting: () => 0,
    act: () => undefined,
    can: () => true,
  };
});
afterEach(() => {
  connection.end();
  vi.useRealTimers();
});

async function open(): Promise<AskView> {
  const view = new AskView(context.app.workspace.getLeaf(true), context);
  await (view as unknown as { onOpen(): Promise<void> }).onOpen();
  connection.begin();
  await vi.advanceTimersByTimeAsync(100);
  return view;
}

function frameOf(view: AskView): HTMLIFrameElement | null {
  return view.contentEl.querySelector("iframe");
}

/** As the browser does once the page is there; what is sent to it lands in `sent`. */
function load(view: AskView): void {
  const frame = frameOf(view);
  const postMessage = (...given: (typeof sent)[number]): unknown => sent.push(given);
  Object.defineProperty(frame, "contentWindow", { value: { postMessage }, configurable: true });
  frame?.onload?.(new Event("load"));
}

/** What the page says over its port. */
async function say(said: unknown): Promise<void> {
  vi.useRealTimers();
  sent.at(-1)?.[2][0]?.postMessage(said);
  await new Promise((resolve) => setTimeout(resolve, 20));
}

function title(view: AskView): string | undefined {
  return view.contentEl.querySelector(".notewell-title")?.textContent ?? undefined;
}

describe("the panel for questions", () => {
  it("shows the server's page, and its token to that server alone and in no address", async () => {
    const view = await open();
    load(view);
    expect(frameOf(view)?.getAttribute("src")).toBe(`${ADDRESS}/embed/ask`);
    expect(frameOf(view)?.getAttribute("sandbox")).not.toContain("top-navigation");
    expect(sent).toHaveLength(1);
    const [greeting, origin] = sent[0] ?? [];
    expect(origin).toBe(ADDRESS);
    expect(greeting).toMatchObject({ token: TOKEN, isDark: false });
  });

  it("says that it opens until the page answers", async () => {
    const view = await open();
    expect(title(view)).toBe("Opening…");
    load(view);
    await say("here");
    expect(title(view)).toBeUndefined();
  });

  it("has no frame where the server has no page, and says so", async () => {
    server.routes["/api/health"] = () => HEALTH;
    const view = await open();
    expect(frameOf(view)).toBeNull();
    expect(title(view)).toBe("This server cannot answer questions");
  });

  it("says what is the matter where there is no server", async () => {
    server.down = true;
    const view = await open();
    expect(frameOf(view)).toBeNull();
    expect(title(view)).toBe("Offline");
  });

  it("goes with the connection to another server", async () => {
    const view = await open();
    load(view);
    address = "https://home.example";
    await connection.reset();
    load(view);
    expect(view.contentEl.querySelectorAll("iframe")).toHaveLength(1);
    expect(frameOf(view)?.getAttribute("src")).toBe("https://home.example/embed/ask");
    expect(sent.at(-1)?.[1]).toBe("https://home.example");
  });

  it("keeps its page while the same server is away", async () => {
    const view = await open();
    load(view);
    await say("here");
    const frame = frameOf(view);
    await connection.reset();
    expect(frameOf(view)).toBe(frame);
    expect(sent).toHaveLength(2);
  });

  it("opens a note that the page names, and nothing for what makes no sense", async () => {
    const opened = vi.spyOn(context.app.workspace, "openLinkText").mockResolvedValue();
    const view = await open();
    load(view);
    for (const said of [null, "here", 7, {}, { path: 7 }, { path: "Elsewhere.md" }]) await say(said);
    expect(opened).not.toHaveBeenCalled();
    await say({ path: "Bees.md", line: 3, ctrlKey: false });
    expect(opened).toHaveBeenCalledWith("Bees.md", "Bees.md", false, {
      active: true,
      eState: { line: 2 },
    });
  });
});
