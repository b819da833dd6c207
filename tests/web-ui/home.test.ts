/** Home, and how far the index is in words, over a server that answers from values. */

import { beforeEach, describe, expect, it } from "vitest";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { readyBar, readyText } from "../../plugin/web/parts/progressStrip";
import { lately } from "../../plugin/web/parts/lately";
import { remember, toggleSaved } from "../../plugin/web/parts/searchHistory";
import { startPage } from "../../plugin/web/parts/startPage";
import { aProgress, aStatus, aVault, FakeServer, TOKEN } from "../plugin/samples";

const server = new FakeServer();

function context(): ViewContext {
  const client = new WebClient(server.transport, () => undefined, { url: "http://127.0.0.1:8765", token: TOKEN });
  return new ViewContext(client, [aVault()], [], { show: () => undefined } as never);
}

const headings = (el: HTMLElement): string[] => [...el.querySelectorAll("h2")].map(({ textContent }) => textContent);

describe("home", () => {
  beforeEach(() => localStorage.clear());

  it("shows what one can type until there are searches of before", () => {
    expect(headings(startPage(context()))).toContain("What you can type");
    remember("bread", context().vault);
    expect(headings(startPage(context()))).toEqual(expect.arrayContaining(["Recent searches"]));
    expect(headings(startPage(context()))).not.toContain("What you can type");
  });

  it("begins with the notes that were read lately, until the history is cleared", () => {
    remember("bread", context().vault);
    lately.add("Kitchen/Rye.md", context().vault);
    lately.add("Kitchen/Country loaf.md", context().vault);
    lately.add("Kitchen/Rye.md", context().vault);
    const el = startPage(context());
    expect(headings(el)[0]).toBe("Read lately");
    expect([...(el.querySelector("section")?.querySelectorAll("a") ?? [])].map(({ textContent }) => textContent)).toEqual(["Rye", "Country loaf"]);
    [...el.querySelectorAll("button")].find(({ textContent }) => textContent === "Clear history")?.click();
    expect(headings(startPage(context()))).not.toContain("Read lately");
  });

  it("lists saved searches, and the star beside one lets it go", () => {
    toggleSaved("bread tag:recipe", context().vault);
    const el = startPage(context());
    expect(headings(el)).toContain("Saved searches");
    el.querySelector<HTMLElement>("[aria-label='Do not keep bread tag:recipe']")?.click();
    expect(headings(el)).not.toContain("Saved searches");
    expect(headings(startPage(context()))).toContain("What you can type");
  });

  it("has a place for what changed while it is on its way, and no heading over nothing", async () => {
    const el = startPage(context());
    expect(el.querySelectorAll(".changed .skeleton > li").length).toBeGreaterThan(0);
    await expect.poll(() => el.querySelector(".changed .skeleton")).toBeNull();
    expect([...el.querySelectorAll("section:not([hidden])")].filter((one) => one.childElementCount < 2)).toEqual([]);
  });
});

describe("how far the index is", () => {
  const half = aProgress({ phase: "reading", notes_read: 50, notes: 100, passages_embedded: 50, passages: 100, eta_s: 120 });

  it("tells when words and meaning will be ready", () => {
    expect(readyText(aStatus({ progress: half }), 20)).toBe("Words ready in 20 s · meaning in 2 min");
    expect(readyText(aStatus({ progress: { ...half, eta_s: null } }), null)).toBe("Words 50 % · meaning 25 %");
    expect(readyText(aStatus({ progress: { ...half, phase: "embedding", notes_read: 100 } }), null)).toBe("Words ready · meaning in 2 min");
    expect(readyText(aStatus({ semantic: "unavailable", progress: half }), 20)).toBe("Words ready in 20 s");
  });

  it("never has meaning ready before the words it is made of", () => {
    expect(readyText(aStatus({ progress: { ...half, eta_s: 5 } }), 30)).toBe("Words ready in 30 s · meaning in 30 s");
  });

  it("says where passages are found by approximate meaning", () => {
    const approximate = { ...half, phase: "embedding", notes_read: 100, passages_approximate: 90 } as const;
    expect(readyText(aStatus({ progress: approximate }), null)).toBe("Words ready · approximate meaning, exact in 2 min");
    expect(readyText(aStatus({ progress: { ...approximate, eta_s: null } }), null)).toMatch(/approximate meaning, \d+ % exact$/);
  });

  it("is one bar of two tones", () => {
    const bar = readyBar(aStatus({ progress: half }));
    expect([bar.style.getPropertyValue("--words-share"), bar.style.getPropertyValue("--meaning-share")]).toEqual(["0.5", "0.25"]);
    expect(bar.getAttribute("aria-label")).toBe("By words 50 %, by meaning 25 %");
  });
});
