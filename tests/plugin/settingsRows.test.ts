/** Rows of the settings tab: what each says, and what its button does. */

import { App as FakeApp, Setting as FakeSetting } from "obsidian-test-mocks/obsidian";
import type { App, Setting } from "obsidian";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { LocalIndex } from "../../plugin/src/local/localIndex";
import { pairingOffer, pairingParts } from "../../plugin/src/pairing";
import { Settings } from "../../plugin/src/settings";
import { NotewellSettingTab } from "../../plugin/src/ui/settingsTab";
import { drawConsent, drawExcluded, drawHistory, drawLocalIndex, drawPairing, drawPhoneIndex, explainPath } from "../../plugin/src/ui/settingsRows";
import type { ViewContext } from "../../plugin/src/ui/viewContext";
import { MemoryStore, MemoryVault } from "./memoryVault";

const TEXT = "words of some length ".repeat(10_000);
const NOTES = { "Bees.md": { text: TEXT }, "Hives.md": { text: "gamma" } };
const AGREED = { startAgreed: true, uploadAgreed: "http://box:8765", history: ["bees", "hives"] };

let context: ViewContext;
let settings: Settings;
let store: MemoryStore;
let pasted: string[];

beforeEach(async () => {
  settings = new Settings({
    loadVault: () => Promise.resolve(null),
    saveVault: () => Promise.resolve(),
    loadDevice: () => AGREED,
    saveDevice: () => undefined,
  });
  await settings.load();
  store = new MemoryStore();
  pasted = [];
  const app = FakeApp.createConfigured__({ files: { "Bees.md": "", "Templates/Day.md": "", "Paper.pdf": "" } }) as unknown as App;
  Object.assign(app.metadataCache, { isUserIgnored: (path: string) => path.startsWith("Templates/") });
  Object.assign(app.vault, { getConfig: () => ["Templates/"] });
  const local = new LocalIndex({ vault: new MemoryVault(NOTES), store, limit: 1e6, links: () => ({}) });
  await local.begin();
  const connection = { session: null, lastStatus: null, state: { name: "offline", why: "stopped" }, subscribe: () => () => undefined };
  const pair = (link: string): Promise<void> => Promise.resolve(void pasted.push(link));
  context = { app, settings, local, connection, pair } as unknown as ViewContext;
});

interface Fake {
  readonly disabled: boolean;
  readonly simulateClick__: () => void;
  readonly setValue: (text: string) => void;
  readonly onChanged: () => void;
}

interface Drawn {
  readonly el: HTMLElement;
  readonly press: () => void;
  readonly enter: (text: string) => void;
  readonly isDisabled: () => boolean;
}

/** A drawn row; `press` and `enter` act on its button, which is its last part, and its field. */
function drawn(draw: (setting: Setting, context: ViewContext) => unknown): Drawn {
  const el = document.createElement("div");
  const setting = new FakeSetting(el);
  draw(setting as unknown as Setting, context);
  const parts = setting.components as unknown as Fake[];
  const button = parts.at(-1) as Fake;
  return {
    el,
    press: () => button.simulateClick__(),
    enter: (text) => {
      parts[0]?.setValue(text);
      parts[0]?.onChanged();
    },
    isDisabled: () => button.disabled,
  };
}

describe("the settings", () => {
  it("are all found by the search of the settings: each has a name of its own, and words for what it draws", () => {
    const tab = new NotewellSettingTab({ app: context.app } as never, context);
    const rows = tab.getSettingDefinitions().flatMap((group) => ("items" in group ? (group.items ?? []) : [])) as { name: string; render?: unknown; aliases?: string[] }[];
    const names = rows.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const bare = rows.filter(({ render, aliases }) => render && !aliases).map(({ name }) => name);
    expect(bare).toEqual(["Token"]);
  });

  it("the file for phones is written on the server's page for devices, where there is a server", () => {
    const open = vi.spyOn(window, "open").mockReturnValue(null);
    const session = { vault: { id: "a1" }, client: { endpoint: { url: "http://127.0.0.1:8765", token: "T" } } };
    const connection = { session, subscribe: () => () => undefined };
    drawn((setting) => drawPhoneIndex(setting, { ...context, connection } as never)).press();
    expect(open.mock.calls).toEqual([["http://127.0.0.1:8765/?token=T#/manage/devices?vault=a1"]]);
    expect(drawn((setting) => drawPhoneIndex(setting, context)).isDisabled()).toBe(true);
  });

  it("each control belongs to a setting that is kept", () => {
    const tab = new NotewellSettingTab({ app: context.app } as never, context);
    const rows = tab.getSettingDefinitions().flatMap((group) => ("items" in group ? (group.items ?? []) : [])) as { control?: { key: string } }[];
    for (const { control } of rows) if (control) expect(tab.getControlValue(control.key), control.key).toBeDefined();
  });
});

describe("the word index of this device", () => {
  it("tells its size and is built again", async () => {
    const { el, press } = drawn(drawLocalIndex);
    expect(el.textContent).toContain("2 notes, 0.2 MB of text.");
    store.kept.clear();
    press();
    await expect.poll(() => store.kept.size).toBe(1);
    await expect.poll(() => el.textContent).toContain("2 notes, 0.2 MB of text.");
  });

  it("keeps no text once that is switched off, finds names still, and reads all when it is on again", async () => {
    const found = async (query: string): Promise<string[]> =>
      (await context.local.search(query, { limit: 5, isTyping: false })).results.map(({ path }) => path);
    const { el } = drawn(drawLocalIndex);
    await context.local.reader.readText(false);
    expect(store.kept.size).toBe(0);
    expect(el.textContent).toContain("2 notes, 0.0 MB of text.");
    expect([await found("gamma"), await found("hives")]).toEqual([[], ["Hives.md"]]);
    await context.local.reader.readText(true);
    expect(await found("gamma")).toEqual(["Hives.md"]);
  });

  it("loads nothing that was kept where it is off from the start", async () => {
    expect(store.kept.size).toBe(1);
    const vault = new MemoryVault(NOTES);
    const other = new LocalIndex({ vault, store, limit: 1e6, links: () => ({}) });
    await other.reader.readText(false);
    await other.begin();
    expect([store.kept.size, other.reader.size, vault.read_]).toEqual([0, 0, []]);
  });
});

describe("without a server", () => {
  it.each([
    ["Templates/Day.md", "excluded"],
    ["Nowhere.md", "no such file"],
    ["Paper.pdf", "Not searched without a server"],
    ["Bees.md", "Found by words"],
  ])("the tester says of %s: %s", async (path, said) => {
    expect((await explainPath(context, path)).title).toContain(said);
  });

  it("the app's excluded files are named", () => {
    expect(drawn(drawExcluded).el.textContent).toContain("Now: Templates/.");
  });
});

describe("privacy", () => {
  it("tells what was agreed to, and takes it back", async () => {
    const { el, press, isDisabled } = drawn(drawConsent);
    expect(el.textContent).toContain("is sent to http://box:8765");
    press();
    await expect.poll(() => el.textContent).toContain("Nothing yet");
    expect(settings.chosen).toMatchObject({ startAgreed: false, uploadAgreed: "" });
    expect(isDisabled()).toBe(true);
  });

  it("forgets earlier searches", async () => {
    const { el, press } = drawn(drawHistory);
    expect(el.textContent).toContain("2 queries");
    press();
    await expect.poll(() => settings.chosen.history).toEqual([]);
    expect(el.textContent).toContain("None.");
  });
});

describe("a pairing link that is pasted", () => {
  it("is followed as if it were opened", () => {
    const { press, enter } = drawn(drawPairing);
    enter("obsidian://notewell-pair?url=x");
    press();
    expect(pasted).toEqual(["obsidian://notewell-pair?url=x"]);
  });

  it("has the parts of the link, and none where it is another text", () => {
    const code = "abcdefghijklmnopqrstuv";
    const link = ` obsidian://notewell-pair?url=http%3A%2F%2Fbox%3A8765&code=${code}&name=my+box\n`;
    expect(pairingOffer(pairingParts(link))).toEqual({ url: "http://box:8765", code, name: "my box" });
    expect(pairingOffer(pairingParts(`https://evil.example/?url=http://box&code=${code}`))).toBeNull();
  });
});
