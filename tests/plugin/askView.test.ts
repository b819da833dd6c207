/** The panel for questions: an answer by long-poll, its sources, stopping, saving, and choosing a local model. */

import { App as FakeApp } from "obsidian-test-mocks/obsidian";
import { MarkdownRenderer, type App } from "obsidian";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Answer } from "../../plugin/src/answer";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import type { AskReply } from "../../plugin/src/contract";
import { Settings } from "../../plugin/src/settings";
import { nameOf, saveConversation } from "../../plugin/src/ui/ask/save";
import { AskView } from "../../plugin/src/ui/askView";
import type { ViewContext } from "../../plugin/src/ui/viewContext";
import { memoryIndex } from "./memoryVault";
import { FakeServer, HEALTH, problem, TOKEN } from "./samples";

const ID = "0123456789abcdef0123456789abcdef";
const ROUTE = `/api/ask/${ID}`;
const MODELS = { provider: "openai", host: "127.0.0.1", chosen: "qwen3", budget_tokens: 1, age_s: 0, models: [] };
const REPLY: AskReply = {
  question: "How do bees fly?",
  standalone: "How do bees fly?",
  vault: "garden",
  conversation: "0123456789abcdef",
  model: "qwen3",
  answer: "By the sun [1].",
  sources: [{ n: 1, path: "Bees.md", title: "Bees", uri: "obsidian://open", cited: true, line: 3 }],
  grounded: true,
  general: false,
  partial: false,
  invalid: [],
  steps: 1,
  warnings: [],
  asked: "2026-03-02T10:00:00+00:00",
  cancelled: false,
};
const NOTICE = { provider: "openai", host: "127.0.0.1", model: "qwen3", local: true, leaves: "your question", conversation: REPLY.conversation };

let server: FakeServer;
let connection: Connection;
let context: ViewContext;

const event = (id: number, kind: string, data: unknown): unknown => ({ id, event: kind, data });

/** What the server has of the answer, given from the number that is asked for on. */
function answering(all: readonly { readonly id: number }[], isDone = true): void {
  server.routes["/api/ask"] = () => ({ id: ID, events: [], done: false });
  server.routes[ROUTE] = ({ url }) => {
    const after = Number(new URL(url).searchParams.get("after"));
    return { id: ID, events: all.filter(({ id }) => id > after), done: isDone };
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(MarkdownRenderer, "render").mockImplementation(async (_app, text, el) => el.append(text));
  server = new FakeServer();
  server.routes["/api/health"] = () => ({ ...HEALTH, features: [...HEALTH.features, "ask_events", "ask_setup"] });
  server.routes["/api/ask/models"] = () => MODELS;
  server.routes["/api/ask/stop"] = () => ({ id: ID });
  connection = new Connection({
    source: () => Promise.resolve({ endpoint: { url: "http://127.0.0.1:8765", token: TOKEN }, vault: { idOrName: "garden" } }),
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

async function open(): Promise<HTMLElement> {
  const view = new AskView(context.app.workspace.getLeaf(true), context);
  await (view as unknown as { onOpen(): Promise<void> }).onOpen();
  connection.begin();
  await settle();
  return view.contentEl;
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(300);

async function ask(el: HTMLElement, question: string): Promise<void> {
  const field = el.querySelector("textarea");
  if (field) field.value = question;
  buttonOf(el, "Ask")?.click();
  await settle();
}

function buttonOf(el: HTMLElement, text: string): HTMLButtonElement | undefined {
  return Array.from(el.querySelectorAll("button")).find((one) => one.textContent === text || one.getAttribute("aria-label") === text);
}

describe("the panel for questions", () => {
  it("says where questions go before one is asked, and sends none by itself", async () => {
    const el = await open();
    expect(el.textContent).toContain("on the server's own computer");
    expect(server.asked("/api/ask")).toHaveLength(0);
  });

  it("shows what is sent, the steps, the answer, and its sources, which open at the passage", async () => {
    answering([
      event(1, "notice", NOTICE),
      event(2, "step", { n: 1, tool: "search", about: "search: bees", outcome: "3 notes" }),
      event(3, "step", { n: 2, tool: "run_code", about: "run_code: 6 * 7", outcome: "42", code: "6 * 7", output: "42" }),
      event(4, "text", { text: "By the sun" }),
      event(5, "answer", REPLY),
    ] as { id: number }[]);
    const opened = vi.spyOn(context.app.workspace, "openLinkText").mockResolvedValue();
    const el = await open();
    await ask(el, REPLY.question);
    expect(JSON.parse(server.asked("/api/ask")[0]?.body ?? "")).toMatchObject({ question: REPLY.question, stream: "poll" });
    expect(el.textContent).toContain("Sent to qwen3 on the server’s computer: your question.");
    expect(el.querySelector(".notewell-steps")?.textContent).toContain("Searched “bees”3 notes");
    expect([...el.querySelectorAll(".notewell-steps pre")].map((one) => one.textContent)).toEqual(["6 * 7", "42"]);
    expect(el.querySelector(".notewell-answer")?.textContent).toContain("By the sun");
    buttonOf(el, "Source 1: Bees")?.click();
    await settle();
    expect(opened).toHaveBeenCalledWith("Bees.md", "Bees.md", false, { active: true, eState: { line: 2 } });
  });

  it("continues the conversation", async () => {
    answering([event(1, "answer", REPLY)] as { id: number }[]);
    const el = await open();
    await ask(el, REPLY.question);
    await ask(el, "And at night?");
    expect(JSON.parse(server.asked("/api/ask")[1]?.body ?? "")).toMatchObject({ conversation: REPLY.conversation });
    expect(el.querySelectorAll(".notewell-turn")).toHaveLength(2);
  });

  it("stops the model as well", async () => {
    answering([event(1, "text", { text: "By" })] as { id: number }[], false);
    const el = await open();
    const waits = server.routes[ROUTE];
    server.routes[ROUTE] = async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return waits?.(request);
    };
    await ask(el, REPLY.question);
    buttonOf(el, "Stop")?.click();
    await settle(); // sooner than the server replies
    expect(JSON.parse(server.asked("/api/ask/stop")[0]?.body ?? "")).toEqual({ id: ID });
    expect(el.textContent).toContain("Stopped before an answer was complete.");
  });

  it("tells why there is no answer", async () => {
    answering([event(1, "error", { code: "provider_failed", detail: "It is asleep." })] as { id: number }[]);
    const el = await open();
    await ask(el, REPLY.question);
    expect(el.querySelector("[role=alert]")?.textContent).toContain("The language model is not respondingIt is asleep.");
    expect(buttonOf(el, "Ask again")).toBeDefined();
  });

  it("says that the server is too old where it cannot be asked by long-poll", async () => {
    server.routes["/api/health"] = () => HEALTH;
    const el = await open();
    expect(el.textContent).toContain("This server cannot answer questions here");
  });
});

describe("without a language model", () => {
  it("a page of the server chooses one, and the panel looks again", async () => {
    server.routes["/api/ask/models"] = () => problem(400, "ask_off", "No language model is configured.");
    const opened = vi.spyOn(window, "open").mockReturnValue(null);
    const el = await open();
    expect(el.textContent).toContain("No language model is set up");
    buttonOf(el, "Choose one")?.click();
    expect(opened.mock.calls[0]?.[0]).toMatch(/#\/manage\/answers\?vault=/);
    server.routes["/api/ask/models"] = () => MODELS;
    buttonOf(el, "Look again")?.click();
    await settle();
    expect(el.textContent).not.toContain("No language model is set up");
    expect(buttonOf(el, "Ask")?.closest<HTMLElement>(".notewell-ask-form")?.style.display).not.toBe("none");
  });
});

describe("a question without a language model", () => {
  const sentence = { text: "They fly by the sun.", path: "Bees.md", title: "Bees", line: 3, heading: null, uri: "", confidence: 0.8 };
  const near = { path: "Hives.md", title: "Hives", line: 1, heading: null, uri: "", snippet: "A hive in the garden." };

  const answered = async (reply: object): Promise<HTMLElement> => {
    server.routes["/api/health"] = () => ({ ...HEALTH, features: [...HEALTH.features, "ask_events", "ask_setup", "evidence"] });
    server.routes["/api/ask/models"] = () => problem(400, "ask_off", "No language model is configured.");
    server.routes["/api/evidence"] = ({ url }) => ({ query: new URL(url).searchParams.get("q"), vault: "garden", warnings: [], ...reply });
    const el = await open();
    await ask(el, "How do bees fly?");
    return el;
  };

  it("is answered by the sentences of notes, each with its note", async () => {
    const el = await answered({ said: true, answers: [sentence], nearest: [] });
    expect(el.querySelector(".notewell-found")?.textContent).toBe("From your notesBeesThey fly by the sun.");
    expect(el.querySelector<HTMLElement>(".notewell-found a")?.dataset["path"]).toBe("Bees.md");
    expect(el.querySelector("textarea")?.placeholder).toBe("Ask a question about your notes");
    expect(buttonOf(el, "Save as note")).toBeUndefined();
  });

  it("is told to have none, with the nearest passages", async () => {
    const el = await answered({ said: false, answers: [], nearest: [near] });
    expect(el.querySelector(".notewell-found")?.textContent).toBe("Your notes do not say. The nearest passages:HivesA hive in the garden.");
    expect((await answered({ said: false, answers: [], nearest: [] })).querySelector(".notewell-found")?.textContent).toBe("No note matches.");
  });

  it("that fails says why", async () => {
    const el = await answered({ said: true, answers: [sentence], nearest: [] });
    server.routes["/api/evidence"] = () => problem(500, "failed", "The index is locked.");
    await ask(el, "And wasps?");
    expect(el.querySelector("[role=alert]")?.textContent).toContain("The index is locked.");
  });
});

describe("an answer by long-poll", () => {
  it("outlives a connection that breaks off, and asks for each event once", async () => {
    answering([event(1, "text", { text: "a" }), event(2, "answer", REPLY)] as { id: number }[]);
    const client = new Client(server.transport, () => undefined, { url: "http://x", token: TOKEN }, "garden");
    const whole = server.routes[ROUTE];
    let tries = 0;
    server.routes[ROUTE] = (request) => {
      tries += 1;
      if (tries === 2) throw new Error("net::ERR_NETWORK_CHANGED");
      const reply = whole?.(request) as { events: { id: number }[] };
      return tries === 1 ? { id: ID, events: reply.events.slice(0, 1), done: false } : reply;
    };
    const kinds: string[] = [];
    const followed = new Answer(client).follow({ question: "?" }, ({ kind }) => kinds.push(kind));
    await vi.advanceTimersByTimeAsync(5_000);
    await followed;
    expect(kinds).toEqual(["text", "answer"]);
  });
});

describe("a conversation as a note", () => {
  it("has a heading for each question, and links to what was cited", async () => {
    const { app } = context;
    vi.spyOn(app.fileManager, "generateMarkdownLink").mockReturnValue("[[Bees]]");
    const file = await saveConversation(app, [REPLY]);
    expect(file.path).toBe("Answers/How do bees fly.md");
    expect(await app.vault.read(file)).toBe("## How do bees fly?\n\nBy the sun [1].\n\n- [1] [[Bees]]\n");
    const second = await saveConversation(app, [REPLY]);
    expect(second.path).toBe("Answers/How do bees fly 2.md");
  });

  it("is named after the question without what file names cannot contain", () => {
    expect(nameOf('a/b: "c" [[d]]? #e')).toBe("a b c d e");
    expect(nameOf("../..")).toBe("Answer");
  });
});
