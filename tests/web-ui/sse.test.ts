/** Server-sent events, in whatever pieces they come. */

import { describe, expect, it } from "vitest";
import { askEvent } from "../../plugin/src/askReplies";
import { EventReader, type ServerEvent } from "../../plugin/web/lib/sse";

const STREAM =
  'retry: 2000\n\nid: 1\nevent: step\ndata: {"a":\r\ndata:  1}\r\n\r\n: still here\n\nevent: none\n\nid: 2\rdata:x\r\rdata: é ü 日\n\ndata: cut off';
const EVENTS: readonly ServerEvent[] = [
  { id: "1", event: "step", data: '{"a":\n 1}' },
  { id: "2", event: "message", data: "x" },
  { id: "2", event: "message", data: "é ü 日" },
];

describe("a stream of events", () => {
  it.each([1, 2, 3, 7, 1000])("is read in pieces of %i", (size) => {
    const reader = new EventReader();
    const found: ServerEvent[] = [];
    for (let at = 0; at < STREAM.length; at += size) found.push(...reader.read(STREAM.slice(at, at + size)));
    expect(found).toEqual(EVENTS);
  });
});

describe("an event of an answer", () => {
  const told = (event: string, data: string): unknown => askEvent(event, JSON.parse(data));

  it("has the data of its kind", () => {
    const data = { n: 1, tool: "search", about: "bees", outcome: "3 notes" };
    expect(told("step", JSON.stringify(data))).toEqual({ kind: "step", data });
    expect(told("error", '{"code":"ask_off","detail":"No."}')).toEqual({ kind: "error", data: { code: "ask_off", detail: "No." } });
  });

  it("of a kind that comes later is passed over", () => {
    expect(told("thought", "{}")).toBeNull();
    expect(told("toString", "{}")).toBeNull();
  });

  it("with an invalid field is refused, and the error names the field", () => {
    expect(() => told("step", '{"n":"1"}')).toThrow("step.n should be a number");
    expect(() => told("text", "<html>")).toThrow(SyntaxError);
  });
});
