/** Conversations: what the server's tests wrote of one, and which one a tab goes on with. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { conversationShape } from "../../plugin/web/app/askContract";
import { keepConversation, keptConversation } from "../../plugin/web/views/ask/kept";

const WRITTEN = join(import.meta.dirname, "../contract/ask-conversation.json");

afterEach(() => vi.unstubAllGlobals());

it("reads a conversation that a server kept", () => {
  const { turns } = conversationShape(JSON.parse(readFileSync(WRITTEN, "utf8")));
  expect(turns.map(({ cancelled, sources }) => [cancelled, sources.map(({ line }) => line)])).toEqual([[true, [7]]]);
});

it("keeps one conversation for each vault, until it is forgotten", () => {
  keepConversation("a", "0123456789abcdef");
  expect(keptConversation("a")).toBe("0123456789abcdef");
  expect(keptConversation("b")).toBeUndefined();
  keepConversation("a", undefined);
  expect(keptConversation("a")).toBeUndefined();
});

it("does without where a page may keep nothing", () => {
  vi.stubGlobal("sessionStorage", undefined);
  keepConversation("a", "0123456789abcdef");
  expect(keptConversation("a")).toBeUndefined();
});
