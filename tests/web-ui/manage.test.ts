/** Manage's panels of devices, the audit log, settings and the phone index, over a server that answers from values. */

import { expect, it } from "vitest";
import type { AuditEntry, ConfigReply, DeviceView, PhoneIndexReply, SettingType, SettingView } from "../../plugin/src/contract";
import type { HttpClient } from "../../plugin/src/http";
import { WebClient } from "../../plugin/web/app/client";
import { ViewContext } from "../../plugin/web/app/viewContext";
import { AuditPanel } from "../../plugin/web/views/manage/audit";
import { DevicesPanel, PhoneIndexSwitch } from "../../plugin/web/views/manage/devices";
import { SettingsPanel } from "../../plugin/web/views/manage/settings";

const OFF: PhoneIndexReply = {
  vault: "Home",
  on: false,
  path: "phone.notewell",
  place: "/notes/phone.notewell",
  bytes: null,
  written: null,
  problem: null,
  notes: 0,
  passages: 0,
  dimensions: 0,
  table_bytes: 0,
  expected: { bytes: 2_400_000, notes: 40, passages: 200, shortened: null, dimensions: 384, table_bytes: 0 },
};
const setting = (key: string, value: SettingView["value"], more: Partial<SettingView> = {}): SettingView => ({
  key,
  value,
  running: value,
  default: value,
  source: "user",
  writable: true,
  reason: null,
  ...more,
});

const PHONE: DeviceView = { id: "1", name: "phone", scope: "read", kind: "token", created: "2026-03-02T10:00:00+00:00", last_used: null, current: false };
const BROWSER: DeviceView = { ...PHONE, id: "2", name: "Firefox", scope: "write", kind: "browser", current: true };
const audited = (event: AuditEntry["event"], what: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: "2026-03-02T10:00:00+00:00",
  event,
  what,
  by: null,
  scope: null,
  address: "10.0.0.9",
  status: null,
  code: null,
  ...more,
});
const AUDITED = [
  audited("refused", "GET /api/note", { code: "unauthorized", address: "10.0.0.8" }),
  audited("changed", "PATCH /api/config", { by: "<b>phone</b>", scope: "write", status: 200 }),
  audited("changed", "POST /api/later", { by: "this computer", scope: "admin", status: 409, address: "127.0.0.1" }),
  audited("signed_in", "pairing"),
];

/** What the server has; `changed` are the bodies of requests that change something. */
class Server {
  readonly changed: unknown[] = [];
  readonly said: string[] = [];
  phone = OFF;
  devices = [PHONE, BROWSER];
  settings = [setting("search.passages", 10), setting("model.name", "small")];
  types: Record<string, SettingType> = {};
  confirmable: readonly string[] = [];

  context({ features = ["phone_index", "config"], mayAdminister = true } = {}): ViewContext {
    const client = new WebClient((request) => Promise.resolve(this.#answer(request)), () => undefined, { url: "", token: "" });
    const vault = { id: "home", name: "Home", path: "/notes", default: true, open: true, source: "folder" as const, served: true };
    const context = new ViewContext(client, [vault], features, { show: (text: string) => this.said.push(text) } as never);
    context.mayAdminister = mayAdminister;
    return context;
  }

  #answer({ method, url, body }: Parameters<HttpClient["transport"]>[0]): { status: number; text: string } {
    const given = JSON.parse(body ?? "{}") as { id?: string; on?: boolean; changes?: Record<string, SettingView["value"]> };
    if (method !== "GET") this.changed.push(given);
    this.devices = this.devices.filter(({ id }) => id !== given.id);
    if (url.startsWith("/api/devices")) return { status: 200, text: JSON.stringify({ devices: this.devices, shared: true }) };
    if (url.startsWith("/api/audit")) return { status: 200, text: JSON.stringify({ folder: "/state/logs", entries: AUDITED }) };
    if (given.on !== undefined) this.phone = { ...this.phone, on: given.on, bytes: given.on ? 2_400_000 : null };
    if (given.changes) this.#change(given.changes);
    const reply = url.startsWith("/api/phone-index") ? this.phone : this.#config();
    return { status: 200, text: JSON.stringify(reply) };
  }

  /** As the real one: a search takes its settings at once, and a model is opened when the server starts. */
  #change(changes: Readonly<Record<string, SettingView["value"]>>): void {
    this.settings = this.settings.map((one) => {
      const value = changes[one.key] ?? one.value;
      return { ...one, value, running: one.key.startsWith("search.") ? value : one.running };
    });
  }

  #config(): ConfigReply {
    return { vault: "Home", file: "/config.toml", restart: this.settings.some(({ value, running }) => value !== running), settings: this.settings, types: this.types, confirmable: this.confirmable };
  }
}

async function press(el: HTMLElement, name: string): Promise<void> {
  await expect.poll(() => buttons(el)).toContain(name);
  [...el.querySelectorAll("button")].find((one) => named(one) === name)?.click();
}

const named = (one: HTMLElement): string => one.getAttribute("aria-label") ?? one.textContent;
const buttons = (el: HTMLElement): string[] => [...el.querySelectorAll("button")].map(named);

it("writes the file for phones after saying where, says how large it is, and deletes it", async () => {
  const server = new Server();
  const el = shown(server);
  await expect.poll(() => el.textContent).toContain("Off. About 2.4 MB would be written into this vault as phone.notewell.");
  await press(el, "Write it…");
  expect(server.changed).toEqual([]);
  await press(el, "Really write /notes/phone.notewell?");
  await expect.poll(() => el.textContent).toContain("On: phone.notewell in this vault, 2.4 MB.");
  await press(el, "Delete the file");
  await expect.poll(() => buttons(el)).toEqual(["Write it…"]);
  expect(server.changed).toEqual([{ vault: "home", on: true }, { vault: "home", on: false }]);
  expect(server.said).toEqual(["The file is written, and kept up to date", "The file is deleted"]);
});

it("only tells of the file for phones where it cannot be switched, and nothing where the server has none", async () => {
  const server = new Server();
  const guest = shown(server, { mayAdminister: false });
  await expect.poll(() => guest.textContent).toContain("Off. About");
  expect(buttons(guest)).toEqual([]);
  server.phone = { ...OFF, expected: null };
  const empty = shown(server);
  await expect.poll(() => empty.textContent).toContain("The notes have no vectors yet.");
  expect(buttons(empty)).toEqual([]);
  expect(shown(server, { features: [] }).hidden).toBe(true);
});

it("says of a changed setting whether it applies at once, and what applies until a restart", async () => {
  const server = new Server();
  const panel = new SettingsPanel(server.context());
  panel.show();
  await enter(panel.el, "search.passages", "20");
  await expect.poll(() => server.said).toEqual(["Saved; it applies at once"]);
  expect(panel.el.textContent).not.toContain("next start");
  await enter(panel.el, "model.name", "large");
  await expect.poll(() => server.said.at(-1)).toBe("Saved; until the server is started again, small applies");
  await expect.poll(() => panel.el.textContent).toContain("from the next start of the server on; now small");
  expect(panel.el.querySelector("p[role=status]")?.textContent).toBe("Some changes take effect at the next start of the server.");
  expect(server.changed).toEqual([20, "large"].map((value, at) => ({ vault: "home", changes: { [["search.passages", "model.name"][at] ?? ""]: value } })));
});

it("offers each setting by what it takes, and sends what was chosen", async () => {
  const server = new Server();
  server.settings = [setting("log.queries", true), setting("log.level", "info"), setting("vault.exclude", ["a/**"]), setting("search.folder_weights", { Ideas: 2 })];
  server.types = { "log.queries": { kind: "switch", words: [] }, "log.level": { kind: "choice", words: ["info", "debug"] }, "vault.exclude": { kind: "list", words: [] }, "search.folder_weights": { kind: "table", words: [] } };
  const panel = new SettingsPanel(server.context());
  document.body.append(panel.el); // a box that stands nowhere tells of no change
  panel.show();
  await expect.poll(() => controlIn(panel.el, "log.queries")?.getAttribute("role")).toBe("switch");
  expect(controlIn(panel.el, "log.level")?.textContent).toBe("infodebug");
  await enter(panel.el, "log.level", "debug");
  await enter(panel.el, "vault.exclude", "a/**\n  b/**\n");
  await enter(panel.el, "search.folder_weights", "Ideas = 2\nOld stuff = 0.5");
  controlIn(panel.el, "log.queries")?.click();
  await expect.poll(() => server.changed.map((one) => (one as { changes: unknown }).changes)).toEqual([
    { "log.level": "debug" },
    { "vault.exclude": ["a/**", "b/**"] },
    { "search.folder_weights": { Ideas: 2, "Old stuff": 0.5 } },
    { "log.queries": false },
  ]);
});

it("asks before it changes what decides about the server's computer, where that may be confirmed", async () => {
  const server = new Server();
  server.settings = [setting("memory.folder", null, { writable: false, reason: "It concerns this machine." })];
  server.types = { "memory.folder": { kind: "folder", words: [] } };
  server.confirmable = ["memory.folder"];
  const panel = new SettingsPanel(server.context());
  panel.show();
  await enter(panel.el, "memory.folder", "Memory");
  expect(server.changed).toEqual([]);
  await press(panel.el, "Yes, change it");
  await expect.poll(() => server.changed).toEqual([{ vault: "home", changes: { "memory.folder": "Memory" }, confirmed: true }]);
});

it("offers no change of settings that only the server's computer may change, and finds settings by their names", async () => {
  const server = new Server();
  server.settings = [setting("search.passages", 10), setting("server.port", 8765, { writable: false, reason: "It says who may connect." })];
  const panel = new SettingsPanel(server.context());
  panel.show();
  await expect.poll(() => controlIn(panel.el, "search.passages")).not.toBeNull();
  expect(controlIn(panel.el, "server.port")).toBeNull();
  expect(panel.el.querySelector("[title='server.port: It says who may connect.']")?.textContent).toContain("8765");
  const filter = panel.el.querySelector<HTMLInputElement>("input[type=search]");
  if (filter) filter.value = "port";
  filter?.dispatchEvent(new Event("input"));
  expect([...panel.el.querySelectorAll(".settings > div")].map((row) => row.firstElementChild?.textContent)).toEqual(["Port"]);
});

const controlIn = (el: HTMLElement, key: string): HTMLInputElement | null => el.querySelector(`[id="setting-${key}"]:is(input, select, textarea)`);

/** Enters a value into the control of a setting, once it is there. */
async function enter(el: HTMLElement, key: string, value: string): Promise<void> {
  await expect.poll(() => controlIn(el, key)).not.toBeNull();
  const control = controlIn(el, key);
  if (control) control.value = value;
  control?.dispatchEvent(new Event("change"));
}

function shown(server: Server, options = {}): HTMLElement {
  const panel = new PhoneIndexSwitch(server.context(options));
  panel.show();
  return panel.el;
}

it("lists the devices, and ends the access of one after a second press", async () => {
  const server = new Server();
  const panel = new DevicesPanel(server.context({ features: ["devices"] }));
  panel.show();
  await expect.poll(() => rowsOf(panel.el)).toEqual(["phone app or program read only", "Firefox (this browser) browser read and write"]);
  await press(panel.el, "End access… phone");
  expect(server.changed).toEqual([]);
  await press(panel.el, "Really end? phone");
  await expect.poll(() => rowsOf(panel.el)).toEqual(["Firefox (this browser) browser read and write"]);
  expect(server.changed).toEqual([{ id: "1" }]);
  expect(server.said).toEqual(["phone has no access any more"]);
});

it("does not list devices to one who may not administer", () => {
  const server = new Server();
  const panel = new DevicesPanel(server.context({ features: ["devices"], mayAdminister: false }));
  panel.show();
  expect(panel.el.textContent).not.toContain("Devices with access");
});

it("tells the audit log in words, with names that a device gave itself as they are", async () => {
  const server = new Server();
  const panel = new AuditPanel(server.context());
  panel.show();
  await expect.poll(() => rowsOf(panel.el, [1, 2, 3])).toEqual([
    "unknown Refused: no valid token or session 10.0.0.8",
    "<b>phone</b> Changed a setting 10.0.0.9",
    "this computer Tried in vain: POST /api/later 127.0.0.1",
    "a new device Signed in by a pairing link 10.0.0.9",
  ]);
  expect(panel.el.querySelector("tbody b")).toBeNull();
  expect(panel.el.querySelector("details")?.textContent).toContain("/state/logs/audit*.log");
});

/** The text of some cells of each row, by default the first three. */
function rowsOf(el: HTMLElement, cells: readonly number[] = [0, 1, 2]): string[] {
  return [...el.querySelectorAll("tbody tr")].map((row) => cells.map((n) => row.children[n]?.textContent).join(" "));
}
