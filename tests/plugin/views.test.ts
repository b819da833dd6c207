/** The panels with the app's test doubles: what is drawn, walked through, opened and said. */

import { App as FakeApp, Platform } from "obsidian-test-mocks/obsidian";
import type { App, ViewStateResult, WorkspaceLeaf } from "obsidian";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../plugin/src/client";
import { Connection } from "../../plugin/src/connection";
import type { LocalIndex } from "../../plugin/src/local/localIndex";
import { Settings } from "../../plugin/src/settings";
import type { ViewContext } from "../../plugin/src/ui/viewContext";
import { QuickSearch } from "../../plugin/src/ui/quickSearch";
import { SearchView } from "../../plugin/src/ui/searchView";
import { SimilarView } from "../../plugin/src/ui/similarView";
import { memoryIndex } from "./memoryVault";
import { aReply, aResult, aStatus, aVault, FakeServer, HEALTH, problem, TOKEN } from "./samples";

let server: FakeServer;
let connection: Connection;
let settings: Settings;
let context: ViewContext;
let local: LocalIndex;
let acted: string[];
let impossible: string[];

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  acted = [];
  impossible = [];
  settings = new Settings({
    loadVault: () => Promise.resolve(null),
    saveVault: () => Promise.resolve(),
    loadDevice: () => null,
    saveDevice: () => undefined,
  });
  connection = new Connection({
    source: () =>
      Promise.resolve({
        endpoint: { url: "http://127.0.0.1:8765", token: TOKEN },
        vault: { idOrName: "garden" },
      }),
    open: (endpoint) => new Client(server.transport, () => undefined, endpoint),
    random: () => 0.5,
  });
  const app = FakeApp.createConfigured__({
    files: { "Bees.md": "# Bees", "Hives.md": "# Hives" },
  });
  local = memoryIndex({ "Bees.md": { text: "They live in a hive." }, "Hives.md": { text: "A hive for bees." } });
  context = {
    app: app as unknown as App,
    connection,
    settings,
    local,
    pair: () => Promise.resolve(),
    look: () => Promise.resolve({ program: null, isRunning: false }),
    releases: null,
    waiting: () => 0,
    act: (action) => acted.push(action),
    can: (action) => !impossible.includes(action),
  };
});
afterEach(() => {
  connection.end();
  vi.useRealTimers();
});

async function settle(ms = 500): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

async function opened<V extends SearchView | SimilarView>(
  make: (leaf: WorkspaceLeaf) => V,
): Promise<V> {
  const view = make(context.app.workspace.getLeaf(true));
  document.body.replaceChildren(view.containerEl);
  await (view as unknown as { onOpen(): Promise<void> }).onOpen();
  view.load();
  await settle();
  return view;
}

function openSearch(): Promise<SearchView> {
  return opened((leaf) => new SearchView(leaf, context));
}

function texts(view: SearchView | SimilarView, selector: string): string[] {
  return [...view.contentEl.querySelectorAll(selector)].map((el) => el.textContent ?? "");
}

function press(key: string): void {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
  );
}

/** The button for all vaults; the app's double gives tooltips no name to find it by. */
function allVaults(view: SearchView): HTMLElement | undefined {
  return view.contentEl.querySelectorAll<HTMLElement>(".nav-buttons-container button")[2];
}

/** The place of the star among the panel's buttons. */
const STAR = 5;

describe("the search panel", () => {
  it("shows what is found, with titles, passages and marks", async () => {
    connection.begin();
    const view = await openSearch();
    view.search("bees");
    await settle();
    expect(texts(view, ".tree-item-inner > span")).toEqual(["Bees"]);
    expect(texts(view, ".notewell-passage .notewell-faint")).toEqual(["Hives › Spring"]);
    expect(texts(view, ".search-result-file-matched-text")).toEqual(["hive"]);
    expect([texts(view, ".notewell-result > .notewell-title"), texts(view, ".notewell-score")]).toEqual([[], []]);
    expect(texts(view, ".search-results-result-count")).toEqual(["1 note"]);
  });

  describe("questions that wait", () => {
    beforeEach(() => {
      server.routes["/api/health"] = () => ({ ...HEALTH, features: [...HEALTH.features, "questions"] });
      server.routes["/api/questions"] = () => ({ vault: "garden", questions: [], new: 2 });
    });

    it("are kept by the star, and said to be", async () => {
      connection.begin();
      const view = await openSearch();
      for (const query of ["bees", "when do bees swarm?"]) {
        view.search(query);
        await settle();
        view.contentEl.querySelectorAll<HTMLElement>(".nav-buttons-container button")[STAR]?.click();
        await settle();
      }
      expect(server.asked("/api/questions").map(({ body }) => body).filter(Boolean)).toEqual([JSON.stringify({ vault: "v1", text: "when do bees swarm?" })]);
      expect(settings.chosen.savedSearches).toEqual(["when do bees swarm?", "bees"]);
    });

    it("have their new answers told while the field is empty, with the way to them", async () => {
      const opened = vi.spyOn(window, "open").mockReturnValue(null);
      connection.begin();
      const view = await openSearch();
      view.search("");
      await settle();
      const link = [...view.contentEl.querySelectorAll<HTMLElement>(".notewell-link")].find((el) => el.textContent === "New answers to your questions: 2");
      link?.click();
      expect(opened.mock.calls[0]?.[0]).toMatch(/#\/manage\/questions\?vault=/);
    });
  });

  it("says for which words the results are where what was typed is misspelt", async () => {
    server.routes["/api/search"] = () => aReply([aResult("Bees.md")], { corrected: { text: "bees", from: ["beees"] } });
    connection.begin();
    const view = await openSearch();
    view.search("beees");
    await settle();
    expect(view.contentEl.textContent).toContain("Results for “bees”");
  });

  it("searches all vaults of the server by choice, says where from, and opens another vault's note there", async () => {
    const uri = "obsidian://open?vault=Work&file=Bees";
    server.routes["/api/vaults"] = () => ({ vaults: [aVault(), aVault({ id: "v2", name: "Work", path: "/work" })] });
    server.routes["/api/search"] = ({ url }) => {
      const vaults = new URL(url).searchParams.get("vault") === "all" ? ["Work", "garden"] : [null];
      return aReply(vaults.map((vault) => aResult("a/Bees.md", { vault, uri })), { generation: 99 });
    };
    connection.begin();
    const view = await openSearch();
    view.search("bees");
    await settle();
    expect(texts(view, ".notewell-badge")).toEqual([]);

    allVaults(view)?.click();
    await settle();
    expect(settings.chosen.allVaults).toBe(true);
    expect(texts(view, ".notewell-badge")).toEqual(["Work", "garden"]);
    expect(texts(view, ".tree-item-inner .notewell-faint")).toEqual(["a", "a"]);
    const asked = server.asked("/api/search").length;
    await settle(30_000); // this vault's index has not changed, whatever the others' have done
    expect(server.asked("/api/search")).toHaveLength(asked);

    const open = vi.spyOn(window, "open").mockReturnValue(null);
    const [title] = view.contentEl.querySelectorAll<HTMLElement>(".search-result-file-title");
    expect(title?.dataset["path"]).toBe(".vaults/Work/a/Bees.md");
    title?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    expect(open.mock.calls).toEqual([[uri]]);
    open.mockRestore();
  });

  it("offers no other vaults where the server has none", async () => {
    connection.begin();
    await settings.set("allVaults", true);
    const view = await openSearch();
    view.search("bees");
    await settle();
    expect(allVaults(view)?.style.display).toBe("none");
    expect(new URL(server.asked("/api/search").at(-1)?.url ?? "").searchParams.get("vault")).toBe("v1");
  });

  it("says what is the matter where there is no server, and offers what to do", async () => {
    server.down = true;
    connection.begin();
    const view = await openSearch();
    expect(texts(view, ".notewell-message .notewell-title")).toEqual(["Offline"]);
    view.contentEl.querySelector<HTMLElement>(".notewell-message button")?.click();
    expect(acted).toEqual(["start"]);
  });

  it("offers nothing that cannot be done, such as a program on a phone", async () => {
    impossible = ["start"];
    const view = await openSearch();
    expect(texts(view, ".notewell-title")).toEqual(["Search finds words", "Lately"]);
    expect(texts(view, ".notewell-buttons button")).toEqual(["Connect to a computer"]);
    expect(texts(view, "button.mod-cta")).toEqual(["Connect to a computer"]);
  });

  it("does not ask again about missing notes that a person has decided about", async () => {
    const guard = { gone: 60, total: 100, since: "2026-01-01T00:00:00+00:00" };
    server.routes["/api/status"] = () => aStatus({ guard });
    connection.begin();
    const view = await openSearch();
    expect(texts(view, ".notewell-buttons button")).toEqual(["Decide"]);
    await settings.set("guardDecided", guard.since);
    expect(texts(view, ".notewell-message")).toEqual([]);
  });

  it("recovers by itself and answers what was asked meanwhile", async () => {
    server.down = true;
    connection.begin();
    const view = await openSearch();
    view.containerEl.isShown = (): boolean => true;
    view.search("bees");
    server.down = false;
    await settle(5_000);
    expect(texts(view, ".notewell-message .notewell-title")).toEqual([]);
    expect(texts(view, ".tree-item-inner > span")).toEqual(["Bees"]);
  });

  it("keeps its results while a later question fails, and says so", async () => {
    connection.begin();
    const view = await openSearch();
    view.search("bees");
    await settle();
    server.routes["/api/search"] = () => problem(400, "query_too_long", "Too long.");
    view.search("bees and more");
    await settle();
    expect(texts(view, ".notewell-message > div:nth-child(2)")).toEqual(["Too long."]);
    expect(texts(view, ".tree-item-inner > span")).toEqual(["Bees"]);
  });

  it("folds what matches weakly, and says so where nothing matches well", async () => {
    const weak = (path: string) => aResult(path, { match: "weak", scores: { ...aResult("x").scores, keyword: null } });
    server.routes["/api/search"] = () => aReply([weak("a.md"), weak("b.md")]);
    connection.begin();
    const view = await openSearch();
    view.search("zzzzqqq");
    await settle();
    expect(texts(view, ".tree-item-inner > span")).toEqual([]);
    expect(texts(view, ".notewell-weak")).toEqual(["Nothing matches well.Show 2 weak matches"]);
    expect(texts(view, ".search-results-result-count")).toEqual([]);
    view.contentEl.querySelector<HTMLElement>(".notewell-weak button")?.click();
    expect(texts(view, ".tree-item-inner > span")).toEqual(["a", "b"]);
    expect(texts(view, ".search-results-result-count")).toEqual(["2 notes"]);
    expect(texts(view, ".is-by-meaning .search-result-file-matched-text")).toEqual(["hive", "hive"]);
  });

  it("holds notes to the least match of the settings, and shortens passages unless they are to be longer", async () => {
    const snippet = "hive ".repeat(100);
    server.routes["/api/search"] = () => aReply([aResult("a.md", { snippet }), aResult("b.md", { match: "related" })]);
    connection.begin();
    const view = await openSearch();
    view.search("bees");
    await settle();
    expect(texts(view, ".tree-item-inner > span")).toEqual(["a", "b"]);
    expect(texts(view, ".notewell-snippet")[0]?.length).toBeLessThan(130);
    await settings.set("leastMatch", "strong");
    expect(texts(view, ".tree-item-inner > span")).toEqual(["a"]);
    expect(texts(view, ".notewell-weak")).toEqual(["Show 1 weaker match"]);
    await settings.set("leastMatch", "weak");
    expect([texts(view, ".tree-item-inner > span"), texts(view, ".notewell-weak")]).toEqual([["a", "b"], [""]]);
    await settings.set("density", "full");
    expect(texts(view, ".notewell-snippet")[0]?.length).toBeGreaterThan(250);
  });

  it("answers by words where there is no server, and says so", async () => {
    server.down = true;
    connection.begin();
    const view = await openSearch();
    view.search("hives");
    await settle();
    expect(texts(view, ".tree-item-inner > span")).toEqual(["Hives"]);
    expect(texts(view, ".notewell-words-only")[0]).toContain("words only");
  });

  it("lists earlier searches while its field is empty", async () => {
    settings.remember("honey");
    const view = await openSearch();
    expect(texts(view, ".notewell-link")).toContain("honey");
    view.search("bees");
    expect(texts(view, ".notewell-link")).toEqual([]);
  });

  it("asks nothing while its field is empty", async () => {
    connection.begin();
    const view = await openSearch();
    view.search("  ");
    await settle();
    expect(server.asked("/api/search")).toEqual([]);
  });

  it("is as it was when the app is started again", async () => {
    connection.begin();
    const view = await openSearch();
    await view.setState({ query: "bees", sort: "name", more: true }, {} as ViewStateResult);
    expect(view.getState()).toMatchObject({ query: "bees", sort: "name", more: true });
  });

  it("draws ten thousand results a part at a time", async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => aResult(`${n}.md`));
    server.routes["/api/search"] = () => aReply(many);
    connection.begin();
    const view = await openSearch();
    view.search("bees");
    await settle();
    expect(texts(view, ".notewell-result")).toHaveLength(100);
    const buttons = [...view.contentEl.querySelectorAll<HTMLElement>("button")];
    buttons.find((button) => button.textContent === "Show 100 more")?.click();
    expect(texts(view, ".notewell-result")).toHaveLength(200);
  });
});

describe("the list", () => {
  it("can be walked through by keyboard, passages included", async () => {
    const passage = { ...aResult("Bees.md"), heading: "Autumn" };
    server.routes["/api/search"] = () =>
      aReply([aResult("Bees.md", { passages: [passage] }), aResult("Hives.md")]);
    connection.begin();
    const view = await openSearch();
    view.search("bees");
    await settle();
    const label = (): string => document.activeElement?.textContent ?? "";
    view.contentEl.querySelector<HTMLElement>("[role=treeitem]")?.focus();
    press("ArrowRight");
    expect(texts(view, ".notewell-passage .notewell-faint")).toContain("Autumn");
    press("ArrowDown");
    press("ArrowDown");
    expect(label()).toContain("Autumn");
    press("ArrowLeft");
    expect(label()).toContain("Bees");
    press("End");
    expect(document.activeElement?.closest(".notewell-result")?.textContent).toContain("Hives");
  });

  it("leaves the row in place that a person points at", async () => {
    connection.begin();
    const view = await openSearch();
    server.routes["/api/search"] = () => aReply(["a.md", "b.md"].map((path) => aResult(path)));
    view.search("bees");
    await settle();
    const second = view.contentEl.querySelectorAll(".tree-item-self")[1];
    second?.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    server.routes["/api/search"] = () =>
      aReply(["c.md", "b.md", "a.md"].map((path) => aResult(path)));
    view.search("bees");
    await settle();
    expect(texts(view, ".tree-item-inner > span")).toEqual(["a", "b", "c"]);
    view.contentEl.querySelector(".notewell-results")?.dispatchEvent(new MouseEvent("mouseleave"));
    expect(texts(view, ".tree-item-inner > span")).toEqual(["c", "b", "a"]);
  });
});

describe("a press", () => {
  it("finds the row in place when it is released, however the answers come", async () => {
    connection.begin();
    const view = await openSearch();
    server.routes["/api/search"] = () => aReply([aResult("a.md"), aResult("b.md")]);
    view.search("bees");
    await settle();
    const list = view.contentEl.querySelector(".notewell-results");
    const row = view.contentEl.querySelectorAll(".tree-item-self")[1];
    row?.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    server.routes["/api/search"] = () =>
      aReply([aResult("c.md"), aResult("b.md", { snippet: "Another passage." })]);
    view.search("bees");
    await settle();
    expect(row?.isConnected).toBe(true);
    row?.dispatchEvent(new Event("pointerup", { bubbles: true }));
    await settle(10);
    expect(list?.textContent).toContain("Another passage.");
  });
});

describe("the similar notes panel", () => {
  function openSimilar(): Promise<SimilarView> {
    return opened((leaf) => new SimilarView(leaf, context));
  }

  it("asks for a note where none is open", async () => {
    connection.begin();
    expect(texts(await openSimilar(), ".notewell-message .notewell-title")).toEqual(["Open a note"]);
  });

  it("stays with what it was given, and never shows that note itself", async () => {
    server.routes["/api/similar"] = () => aReply([aResult("Bees.md"), aResult("Hives.md")]);
    connection.begin();
    const view = await openSimilar();
    view.pinTo({ kind: "note", path: "Bees.md" });
    await settle();
    expect(texts(view, ".notewell-target")).toEqual(["Bees"]);
    expect(texts(view, ".tree-item-inner > span")).toEqual(["Hives"]);
    expect(view.getState()).toMatchObject({ target: { kind: "note", path: "Bees.md" } });
  });

  it("shows as many as were asked for, itself and hidden ones taken out, and marks no words", async () => {
    const all = Array.from({ length: 9 }, (_, n) => aResult(`${n}.md`));
    server.routes["/api/similar"] = ({ url }) =>
      aReply(all.slice(0, Number(new URL(url).searchParams.get("limit"))));
    await settings.set("resultLimit", 3);
    await settings.set("marks", { "Bees.md": { hidden: ["1.md"], pinned: [] } });
    connection.begin();
    const view = await openSimilar();
    view.pinTo({ kind: "note", path: "Bees.md" });
    await settle();
    expect(texts(view, ".tree-item-inner > span")).toEqual(["0", "2", "3"]);
    expect(texts(view, ".notewell-info span")).toEqual(["3 notes"]);
    expect(texts(view, ".search-result-file-matched-text")).toEqual([]);
  });

  it("says by which rule a note is not in the index", async () => {
    server.routes["/api/similar"] = () => problem(404, "not_found", "No such note.");
    server.routes["/api/ledger"] = () => ({
      vault: "garden",
      total: 1,
      counts: {},
      entries: [
        {
          path: "Bees.md",
          state: "excluded",
          rule: "drafts/",
          reason: "Excluded.",
          warnings: [],
          attempts: 0,
          size: 1,
          modified: null,
          updated: null,
        },
      ],
    });
    connection.begin();
    const view = await openSimilar();
    view.pinTo({ kind: "note", path: "Bees.md" });
    await settle();
    expect(texts(view, ".notewell-message > div:nth-child(2)")).toEqual(["Excluded. (rule: drafts/)"]);
  });

  it("shows new neighbours when the index has changed", async () => {
    connection.begin();
    const view = await openSimilar();
    view.containerEl.isShown = (): boolean => true;
    view.pinTo({ kind: "text", text: "about bees" });
    await settle();
    server.routes["/api/status"] = () => aStatus({ generation: 8 });
    server.routes["/api/similar"] = () => aReply([aResult("Hives.md")], { generation: 8 });
    await settle(15_000);
    expect(texts(view, ".tree-item-inner > span")).toEqual(["Hives"]);
  });
});

describe("the quick search", () => {
  const hints = (): number => new QuickSearch(context, "").modalEl.querySelectorAll(".prompt-instruction").length;

  it("says its keys where there are keys", () => {
    const all = hints();
    const { isMobile } = Platform;
    Platform.isMobile = true;
    expect([all > 5, hints()]).toEqual([true, 0]);
    Platform.isMobile = isMobile;
  });

  it("has a key for all vaults where the server has several", async () => {
    const alone = hints();
    server.routes["/api/vaults"] = () => ({ vaults: [aVault(), aVault({ id: "v2", name: "Work", path: "/work" })] });
    connection.begin();
    await settle();
    expect(hints()).toBe(alone + 1);
    const row = document.createElement("div");
    const result = aResult(".vaults/Work/a/Bees.md", { vault: "Work" });
    new QuickSearch(context, "").renderSuggestion({ path: result.path, uri: result.uri, result, passage: result, cause: "" }, row);
    expect(row.querySelector(".suggestion-note")?.textContent).toBe("Work · a · Hives › Spring");
  });
});
