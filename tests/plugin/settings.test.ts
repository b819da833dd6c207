import { describe, expect, it } from "vitest";
import {
  Settings,
  type Choices,
  type DeviceSettings,
  type VaultSettings,
} from "../../plugin/src/settings";

async function settingsOf(vault: unknown, device: unknown = null): Promise<{
  settings: Settings;
  saved: { vault?: VaultSettings; device?: DeviceSettings };
}> {
  const saved: { vault?: VaultSettings; device?: DeviceSettings } = {};
  const settings = new Settings({
    loadVault: () => Promise.resolve(vault),
    saveVault: (data) => Promise.resolve(void (saved.vault = data)),
    loadDevice: () => device,
    saveDevice: (data) => void (saved.device = data),
  });
  await settings.load();
  return { settings, saved };
}

async function defaults(): Promise<Choices> {
  return (await settingsOf(null)).settings.chosen;
}

describe("settings", () => {
  it("start nothing, send nothing and hide nothing before anybody chose", async () => {
    expect(await defaults()).toMatchObject({
      mode: "unset",
      startAgreed: false,
      uploadAgreed: "",
      resultLimit: 20,
      leastMatch: "related",
      marks: {},
    });
  });

  it.each([[null], ["text"], [7], [[]], [{ score: "loud", resultLimit: "many", marks: 3 }]])(
    "are the defaults where %j is stored",
    async (stored) => {
      const { settings } = await settingsOf(stored, stored);
      expect(settings.chosen).toEqual(await defaults());
    },
  );

  it("keep what is sane of what is stored, in its bounds, and drop what they do not know", async () => {
    const { settings } = await settingsOf({ resultLimit: 5_000, score: "bar", colour: "red" });
    expect(settings.chosen).toEqual({ ...(await defaults()), resultLimit: 200, score: "bar" });
  });

  it("take nothing from the synced file that belongs to one device", async () => {
    const { settings } = await settingsOf({ program: "/tmp/evil", startAgreed: true });
    expect(settings.chosen).toEqual(await defaults());
  });

  it("never write to the synced file what belongs to one device", async () => {
    const { settings, saved } = await settingsOf(null);
    await settings.set("program", "/opt/notewell");
    expect(saved.vault).toBeUndefined();
    await settings.set("score", "off");
    expect(saved.device).toMatchObject({ program: "/opt/notewell" });
    expect(JSON.stringify(saved.vault)).not.toMatch(/program|address|token|Agreed/);
  });

  it("tell who listens what changed", async () => {
    const { settings } = await settingsOf(null);
    const heard: string[] = [];
    const stop = settings.subscribe((changed) => heard.push(changed));
    await settings.set("leastMatch", "strong");
    await settings.set("mode", "remote");
    stop();
    await settings.set("mode", "local");
    expect(heard).toEqual(["leastMatch", "mode"]);
  });

  it("are told with their value, now and when they change", async () => {
    const { settings } = await settingsOf(null);
    const heard: boolean[] = [];
    const stop = settings.watch("localText", (isOn) => heard.push(isOn));
    await settings.set("localText", false);
    await settings.set("score", "bar");
    stop();
    await settings.set("localText", true);
    expect(heard).toEqual([true, false]);
  });

  it("take back every agreement at once", async () => {
    const agreed = { startAgreed: true, uploadAgreed: "http://a", writeAgreed: "http://b", program: "/opt/notewell" };
    const { settings, saved } = await settingsOf(null, agreed);
    await settings.withdrawConsent();
    expect(saved.device).toMatchObject({ startAgreed: false, uploadAgreed: "", writeAgreed: "", program: "/opt/notewell" });
  });

  it("remember the last searches, each once", async () => {
    const { settings } = await settingsOf(null);
    for (let n = 0; n < 30; n += 1) settings.remember(`q${n}`);
    settings.remember(" q25 ");
    settings.remember("  ");
    expect(settings.chosen.history).toHaveLength(20);
    expect(settings.chosen.history.slice(0, 2)).toEqual(["q25", "q29"]);
  });
});
