/** Conversations: what the server's tests wrote of one, and which one a tab goes on with. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import * as replies from "../../plugin/src/askReplies";
import { earlierList } from "../../plugin/web/views/ask/earlier";
import { setCurrentConversation, currentConversation } from "../../plugin/web/views/ask/earlier";

function written(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../contract", name), "utf8"));
}

afterEach(() => vi.unstubAllGlobals());

it("reads a conversation that a server kept", () => {
  const { turns } = replies.conversation(written("ask-conversation.json"));
  expect(turns.map(({ cancelled, sources }) => [cancelled, sources.map(({ line }) => line)])).toEqual([[true, [7]]]);
});

it("offers the conversations that a server kept, and none where there are none", () => {
  const { conversations } = replies.conversations(written("ask-kept.json"));
  const open = vi.fn();
  const list = earlierList(conversations, open);
  list?.querySelector("button")?.click();
  expect(list?.textContent).toContain("How do bees find home?1 question");
  expect(open).toHaveBeenCalledWith("fedcba9876543210");
  expect(earlierList([], open)).toBeNull();
});

it("keeps one conversation for each vault, until it is forgotten", () => {
  setCurrentConversation("a", "0123456789abcdef");
  expect(currentConversation("a")).toBe("0123456789abcdef");
  expect(currentConversation("b")).toBeUndefined();
  setCurrentConversation("a", undefined);
  expect(currentConversation("a")).toBeUndefined();
});

it("works without storage", () => {
  vi.stubGlobal("sessionStorage", undefined);
  setCurrentConversation("a", "0123456789abcdef");
  expect(currentConversation("a")).toBeUndefined();
});
