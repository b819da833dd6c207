/** The panel of questions that wait, over a server that answers from a list. */

import { describe, expect, it } from "vitest";
import type { StandingQuestion } from "../../plugin/src/contract";
import type { HttpClient } from "../../plugin/src/http";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { QuestionsPanel } from "../../plugin/web/views/manage/questions";

const QUESTION: StandingQuestion = {
  id: "01234567",
  text: "When do the bees <b>swarm</b>?",
  added: "2026-11-20T10:00:00+00:00",
  answers: [{ text: "They swarm in May.", path: "May.md", line: 3, confidence: 0.6, at: "2026-11-22T10:00:00+00:00", is_new: true }],
};

class Server {
  readonly asked: string[] = [];

  constructor(public questions: StandingQuestion[] = [QUESTION]) {}

  panel({ mayWrite = true } = {}): QuestionsPanel {
    const client = new WebClient((request) => Promise.resolve(this.#answer(request)), () => undefined, { url: "", token: "" });
    const vault = { id: "home", name: "Home", path: "/notes", default: true, open: true, source: "folder" as const, served: true };
    const context = new ViewContext(client, [vault], ["questions"], { show: () => undefined } as never);
    context.mayWrite = mayWrite;
    return new QuestionsPanel(context);
  }

  #answer({ method, url, body }: Parameters<HttpClient["transport"]>[0]): { status: number; text: string } {
    const { pathname } = new URL(url, "http://server");
    if (method !== "GET") this.asked.push(`${method} ${pathname} ${body}`);
    if (method === "DELETE") this.questions = [];
    return { status: 200, text: JSON.stringify({ vault: "Home", questions: this.questions, new: 1 }) };
  }
}

const settled = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 0));

async function shown(panel: QuestionsPanel): Promise<HTMLElement> {
  document.body.replaceChildren(panel.el);
  panel.show();
  await settled();
  await settled();
  return panel.el;
}

describe("questions that wait", () => {
  it("are shown with the sentence that answers, its note and line, as text", async () => {
    const server = new Server();
    const el = await shown(server.panel());
    expect(el.querySelector("h3")?.textContent).toBe(QUESTION.text);
    expect(el.querySelector("blockquote")?.textContent).toBe("They swarm in May.");
    expect(el.querySelector("a")?.getAttribute("href")).toContain("May.md");
    expect(server.asked).toEqual(['POST /api/questions/shown {"vault":"home","id":"01234567"}']);
  });

  it("are kept and forgotten", async () => {
    const server = new Server();
    const el = await shown(server.panel());
    const field = el.querySelector("input");
    if (field) field.value = "What do wasps eat?";
    el.querySelector("form")?.dispatchEvent(new Event("submit", { cancelable: true }));
    await settled();
    expect(server.asked).toContain('POST /api/questions {"vault":"home","text":"What do wasps eat?"}');
    await settled();
    [...el.querySelectorAll("button")].find((one) => one.textContent === "Ask no longer")?.click();
    await settled();
    await settled();
    expect(server.asked.at(-1)).toBe('DELETE /api/questions {"id":"01234567","vault":"home"}');
    expect(el.textContent).toContain("No questions wait");
  });

  it("are only shown to who may only read, and stay new", async () => {
    const server = new Server();
    const el = await shown(server.panel({ mayWrite: false }));
    expect(el.querySelector("form")).toBeNull();
    expect(el.querySelector("button")).toBeNull();
    expect(server.asked).toEqual([]);
  });
});
