/** The page in a frame: whose greeting it takes, and what its links tell the window around. */

import { describe, expect, it } from "vitest";
import { greetingOf, openingOf } from "../../plugin/web/app/embedded";

const GREETING = { token: "secret", vault: "a1b2", isDark: true };
const around = {} as Window;
const other = {} as Window;

function message(data: unknown, source: unknown, origin = "app://obsidian.md"): MessageEvent {
  return { data, source, origin } as MessageEvent;
}

describe("a greeting", () => {
  it("is taken from the window around", () => {
    expect(greetingOf(message(GREETING, around), around)).toEqual(GREETING);
  });

  it("is taken from another window of the same app, whose panel has a window of its own", () => {
    expect(greetingOf(message(GREETING, other), around, "app://obsidian.md")).toEqual(GREETING);
  });

  it.each([
    ["another window", message(GREETING, other), "http://localhost"],
    ["another window, where the browser tells no origin", message(GREETING, other), undefined],
    ["nowhere", message(GREETING, null), "app://obsidian.md"],
    ["windows without an origin", message(GREETING, other, "null"), "null"],
  ])("is not taken from %s", (_, event, origin) => {
    expect(greetingOf(event, around, origin)).toBeNull();
  });

  it.each([[null], ["hello"], [{}], [{ ...GREETING, token: 1 }], [{ ...GREETING, isDark: "yes" }]])(
    "has all its parts: not %j",
    (data) => {
      expect(greetingOf(message(data, around), around)).toBeNull();
    },
  );
});

describe("a click", () => {
  function click(href: string | null, init: MouseEventInit = {}): MouseEvent {
    const link = document.createElement("a");
    const word = document.createElement("b");
    link.append(word);
    if (href !== null) link.setAttribute("href", href);
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...init });
    word.dispatchEvent(event);
    return event;
  }

  it("on a source says which note, which line, and which keys are held", () => {
    const event = click("#/search?q=bees&note=Garden%2FBees.md&line=12", { ctrlKey: true });
    expect(openingOf(event)).toMatchObject({ path: "Garden/Bees.md", line: 12, ctrlKey: true, altKey: false });
    expect(event.defaultPrevented).toBe(true);
  });

  it("on a note as a whole opens its beginning", () => {
    expect(openingOf(click("#/search?note=Bees.md"))).toMatchObject({ path: "Bees.md", line: 1 });
  });

  it("on another place of the interface opens nothing, and leads nowhere", () => {
    const event = click("#/search?q=tag%3Abees");
    expect(openingOf(event)).toBeNull();
    expect(event.defaultPrevented).toBe(true);
  });

  it.each([["https://example.org/"], [null]])("elsewhere is left to the browser: %s", (href) => {
    const event = click(href);
    expect(openingOf(event)).toBeNull();
    expect(event.defaultPrevented).toBe(false);
  });
});
