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
      minScore: 0,
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
    await settings.set("minScore", 0.5);
    await settings.set("mode", "remote");
    stop();
    await settings.set("mode", "local");
    expect(heard).toEqual(["minScore", "mode"]);
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
